package perception

import (
	"cmp"
	"image"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/sdkapi"
)

// Unreadable returns a row without text. The row represents a text in a script that the reader does
// not support. confidence is in 0..1.
func Unreadable(script sdkapi.Script, box image.Rectangle, confidence float64) Row {
	r := NewRow([]Word{{Box: box, Confidence: confidence}})
	r.Script = script
	return r
}

// NewRow returns a row of words, which must be in order from left to right. The confidence of the
// row is the mean confidence of the words, in 0..1.
func NewRow(words []Word) Row {
	r := Row{Words: words}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
		r.Box = r.Box.Union(w.Box)
		r.Confidence += w.Confidence / float64(len(words))
	}
	r.Text = strings.Join(texts, " ")
	return r
}

// ReadingOrder sorts rows in place, first by line and then from left to right. A row belongs to a
// line if the middle of the row is above the bottom of the line's first row.
func ReadingOrder(rows []Row) {
	middle := func(r Row) int { return geo.Center(r.Box).Y }
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(middle(a), middle(b)) })
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && middle(rows[end]) < rows[start].Box.Max.Y {
			end++
		}
		slices.SortStableFunc(rows[start:end], func(a, b Row) int { return cmp.Compare(a.Box.Min.X, b.Box.Min.X) })
		start = end
	}
}
