package elements

import (
	"image"

	"github.com/windieos/windie/perception/geo"
)

// bandness scores a face as the selected item of a list. Such a face has a different color than the
// faces that touch it above and below.
func (f *finder) bandness(i int, c content) float64 {
	e := &f.list[i]
	if len(c.texts) == 0 || !f.within(e.Box.Dy(), 18, 80) || e.Box.Dx() < f.px(100) {
		return 0
	}
	above, below := f.stackedOn(i, -1), f.stackedOn(i, 1)
	return given(above != nil && below != nil && Apart(*above.Fill, *below.Fill) <= distinct/3 && Apart(*above.Fill, *e.Fill) >= distinct/3 &&
		2*max(above.Box.Dy(), below.Box.Dy()) >= 5*e.Box.Dy(), 0.98)
}

// bandRole returns the role of a selected item: Row if the face is wider than 400 usual pixels,
// else MenuItem.
func (f *finder) bandRole(e *Element) Role {
	if e.Box.Dx() > f.px(400) {
		return Row
	}
	return MenuItem
}

// stackedOn returns a face of about the same width that touches a face: above it if side is -1, or
// below it. It returns nil if there is none.
func (f *finder) stackedOn(i, side int) *Element {
	e, near := &f.list[i], f.px(5)
	for j := range f.list {
		o := &f.list[j]
		gap := o.Box.Min.Y - e.Box.Max.Y
		if side < 0 {
			gap = e.Box.Min.Y - o.Box.Max.Y
		}
		if j != i && o.kind == face && o.Fill != nil && geo.Abs(gap) <= near && isAsWide(o.Box, e.Box, near) {
			return o
		}
	}
	return nil
}

// isAsWide reports whether two boxes have the same left side and about the same width.
func isAsWide(a, b image.Rectangle, near int) bool {
	return geo.Abs(a.Min.X-b.Min.X) <= near && 10*geo.Abs(a.Dx()-b.Dx()) <= max(a.Dx(), b.Dx())
}
