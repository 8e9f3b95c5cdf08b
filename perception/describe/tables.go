package describe

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

const leastRows = 3 // minimum rows of a table or list

// findTables finds consecutive lines whose texts are in the same columns.
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

// tableBox returns the box of a table's rows, extended by the controls beside them.
func (d *describer) tableBox(rows []geo.Line) (box image.Rectangle) {
	for _, r := range rows {
		box = box.Union(r.Box)
	}
	box = geo.Pad(box, d.px(8), d.px(6))
	for i := 0; i < len(d.out.Controls); i++ {
		c := d.out.Controls[i].Box
		beside := geo.Center(c).Y >= box.Min.Y && geo.Center(c).Y < box.Max.Y && c.Min.X <= box.Max.X+d.px(120) && c.Max.X >= box.Min.X-d.px(60)
		if wide := min(c.Min.X, box.Min.X) < box.Min.X || c.Max.X > box.Max.X; beside && wide && c.Dy() <= d.px(40) && c.Dx() <= d.px(200) {
			box.Min.X, box.Max.X = min(c.Min.X, box.Min.X), max(c.Max.X, box.Max.X)
			i = -1 // check again beside the wider box
		}
	}
	return box
}

// tableFrom returns the end of the table that begins at line start, and its number of columns.
func (d *describer) tableFrom(bands []geo.Line, start int) (end, columns int) {
	pitch := 0
	for end = start + 1; end < len(bands); end++ {
		a, b := bands[end-1], bands[end]
		step := geo.Center(b.Box).Y - geo.Center(a.Box).Y
		if len(a.Items) < 2 || len(b.Items) < 2 || step > d.px(90) || pitch > 0 && (step > pitch*16/10 || step*16/10 < pitch) {
			break
		}
		if same := d.aligned(a.Items, b.Items); same < 2 || 2*same < min(len(a.Items), len(b.Items)) {
			break
		}
		if end > start+1 || pitch == 0 {
			pitch = step
		}
		columns = max(columns, len(a.Items), len(b.Items))
	}
	return end, columns
}

// aligned returns the number of cells in a that are in the same column as a cell in b.
func (d *describer) aligned(a, b []image.Rectangle) (n int) {
	near := d.px(5)
	for _, x := range a {
		if slices.ContainsFunc(b, func(y image.Rectangle) bool {
			return geo.Abs(x.Min.X-y.Min.X) <= near || geo.Abs(x.Max.X-y.Max.X) <= near || geo.Abs(geo.Center(x).X-geo.Center(y).X) <= near
		}) {
			n++
		}
	}
	return n
}

// bands returns the lines of text of each region, joined to cells. The last entry is for text
// outside of all regions.
func (d *describer) bands() (out [][]geo.Line) {
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
		bands := geo.Lines(boxes)
		for i := range bands {
			bands[i].Items = geo.Joined(bands[i].Items, d.px(14)-1) // join gaps up to the width of a space
		}
		out = append(out, bands)
	}
	return out
}

// findLists finds faces of the same size in a column or grid.
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
			if a, b := items[i], items[j]; !used[j] &&
				geo.Abs(a.Dx()-b.Dx()) <= max(d.px(3), a.Dx()/20) && geo.Abs(a.Dy()-b.Dy()) <= max(d.px(3), a.Dy()/8) {
				used[j] = true
				alike = append(alike, items[j])
			}
		}
		for _, group := range d.groups(alike, d.px(28)) {
			d.addList(group)
		}
	}
}

// entriesIn returns the number of fields, text areas, dropdowns and switches in a box.
func (d *describer) entriesIn(box image.Rectangle) (n int) {
	for _, c := range d.out.Controls {
		if c.Point.In(box) && entries[c.Role] && c.Role != elements.Checkbox && c.Role != elements.Radio {
			n++
		}
	}
	return n
}

// addList adds a group of boxes of the same size as a list if they form rows and columns. If the
// boxes contain two or more entries, it adds a form instead.
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
