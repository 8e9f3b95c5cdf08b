package describe

import (
	"cmp"
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// A band is texts beside each other.
type band struct {
	box   image.Rectangle
	cells []image.Rectangle // from left to right
}

// leastRows is how many rows a table or a list has at least.
const leastRows = 3

// findTables finds lines whose texts stand in columns.
func (d *describer) findTables() {
	var tables []Region
	for part, bands := range d.bands() {
		for start := 0; start+leastRows <= len(bands); {
			end, columns := d.tableFrom(bands, start)
			if end-start < leastRows || columns < 3 {
				start++
				continue
			}
			within := image.Rectangle{Max: d.out.Size}
			if part < len(d.found) {
				within = d.found[part].Box
			}
			tables = append(tables, Region{Kind: Table, Box: d.tableBox(bands[start:end]).Intersect(within), Rows: end - start, Columns: columns, Parent: -1})
			start = end
		}
	}
	for _, t := range tables {
		d.add(t)
	}
}

// tableBox returns the box of a table's rows, with the boxes to check before
// them and the buttons behind.
func (d *describer) tableBox(rows []band) (box image.Rectangle) {
	for _, b := range rows {
		box = box.Union(b.box)
	}
	box = geo.Pad(box, d.px(8), d.px(6))
	for i := 0; i < len(d.out.Controls); i++ {
		c := d.out.Controls[i].Box
		beside := geo.Center(c).Y >= box.Min.Y && geo.Center(c).Y < box.Max.Y && c.Min.X <= box.Max.X+d.px(120) && c.Max.X >= box.Min.X-d.px(60)
		if wide := min(c.Min.X, box.Min.X) < box.Min.X || c.Max.X > box.Max.X; beside && wide && c.Dy() <= d.px(40) && c.Dx() <= d.px(200) {
			box.Min.X, box.Max.X = min(c.Min.X, box.Min.X), max(c.Max.X, box.Max.X)
			i = -1 // what is beside it now
		}
	}
	return box
}

// tableFrom returns where a table that begins with a band ends, and how many
// columns it has.
func (d *describer) tableFrom(bands []band, start int) (end, columns int) {
	pitch := 0
	for end = start + 1; end < len(bands); end++ {
		a, b := bands[end-1], bands[end]
		step := geo.Center(b.box).Y - geo.Center(a.box).Y
		if len(a.cells) < 2 || len(b.cells) < 2 || step > d.px(90) || pitch > 0 && (step > pitch*16/10 || step*16/10 < pitch) {
			break
		}
		if same := d.aligned(a, b); same < 2 || 2*same < min(len(a.cells), len(b.cells)) {
			break
		}
		if end > start+1 || pitch == 0 {
			pitch = step
		}
		columns = max(columns, len(a.cells), len(b.cells))
	}
	return end, columns
}

// aligned counts the cells of a band that stand in columns with those of
// another.
func (d *describer) aligned(a, b band) (n int) {
	near := d.px(5)
	for _, x := range a.cells {
		if slices.ContainsFunc(b.cells, func(y image.Rectangle) bool {
			return geo.Abs(x.Min.X-y.Min.X) <= near || geo.Abs(x.Max.X-y.Max.X) <= near || geo.Abs(geo.Center(x).X-geo.Center(y).X) <= near
		}) {
			n++
		}
	}
	return n
}

// bands returns the lines of texts of each part of the screen that has no bars
// or columns in it, from top to bottom.
func (d *describer) bands() (out [][]band) {
	parts := make([][]image.Rectangle, len(d.found)+1)
	for _, r := range d.screen.Rows {
		part := len(d.found)
		for i, o := range d.found {
			if geo.Center(r.Box).In(o.Box) && (part == len(d.found) || geo.Area(o.Box) < geo.Area(d.found[part].Box)) {
				part = i
			}
		}
		parts[part] = append(parts[part], r.Box)
	}
	for _, boxes := range parts {
		slices.SortStableFunc(boxes, func(a, b image.Rectangle) int { return cmp.Compare(geo.Center(a).Y, geo.Center(b).Y) })
		var bands []band
		for _, b := range boxes {
			if last := len(bands) - 1; last >= 0 && geo.Center(b).Y < bands[last].box.Max.Y && geo.Center(bands[last].box).Y > b.Min.Y {
				bands[last].box = bands[last].box.Union(b)
				bands[last].cells = append(bands[last].cells, b)
			} else {
				bands = append(bands, band{b, []image.Rectangle{b}})
			}
		}
		for i := range bands {
			bands[i].cells = d.joined(bands[i].cells)
		}
		out = append(out, bands)
	}
	return out
}

// joined sorts texts from left to right and joins those that are no further
// apart than words.
func (d *describer) joined(cells []image.Rectangle) (apart []image.Rectangle) {
	slices.SortFunc(cells, func(a, b image.Rectangle) int { return a.Min.X - b.Min.X })
	for _, c := range cells {
		if last := len(apart) - 1; last >= 0 && c.Min.X-apart[last].Max.X < d.px(14) {
			apart[last] = apart[last].Union(c)
		} else {
			apart = append(apart, c)
		}
	}
	return apart
}

// findLists finds equal faces that stand in a column, or in rows and columns.
func (d *describer) findLists() {
	var items []image.Rectangle
	for i := range d.screen.Elements {
		e := &d.screen.Elements[i]
		face := e.Fill != nil && plurals[e.Role] == "" || d.isRow(i)
		inside := slices.ContainsFunc(d.found, func(r Region) bool {
			return (r.Kind == Table || r.Kind == Header) && geo.Center(e.Box).In(r.Box)
		})
		if face && !inside && e.Box.Dy() >= d.px(28) && e.Box.Dy() <= d.out.Size.Y/2 && e.Box.Dx() >= d.px(100) && len(items) < maxFaces {
			items = append(items, e.Box)
		}
	}
	used := make([]bool, len(items))
	for i := range items {
		if used[i] {
			continue
		}
		var alike []image.Rectangle
		for j := i; j < len(items); j++ {
			if !used[j] && d.sameSize(items[i], items[j]) {
				used[j] = true
				alike = append(alike, items[j])
			}
		}
		for _, group := range d.groups(alike, d.px(28)) {
			d.addList(group)
		}
	}
}

func (d *describer) sameSize(a, b image.Rectangle) bool {
	return geo.Abs(a.Dx()-b.Dx()) <= max(d.px(3), a.Dx()/20) && geo.Abs(a.Dy()-b.Dy()) <= max(d.px(3), a.Dy()/8)
}

// entriesIn counts what is written into or chosen from in a box.
func (d *describer) entriesIn(box image.Rectangle) (n int) {
	for _, c := range d.out.Controls {
		if c.Point.In(box) && entries[c.Role] && c.Role != elements.Checkbox && c.Role != elements.Radio {
			n++
		}
	}
	return n
}

// addList adds boxes of one size as a list, if they stand in rows and columns.
func (d *describer) addList(group []image.Rectangle) {
	var box image.Rectangle
	var rows, columns []int
	note := func(list []int, at int) []int {
		if !slices.ContainsFunc(list, func(n int) bool { return geo.Abs(n-at) <= d.px(4) }) {
			list = append(list, at)
		}
		return list
	}
	for _, b := range group {
		box, rows, columns = box.Union(b), note(rows, b.Min.Y), note(columns, b.Min.X)
	}
	if len(group) < leastRows || len(rows)*len(columns) > len(group)+len(columns)-1 {
		return
	}
	list := Region{Kind: List, Box: box, Rows: len(rows), Columns: len(columns), Parent: -1}
	if d.entriesIn(box) >= 2 {
		list = Region{Kind: Form, Box: box, Parent: -1}
	}
	d.add(list)
}
