package describe

import (
	"cmp"
	"image"
	"slices"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// addRegions divides the screen into regions, and finds the region of each control and text.
func (d *describer) addRegions() {
	d.findFaces()
	d.findBars()
	d.findSidebars()
	d.findDialog()
	d.findMain()
	d.findTables()
	d.findLists()
	d.findForms()
	slices.SortStableFunc(d.found, func(a, b Region) int { return cmp.Compare(geo.Area(b.Box), geo.Area(a.Box)) })
	d.out.MoreRegions = max(0, len(d.found)-MaxRegions)
	d.out.Regions = d.found[:len(d.found)-d.out.MoreRegions]
	for i := range d.out.Regions {
		r := &d.out.Regions[i]
		r.Parent = d.regionOf(r.Box, i)
	}
	for i := range d.out.Headings {
		d.out.Headings[i].Region = d.regionOf(d.out.Headings[i].Box, len(d.found))
	}
	for i := range d.out.Text {
		d.out.Text[i].Region = d.regionOf(d.out.Text[i].Box, len(d.found))
	}
	for i := range d.out.Controls {
		d.out.Controls[i].Region = d.regionOf(d.out.Controls[i].Box, len(d.found))
	}
	d.dropCells()
	d.addTitles()
}

// dropCells removes menu items that are cells of a table or lines of a dialog, and controls that a
// dialog covers.
func (d *describer) dropCells() {
	others := make([]int, len(d.out.Regions))
	for _, c := range d.out.Controls {
		if c.Region >= 0 && c.Role != elements.MenuItem {
			others[c.Region]++
		}
	}
	d.out.Controls = slices.DeleteFunc(d.out.Controls, func(c Control) bool {
		if c.Region < 0 {
			return false
		}
		r := &d.out.Regions[c.Region]
		cell := c.Role == elements.MenuItem && (r.Kind == Table || r.Kind == Dialog && others[c.Region] > 0)
		return cell || r.Kind == Dialog && geo.Area(c.Box.Intersect(r.Box))*5 < geo.Area(c.Box)*4
	})
}

// addTitles sets the titles of regions to their headings; a dialog without a heading gets its first
// text.
func (d *describer) addTitles() {
	name := func(l *Line) {
		for at := l.Region; at >= 0; at = d.out.Regions[at].Parent {
			r := &d.out.Regions[at]
			if r.Title == "" && r.Kind != Table && r.Kind != List && r.Kind != Toolbar && r.Kind != Footer {
				r.Title = cut(l.Text, MaxLabel)
			}
			if r.Kind == Dialog {
				return
			}
		}
	}
	for i := range d.out.Text {
		if l := &d.out.Text[i]; l.Region >= 0 && d.out.Regions[l.Region].Kind == Dialog {
			name(l)
		}
	}
	for i := range d.out.Headings {
		name(&d.out.Headings[i])
	}
}

// regionOf returns the index of the smallest region that contains the middle of a box, or -1. It
// searches regions with an index less than before. Within a dialog it ignores the regions behind
// it.
func (d *describer) regionOf(box image.Rectangle, before int) int {
	m := geo.Center(box)
	dialog := slices.IndexFunc(d.out.Regions, func(r Region) bool { return r.Kind == Dialog })
	for i := min(before, len(d.out.Regions)) - 1; i >= 0; i-- {
		if r := &d.out.Regions[i]; m.In(r.Box) && (dialog < 0 || i >= dialog || !m.In(d.out.Regions[dialog].Box)) {
			return i
		}
	}
	return -1
}

// px converts a length at 96 dots per inch to pixels of this screen.
func (d *describer) px(n int) int { return int(float64(n)*d.unit + 0.5) }

// unitOf returns the scale of the screen: 1 at 96 dots per inch, or if the screen has too little
// text.
func unitOf(rows []perception.Row) float64 {
	heights := make([]int, len(rows))
	for i, r := range rows {
		heights[i] = r.Box.Dy()
	}
	return geo.Unit(heights, 3, usualText)
}

const (
	usualText = 13  // height of usual text in pixels at 96 dots per inch
	maxFaces  = 300 // maximum number of compared faces; a screen of noise has more
)

// findFaces lists the areas of one color that are large enough for a region, largest first.
func (d *describer) findFaces() {
	size := d.out.Size
	for i := range d.screen.Elements {
		e := &d.screen.Elements[i]
		large := geo.Area(e.Box) >= size.X*size.Y/100 || e.Box.Dx() >= size.X/2
		if e.Fill != nil && large && e.Box.Dy() >= d.px(20) {
			d.faces = append(d.faces, Region{Box: e.Box.Intersect(image.Rectangle{Max: size}), Color: e.Fill, Parent: -1})
		}
	}
	slices.SortStableFunc(d.faces, func(a, b Region) int { return cmp.Compare(geo.Area(b.Box), geo.Area(a.Box)) })
	d.faces = d.faces[:min(len(d.faces), maxFaces)]
}

// add adds a region, unless an earlier region other than the main one has nearly the same box.
func (d *describer) add(r Region) {
	if !slices.ContainsFunc(d.found, func(o Region) bool { return o.Kind != Main && geo.Overlap(o.Box, r.Box) >= 0.8 }) {
		d.found = append(d.found, r)
	}
}

// findBars finds headers, footers and toolbars.
func (d *describer) findBars() {
	size := d.out.Size
	for _, f := range d.faces {
		if f.Box.Dy() > d.px(130) || f.Box.Dy() > size.Y/4 || f.Box.Dy() < d.px(20) {
			continue
		}
		across := f.Box.Dx() >= size.X*6/10
		switch {
		case across && f.Box.Min.Y <= d.px(8):
			f.Kind = Header
		case across && f.Box.Max.Y >= size.Y-d.px(8):
			f.Kind = Footer
		case f.Box.Dy() <= d.px(64) && f.Box.Dx() >= d.px(160) && d.iconsIn(f.Box) >= 3:
			f.Kind = Toolbar
		default:
			continue
		}
		d.add(f)
	}
}

// iconsIn returns the number of icon buttons on a bar; 0 if the bar has too much text.
func (d *describer) iconsIn(box image.Rectangle) (n int) {
	words := 0
	for i := range d.out.Controls {
		if c := &d.out.Controls[i]; c.Point.In(box) && c.Role == elements.IconButton {
			n++
		}
	}
	for _, r := range d.screen.Rows {
		if geo.Center(r.Box).In(box) {
			words++
		}
	}
	if 2*words > n {
		return 0
	}
	return n
}

// findSidebars finds columns at the left or right side that are at least half as high as the
// screen.
func (d *describer) findSidebars() {
	size := d.out.Size
	for _, f := range d.stacked(d.px(44)) { // the gap is a selected row, which has another color
		narrow := f.Box.Dx() >= d.px(36) && f.Box.Dx() <= size.X*36/100
		atSide := f.Box.Min.X <= d.px(8) || f.Box.Max.X >= size.X-d.px(8)
		if narrow && atSide && f.Box.Dy() >= size.Y/2 && size.X >= d.px(500) {
			f.Kind = Sidebar
			d.add(f)
		}
	}
}

// findMain finds the main region: the area that bars and sidebars leave.
func (d *describer) findMain() {
	rest := image.Rectangle{Max: d.out.Size}
	for _, r := range d.found {
		switch {
		case r.Kind == Header:
			rest.Min.Y = max(rest.Min.Y, r.Box.Max.Y)
		case r.Kind == Footer:
			rest.Max.Y = min(rest.Max.Y, r.Box.Min.Y)
		case r.Kind == Sidebar && r.Box.Min.X <= d.px(8):
			rest.Min.X = max(rest.Min.X, r.Box.Max.X)
		case r.Kind == Sidebar:
			rest.Max.X = min(rest.Max.X, r.Box.Min.X)
		}
	}
	if rest.Empty() {
		return
	}
	main := Region{Kind: Main, Box: rest, Parent: -1}
	for _, f := range d.faces {
		if geo.Area(f.Box.Intersect(rest)) >= geo.Area(rest)/2 {
			main.Color = f.Color // the color of the smallest face that covers at least half of it
		}
	}
	d.add(main)
}

// findForms finds groups of at least two entries outside of other regions.
func (d *describer) findForms() {
	var boxes []image.Rectangle
	for _, c := range d.out.Controls {
		if entries[c.Role] && c.Label != "" && !slices.ContainsFunc(d.found, func(r Region) bool { return r.Kind != Main && c.Point.In(r.Box) }) {
			boxes = append(boxes, c.Box)
		}
	}
	for _, group := range d.groups(boxes, d.px(90)) {
		if len(group) < 2 {
			continue
		}
		box := image.Rectangle{}
		for _, b := range group {
			box = box.Union(b)
		}
		d.add(Region{Kind: Form, Box: d.withWords(box), Parent: -1})
	}
}

// entries lists the roles of elements to fill in.
var entries = map[elements.Role]bool{
	elements.Field: true, elements.TextArea: true, elements.Dropdown: true, elements.Checkbox: true, elements.Radio: true, elements.Toggle: true,
}

// withWords extends the box of a form by nearby labels and buttons.
func (d *describer) withWords(box image.Rectangle) image.Rectangle {
	near := geo.Pad(box, d.px(30), d.px(50))
	for _, r := range d.screen.Rows {
		if geo.Center(r.Box).In(near) {
			box = box.Union(r.Box)
		}
	}
	for _, c := range d.out.Controls {
		if c.Role == elements.Button && c.Point.In(near) {
			box = box.Union(c.Box)
		}
	}
	return box
}

// groups groups boxes whose gaps are at most gap pixels.
func (d *describer) groups(boxes []image.Rectangle, gap int) (list [][]image.Rectangle) {
	used := make([]bool, len(boxes))
	for i := range boxes {
		if used[i] {
			continue
		}
		used[i] = true
		group := []image.Rectangle{boxes[i]}
		for k := 0; k < len(group); k++ {
			for j, b := range boxes {
				if !used[j] && geo.Pad(group[k], gap, gap).Overlaps(b) {
					used[j] = true
					group = append(group, b)
				}
			}
		}
		list = append(list, group)
	}
	return list
}
