package elements

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// dockPitch is the maximum distance between the middles of a dock's buttons, in usual pixels.
const dockPitch = 30

// addDockButtons adds the buttons of docks, and of dialogs whose title has the color of the window
// and so no bar. Such buttons are a cross and an icon of equal size before it, on the line of a
// text that ends before both.
func (f *finder) addDockButtons() {
	for _, cross := range slices.Clone(f.symbols) {
		if f.ended() {
			return
		}
		before, ok := f.twinBefore(cross)
		if !ok || !f.isTitled(before) || !f.holdsCross(cross) || f.inControl(cross) || f.inControl(before) {
			continue
		}
		f.keepTitleButton(cross, titleNames[0])
		name := titleNames[1]
		if known := icons.Match(f.cut(before)); len(known) > 0 && known[0].Score >= icons.Sure {
			name = known[0].Name
		}
		f.keepTitleButton(before, name)
	}
}

// twinBefore returns the icon of equal size just left of an icon.
func (f *finder) twinBefore(b image.Rectangle) (twin image.Rectangle, ok bool) {
	if max(b.Dx(), b.Dy()) > f.px(titleIcon) || min(b.Dx(), b.Dy()) < leastCross {
		return b, false
	}
	m := geo.Center(b)
	for _, o := range f.symbols {
		step := m.X - geo.Center(o).X
		if step >= b.Dx() && step <= f.px(dockPitch) && geo.Abs(m.Y-geo.Center(o).Y) <= f.px(2) && geo.Abs(o.Dx()-b.Dx()) <= f.px(2) && geo.Abs(o.Dy()-b.Dy()) <= f.px(2) {
			return o, true
		}
	}
	return b, false
}

// isTitled reports whether a text is left of a box on its line.
func (f *finder) isTitled(b image.Rectangle) bool {
	return slices.ContainsFunc(f.rows, func(r image.Rectangle) bool {
		return r.Max.X < b.Min.X && geo.Center(b).Y > r.Min.Y && geo.Center(b).Y < r.Max.Y
	})
}
