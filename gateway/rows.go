package gateway

import (
	"image"
	"math"
	"strconv"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

// rowsIn returns the rows of scene whose middle lies in region, or all when
// that is empty, as they are on the wire.
func rowsIn(scene *perception.Scene, region image.Rectangle) []sdkapi.Row {
	rows := make([]sdkapi.Row, 0, len(scene.Rows))
	for i, r := range scene.Rows {
		if region.Empty() || perception.Center(r.Box).In(region) {
			rows = append(rows, WireRow(i, r))
		}
	}
	return rows
}

// matchRows returns the first of matches as they are on the wire.
func matchRows(matches []match.Match, most int) []sdkapi.Row {
	matches = matches[:min(len(matches), most)]
	rows := make([]sdkapi.Row, len(matches))
	for i, m := range matches {
		rows[i] = MatchRow(m)
	}
	return rows
}

// MatchRow returns a match as it is on the wire, with its score.
func MatchRow(m match.Match) sdkapi.Row {
	row := WireRow(m.Index, m.Row)
	score := fraction(m.Score)
	row.Score = &score
	return row
}

// WireRow returns a row as it is on the wire. index is its place in reading
// order.
func WireRow(index int, r perception.Row) sdkapi.Row {
	center := perception.Center(r.Box)
	words := make([]sdkapi.Word, len(r.Words))
	for i, w := range r.Words {
		words[i] = sdkapi.Word{Text: w.Text, Confidence: fraction(w.Confidence), BBox: boxOf(w.Box)}
	}
	return sdkapi.Row{
		ID:          strconv.Itoa(index),
		Text:        r.Text,
		Confidence:  fraction(r.Confidence),
		BBox:        boxOf(r.Box),
		Center:      sdkapi.Point{X: center.X, Y: center.Y},
		CandidateID: r.ID,
		Words:       words,
	}
}

// fraction rounds to what is worth telling.
func fraction(f float64) float64 { return math.Round(f*1e4) / 1e4 }

func boxOf(r image.Rectangle) sdkapi.Box {
	return sdkapi.Box{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
}
