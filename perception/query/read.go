package query

import (
	"context"
	"image"
	"math"
	"strconv"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

// Read returns the rows of text on an image, or in a region of it.
func (s Screens) Read(ctx context.Context, in *sdkapi.OCRReadArguments) (*sdkapi.OCRRunResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	img, scene, err := s.scene(ctx, in.Image, in.Reading)
	if err != nil {
		return nil, err
	}
	if err := checkRegion(scene, in.Region); err != nil {
		return nil, err
	}
	rows := rowsIn(scene, in.Region)
	return &sdkapi.OCRRunResult{Image: img.Info, Results: rows, Unreadable: unreadable(rows)}, nil
}

// ResolveCandidate returns the row with an ID from an earlier response about the same image. It
// fails with CandidateNotFound if the image has no such row.
func (s Screens) ResolveCandidate(ctx context.Context, in *sdkapi.OCRResolveCandidateRequest) (*sdkapi.OCRResolveCandidateResult, error) {
	ctx, end := s.begin(ctx)
	defer end()
	img, scene, err := s.scene(ctx, in.Image, in.Reading)
	if err != nil {
		return nil, err
	}
	row, err := candidate(scene, in.CandidateID)
	if err != nil {
		return nil, err
	}
	return &sdkapi.OCRResolveCandidateResult{Image: img.Info, CandidateID: in.CandidateID, Match: row}, nil
}

// candidate returns the row of a scene with an ID.
func candidate(scene *perception.Scene, id string) (sdkapi.Row, error) {
	if row, index, ok := scene.Find(id); ok {
		return wireRow(index, row), nil
	}
	return sdkapi.Row{}, fault.New("query.candidate", sdkapi.CandidateNotFound, "this image has no row %s; request its rows with ocr/run or find-text", id).
		At("body.candidate_id", "expected a candidate_id from a response about this image")
}

// rowsIn returns the rows whose middle is in region, or all rows without a region.
func rowsIn(scene *perception.Scene, region *sdkapi.Region) []sdkapi.Row {
	rows, within := make([]sdkapi.Row, 0, len(scene.Rows)), region.Rect()
	for i, r := range scene.Rows {
		if within.Empty() || geo.Center(r.Box).In(within) {
			rows = append(rows, wireRow(i, r))
		}
	}
	return rows
}

// unreadable counts the rows in each unreadable script.
func unreadable(rows []sdkapi.Row) (list []sdkapi.Unreadable) {
	for _, script := range []sdkapi.Script{sdkapi.ScriptCJK, sdkapi.ScriptRightToLeft, sdkapi.ScriptOther} {
		n := 0
		for _, r := range rows {
			if r.Script == script {
				n++
			}
		}
		if n > 0 {
			list = append(list, sdkapi.Unreadable{Script: script, Rows: n, Advice: perception.HowToRead(script)})
		}
	}
	return list
}

// matchRows converts the first matches, at most limit. The result is never nil.
func matchRows(matches []match.Match, limit int) []sdkapi.Row {
	matches = matches[:min(len(matches), limit)]
	rows := make([]sdkapi.Row, len(matches))
	for i, m := range matches {
		rows[i] = matchRow(m)
	}
	return rows
}

// matchRow returns the row of a match as in a response, with its score.
func matchRow(m match.Match) sdkapi.Row {
	row := wireRow(m.Index, m.Row)
	score := fraction(m.Score)
	row.Score = &score
	return row
}

// wireRow returns a row as in a response. index is its position in reading order.
func wireRow(index int, r perception.Row) sdkapi.Row {
	if r.Script != "" {
		return sdkapi.Row{
			ID: strconv.Itoa(index), Confidence: fraction(r.Confidence), CandidateID: r.ID,
			BBox: boxOf(r.Box), Center: pointOf(geo.Center(r.Box)), Readable: new(bool), Script: r.Script,
		}
	}
	words := make([]sdkapi.Word, len(r.Words))
	for i, w := range r.Words {
		words[i] = sdkapi.Word{Text: w.Text, Confidence: fraction(w.Confidence), BBox: boxOf(w.Box)}
	}
	return sdkapi.Row{
		ID: strconv.Itoa(index), Text: r.Text, Confidence: fraction(r.Confidence), CandidateID: r.ID,
		BBox: boxOf(r.Box), Center: pointOf(geo.Center(r.Box)), Words: words,
	}
}

// fraction rounds to four decimals, as in responses.
func fraction(f float64) float64 { return math.Round(f*1e4) / 1e4 }

// pointOf returns a point as in a response.
func pointOf(p image.Point) sdkapi.Point { return sdkapi.Point{X: p.X, Y: p.Y} }

// boxOf returns a rectangle as in a response: its upper left corner and its size.
func boxOf(r image.Rectangle) sdkapi.Box {
	return sdkapi.Box{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
}
