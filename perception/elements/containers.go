package elements

import "github.com/windieos/windie/perception/geo"

// judgePanel distinguishes toolbars, sidebars and dialogs among the panels.
func (f *finder) judgePanel(i int) {
	e := &f.list[i]
	if e.Role != Panel {
		return
	}
	buttons, items := f.count(i, 0)
	w, h := f.img.Rect.Dx(), f.img.Rect.Dy()
	switch {
	case e.Box.Dy() <= f.px(76) && e.Box.Dx() >= f.px(240) && buttons+items >= 3:
		e.Role = Toolbar
	case 3*e.Box.Dx() <= w && 2*e.Box.Dy() >= h && items >= 3 && (e.Box.Min.X <= f.px(80) || e.Box.Max.X >= w-f.px(4)):
		e.Role = Sidebar
	case buttons >= 1 && f.isAbove(i):
		e.Role = Dialog
	}
}

const (
	maxDepth = 3 // maximum depth in which count searches a panel
	// minimum difference between a dialog and the darkened screen around it, in OKLab's lightness,
	// 0 to 1
	dimmed = 0.12
)

// count returns the number of buttons and fields, and the number of menu items and tabs, in an
// element.
func (f *finder) count(i, depth int) (buttons, items int) {
	for _, c := range f.children[i] {
		switch f.list[c].Role {
		case Button, IconButton, Field, SearchBox, Dropdown, Checkbox, Radio, Toggle, Slider:
			buttons++
		case MenuItem, Tab:
			items++
			fallthrough
		case Panel, Row:
			if depth < maxDepth {
				b, n := f.count(c, depth+1)
				buttons, items = buttons+b, items+n
			}
		}
	}
	return buttons, items
}

// isAbove reports whether the screen on both sides of a panel is darker, as around a dialog.
func (f *finder) isAbove(i int) bool {
	e := &f.list[i]
	w, h := f.img.Rect.Dx(), f.img.Rect.Dy()
	b := e.Box
	if b.Dx() < f.px(200) || b.Dy() < f.px(90) || 10*b.Dx() > 9*w || 20*b.Dy() > 19*h || 6*geo.Abs(geo.Center(b).X-w/2) > w {
		return false
	}
	for _, o := range f.faces {
		if o != b && geo.Abs(o.Dx()-b.Dx()) <= f.px(4) && o.Min.Y < b.Max.Y && b.Min.Y < o.Max.Y && !o.Overlaps(b.Inset(2)) {
			return false // one of several panels side by side
		}
	}
	for _, x := range []int{b.Min.X - f.px(8), b.Max.X + f.px(8)} {
		if x < 0 || x >= w || e.Fill.lch().l-f.at(x, geo.Center(b).Y).lch().l < dimmed {
			return false
		}
	}
	return true
}
