package match

import (
	"image"
	"slices"
	"strings"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/sdkapi"
)

// Distinction describes where a match is, in order to distinguish it from equally good matches. For
// example, it names the text to the left of the match.
type Distinction = sdkapi.Distinction

// fieldsOf returns the optional fields of a Distinction.
func fieldsOf(d *Distinction) []*string {
	return []*string{&d.Position, &d.LeftOf, &d.RightOf, &d.Above, &d.Below}
}

// Distinguish describes how the matches in rivals differ on scene. It returns one Distinction for
// each rival, in the order of rivals, but at most limit of them. If a field would have the same
// value in all Distinctions, the field is empty.
func Distinguish(scene *perception.Scene, rivals []Match, limit int) []Distinction {
	listed := rivals[:min(len(rivals), limit)]
	others := othersThan(scene.Rows, rivals)
	ordered := inReadingOrder(rivals)
	out := make([]Distinction, len(listed))
	for i := range listed {
		m := &listed[i]
		out[i] = around(scene.Rows[m.Index], m.Row.Box, others)
		out[i].Position = positionOf(geo.Center(m.Row.Box), scene.Width, scene.Height)
		out[i].Occurrence = 1 + slices.IndexFunc(ordered, func(o Match) bool { return o.Index == m.Index && o.Row.Box == m.Row.Box })
	}
	dropCommon(out)
	return out
}

// othersThan returns the rows that contain none of the matches.
func othersThan(rows []perception.Row, matches []Match) []perception.Row {
	others := slices.Clone(rows)
	for _, m := range matches {
		others[m.Index].Words = nil
	}
	return slices.DeleteFunc(others, func(r perception.Row) bool { return len(r.Words) == 0 })
}

// around returns the texts next to box, which is the box of row or of a part of it.
func around(row perception.Row, box image.Rectangle, others []perception.Row) Distinction {
	before, after := wordsBeside(row, box)
	center := geo.Center(box)
	var left, right, over, under neighbor
	for i := range others {
		o := &others[i]
		at := geo.Center(o.Box)
		switch {
		case geo.SameLine(box, o.Box) && at.X < center.X:
			left.offer(o.Text, gap(o.Box.Min.X, o.Box.Max.X, box.Min.X, box.Max.X))
		case geo.SameLine(box, o.Box):
			right.offer(o.Text, gap(o.Box.Min.X, o.Box.Max.X, box.Min.X, box.Max.X))
		case geo.SameColumn(box, o.Box) && at.Y < center.Y:
			over.offer(o.Text, gap(o.Box.Min.Y, o.Box.Max.Y, box.Min.Y, box.Max.Y))
		case geo.SameColumn(box, o.Box):
			under.offer(o.Text, gap(o.Box.Min.Y, o.Box.Max.Y, box.Min.Y, box.Max.Y))
		}
	}
	left.offer(before, -1)
	right.offer(after, -1)
	return Distinction{RightOf: left.text, LeftOf: right.text, Below: over.text, Above: under.text}
}

// wordsBeside returns the words of a row to the left and to the right of a box, joined by spaces.
// Both are empty if the box is that of the row.
func wordsBeside(row perception.Row, box image.Rectangle) (before, after string) {
	var left, right []string
	for _, w := range row.Words {
		switch at := geo.Center(w.Box); {
		case at.X < box.Min.X:
			left = append(left, w.Text)
		case at.X >= box.Max.X:
			right = append(right, w.Text)
		}
	}
	return strings.Join(left, " "), strings.Join(right, " ")
}

type neighbor struct {
	text string
	gap  int
}

// offer replaces the neighbor if text is not empty and its gap is smaller. A gap of -1 is smaller
// than that of any other row.
func (n *neighbor) offer(text string, gap int) {
	if text != "" && (n.text == "" || gap < n.gap) {
		*n = neighbor{text, gap}
	}
}

// positionOf names the ninth of the screen that contains p, for example "top left".
func positionOf(p image.Point, width, height int) string {
	names := [3][3]string{{"top left", "top", "top right"}, {"left", "center", "right"}, {"bottom left", "bottom", "bottom right"}}
	third := func(v, of int) int { return min(max(3*v/max(of, 1), 0), 2) }
	return names[third(p.Y, height)][third(p.X, width)]
}

// dropCommon empties the fields that have the same value for all.
func dropCommon(all []Distinction) {
	for i := range fieldsOf(new(Distinction)) {
		value := func(d *Distinction) string { return *fieldsOf(d)[i] }
		differs := false
		for j := range all {
			differs = differs || value(&all[j]) != value(&all[0])
		}
		for j := range all {
			if !differs {
				*fieldsOf(&all[j])[i] = ""
			}
		}
	}
}
