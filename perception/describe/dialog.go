package describe

import (
	"image"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// findDialog finds a dialog over the middle of a page.
func (d *describer) findDialog() {
	var best Region
	highest := surelyDialog
	for _, f := range d.stacked(d.px(3)) {
		if score := d.dialogness(f); score > highest {
			best, highest = f, score
		}
	}
	if highest > surelyDialog {
		best.Kind = Dialog
		d.add(best)
	}
}

// surelyDialog is the minimum score of a dialog. A card in the middle of a page covers nothing and
// scores less.
const surelyDialog = 0.85

// dialogness scores a face as a dialog: about 0 to 1.3, or 2 for a known dialog.
func (d *describer) dialogness(f Region) (score float64) {
	size, b := d.out.Size, f.Box
	if part := geo.Area(b) * 100 / max(1, geo.Area(image.Rectangle{Max: size})); part < 3 || part > 70 || b.Dx() > size.X*9/10 || b.Dy() > size.Y*95/100 ||
		b.Dy() < d.px(80) || b.Min.X <= d.px(8) || b.Max.X >= size.X-d.px(8) || b.Min.Y <= d.px(4) {
		return 0
	}
	for i := range d.screen.Elements {
		if e := &d.screen.Elements[i]; e.Role == elements.Dialog && geo.Overlap(e.Box, b) >= 0.7 {
			return 2
		}
	}
	m := geo.Center(b)
	if geo.Abs(m.X-size.X/2) <= size.X/25 {
		score += 0.35
	}
	if geo.Abs(m.Y-size.Y/2) <= size.Y/5 {
		score += 0.1
	}
	if d.covers(b) {
		score += 0.35
	}
	if behind := d.behind(b); behind != nil && f.Color != nil && brightness(*f.Color)-brightness(*behind) > 0.25 {
		score += 0.25
	}
	for i := range d.out.Controls {
		if c := &d.out.Controls[i]; c.Point.In(b) && c.Role == elements.Button && c.Point.Y >= b.Max.Y-max(b.Dy()/3, d.px(70)) {
			return score + 0.25
		}
	}
	return score
}

// covers reports whether at least two elements continue behind a box.
func (d *describer) covers(b image.Rectangle) bool {
	n := 0
	for i := range d.screen.Elements {
		e := &d.screen.Elements[i]
		cut := b.Intersect(e.Box)
		if b.In(e.Box) || e.Box.In(geo.Pad(b, d.px(4), d.px(4))) || cut.Empty() || e.Fill == nil && e.Role != elements.MenuItem {
			continue
		}
		if cut.Dx() >= d.px(10) && cut.Dy() >= d.px(10) {
			n++
		}
	}
	return n >= 2
}

// behind returns the color of the smallest face that contains a box, or nil.
func (d *describer) behind(b image.Rectangle) (c *elements.Color) {
	for _, f := range d.faces {
		if b.In(f.Box) && geo.Area(f.Box) > geo.Area(b)*11/10 {
			c = f.Color
		}
	}
	return c
}

// stacked returns the faces. It joins each with the faces of the same width within reach pixels
// above and below, for example the header and footer of a dialog.
func (d *describer) stacked(reach int) (list []Region) {
	for _, f := range d.faces {
		for again := true; again; {
			again = false
			for _, o := range d.faces {
				gap := max(o.Box.Min.Y-f.Box.Max.Y, f.Box.Min.Y-o.Box.Max.Y)
				if geo.Abs(o.Box.Min.X-f.Box.Min.X) <= d.px(3) && geo.Abs(o.Box.Max.X-f.Box.Max.X) <= d.px(3) && gap >= -d.px(3) && gap <= reach && !o.Box.In(f.Box) {
					f.Box, again = f.Box.Union(o.Box), true
				}
			}
		}
		list = append(list, f)
	}
	return list
}
