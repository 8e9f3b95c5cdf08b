package tesseract

import (
	"cmp"
	"image"
	"slices"
	"strings"

	"github.com/windieos/windie/perception"
)

// How words join into a row. In sparse mode the program's own lines reach
// across menu entries and table columns, so they are not used.
const (
	maxGap     = 0.75 // of the row's height, between two words of a row
	minOverlap = 0.5  // of the lower one's height, that both share
)

// joinRows chains words that stand side by side on one line, and returns the
// rows in reading order.
func joinRows(words []perception.Word) []perception.Row {
	slices.SortStableFunc(words, func(a, b perception.Word) int { return cmp.Compare(a.Box.Min.X, b.Box.Min.X) })
	var open []perception.Row
	for _, w := range words {
		if i := nearest(open, w.Box); i >= 0 {
			open[i].Words = append(open[i].Words, w)
			open[i].Box = open[i].Box.Union(w.Box)
		} else {
			open = append(open, perception.Row{Box: w.Box, Words: []perception.Word{w}})
		}
	}
	for i := range open {
		finish(&open[i])
	}
	readingOrder(open)
	return open
}

// nearest returns the index of the row that box continues on its right, or -1.
func nearest(rows []perception.Row, box image.Rectangle) int {
	best, bestGap := -1, 0
	for i := range rows {
		last := rows[i].Words[len(rows[i].Words)-1].Box
		gap := box.Min.X - last.Max.X
		limit := int(maxGap * float64(max(last.Dy(), box.Dy())))
		if gap > limit || gap < -limit || !sameLine(last, box) {
			continue
		}
		if best < 0 || gap < bestGap {
			best, bestGap = i, gap
		}
	}
	return best
}

func sameLine(a, b image.Rectangle) bool {
	shared := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	return float64(shared) >= minOverlap*float64(min(a.Dy(), b.Dy()))
}

// finish sets the row's text and confidence from its words.
func finish(r *perception.Row) {
	texts := make([]string, len(r.Words))
	for i, w := range r.Words {
		texts[i] = w.Text
		r.Confidence += w.Confidence / float64(len(r.Words))
	}
	r.Text = strings.Join(texts, " ")
}

// readingOrder sorts rows by line, and each line from left to right. A row
// belongs to the line whose first row its middle falls into.
func readingOrder(rows []perception.Row) {
	middle := func(r perception.Row) int { return perception.Center(r.Box).Y }
	slices.SortStableFunc(rows, func(a, b perception.Row) int { return cmp.Compare(middle(a), middle(b)) })
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && middle(rows[end]) < rows[start].Box.Max.Y {
			end++
		}
		slices.SortStableFunc(rows[start:end], func(a, b perception.Row) int { return cmp.Compare(a.Box.Min.X, b.Box.Min.X) })
		start = end
	}
}
