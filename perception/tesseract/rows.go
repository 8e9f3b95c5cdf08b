package tesseract

import (
	"cmp"
	"image"
	"slices"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
)

// maxGap is the maximum gap between two words of a row, in heights of the row. In sparse mode the
// program's own lines extend across menu entries and table columns, so joinRows ignores them.
const maxGap = 0.75

// joinRows chains adjacent words on one line. It returns the rows in reading order.
func joinRows(words []perception.Word) []perception.Row {
	slices.SortStableFunc(words, func(a, b perception.Word) int { return cmp.Compare(a.Box.Min.X, b.Box.Min.X) })
	var open [][]perception.Word
	for _, w := range words {
		if i := nearest(open, w.Box); i >= 0 {
			open[i] = append(open[i], w)
		} else {
			open = append(open, []perception.Word{w})
		}
	}
	rows := make([]perception.Row, len(open))
	for i, row := range open {
		rows[i] = perception.NewRow(row)
	}
	perception.ReadingOrder(rows)
	return rows
}

// nearest returns the index of the row that box continues on its right, or -1.
func nearest(rows [][]perception.Word, box image.Rectangle) int {
	best, bestGap := -1, 0
	for i, row := range rows {
		last := row[len(row)-1].Box
		gap := box.Min.X - last.Max.X
		limit := int(maxGap * float64(max(last.Dy(), box.Dy())))
		if geo.Abs(gap) <= limit && geo.SameLine(last, box) && (best < 0 || gap < bestGap) {
			best, bestGap = i, gap
		}
	}
	return best
}
