package elements

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// Limits of the buttons of a window's title bar, in usual pixels.
const (
	titleBarHigh = 64 // maximum height of the bar
	titleEnd     = 72 // maximum distance from the bar's end to the middle of the last button
	titlePitch   = 64 // maximum distance from one button to the next
	titleIcon    = 26 // maximum width and height of an icon
)

// titleNames are the icons of the last buttons of a title bar, from its end.
var titleNames = []string{"close", "maximize", "minus"}

// nameTitleBars names the buttons at the right end of title bars. Their squares and lines alone say
// little, so it looks for two or three at equal distances, of which the last is a cross.
func (f *finder) nameTitleBars() {
	var symbols []int
	for i := range f.list {
		if e := &f.list[i]; e.kind == symbol && max(e.Box.Dx(), e.Box.Dy()) <= f.px(titleIcon) {
			symbols = append(symbols, i)
		}
	}
	for _, i := range symbols {
		e := &f.list[i]
		bar, ok := f.barAround(e.Box)
		if f.ended() || !ok || bar.Max.X-geo.Center(e.Box).X > f.px(titleEnd) || !e.Shows(0.1, "close") && !f.isCross(e.Box) {
			continue
		}
		buttons := f.beforeClose(symbols, i, bar)
		if len(buttons) < 2 {
			continue
		}
		for n, b := range buttons {
			// close and minimize
			if len(buttons) == 2 && n == 1 && !f.list[b].Shows(0.3, "maximize", "expand", "checkbox") {
				n = 2
			}
			f.nameTitleButton(b, titleNames[n])
		}
	}
}

// barAround returns the bar around a box: a low, wide face, or else the top of the screen.
func (f *finder) barAround(b image.Rectangle) (bar image.Rectangle, ok bool) {
	if i := f.faceOf(b); i >= 0 {
		for ; i >= 0; i-- {
			if face := f.faces[i]; b.In(face) && face.Dy() <= f.px(titleBarHigh) && face.Dx() >= f.px(240) {
				return face, true
			}
		}
	}
	top := f.img.Rect
	top.Max.Y = f.px(titleBarHigh)
	return top, b.In(top)
}

// beforeClose returns a cross and up to two symbols before it at equal distances.
func (f *finder) beforeClose(symbols []int, cross int, bar image.Rectangle) []int {
	list := []int{cross}
	at, pitch := geo.Center(f.list[cross].Box), 0
	for len(list) < len(titleNames) {
		next, far := -1, f.px(titlePitch)+1
		for _, j := range symbols {
			m := geo.Center(f.list[j].Box)
			d := at.X - m.X
			if d >= f.px(12) && d < far && geo.Abs(m.Y-at.Y) <= f.px(8) && m.In(bar) && (pitch == 0 || geo.Abs(d-pitch) <= f.px(5)) {
				next, far = j, d
			}
		}
		if next < 0 {
			break
		}
		list, at, pitch = append(list, next), geo.Center(f.list[next].Box), far
	}
	return list
}

// nameTitleButton sets the icon of a symbol and of the button around it. Without a button, the
// symbol becomes one.
func (f *finder) nameTitleButton(i int, name string) {
	named := []icons.Candidate{{Name: name, Score: 0.9}}
	f.list[i].Icons = named
	for p := f.list[i].Parent; p >= 0; p = f.list[p].Parent {
		if f.list[p].Role == IconButton {
			f.list[p].Icons = slices.Clone(named)
			return
		}
		if f.list[p].Box.Dx() > f.px(titlePitch) {
			break
		}
	}
	f.list[i].Role = IconButton
}

// isCross reports whether ink is two crossing diagonals: it is in the corners and the middle of the
// box, and not at the middles of its sides.
func (f *finder) isCross(b image.Rectangle) bool {
	if geo.Abs(b.Dx()-b.Dy()) > f.px(3) || b.Dx() < f.px(6) {
		return false
	}
	mask := f.cut(b)
	w, h := mask.Rect.Dx(), mask.Rect.Dy()
	inked := func(x, y float64) bool {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if p := image.Pt(int(x*float64(w))+dx, int(y*float64(h))+dy); p.In(mask.Rect) && mask.AlphaAt(p.X, p.Y).A > 110 {
					return true
				}
			}
		}
		return false
	}
	for _, p := range [][2]float64{{0.2, 0.2}, {0.8, 0.2}, {0.5, 0.5}, {0.2, 0.8}, {0.8, 0.8}} {
		if !inked(p[0], p[1]) {
			return false
		}
	}
	return !inked(0.5, 0.12) && !inked(0.12, 0.5) && !inked(0.88, 0.5) && !inked(0.5, 0.88)
}

// isTick reports whether the ink in a box is a dash or a check mark: down from the left, and then
// further up to the right.
func (f *finder) isTick(b image.Rectangle) bool {
	mask := f.cut(b)
	var ink image.Rectangle
	low := image.Pt(0, -1)
	w, h := mask.Rect.Dx(), mask.Rect.Dy()
	for y := range h {
		for x := range w {
			corner := min(x, w-1-x)+min(y, h-1-y) <= w/6 // corners that a round frame leaves free
			if mask.AlphaAt(x, y).A > 110 && !corner {
				ink = ink.Union(image.Rect(x, y, x+1, y+1))
				if y > low.Y {
					low = image.Pt(x, y)
				}
			}
		}
	}
	if ink.Dx() < 4 {
		return false
	}
	if 3*ink.Dy() <= ink.Dx() {
		return true
	}
	first, last := f.topAt(mask, ink.Min.X, ink), f.topAt(mask, ink.Max.X-1, ink)
	turn := float64(low.X-ink.Min.X) / float64(ink.Dx())
	return turn > 0.12 && turn < 0.6 && last < first && 2*ink.Dx() > ink.Dy() && first-ink.Min.Y >= ink.Dy()/4 && last-ink.Min.Y <= ink.Dy()/3
}

// topAt returns the y at which the ink of a column begins, or the bottom of ink if there is none.
func (f *finder) topAt(mask *image.Alpha, x int, ink image.Rectangle) int {
	for y := ink.Min.Y; y < ink.Max.Y; y++ {
		if mask.AlphaAt(x, y).A > 110 {
			return y
		}
	}
	return ink.Max.Y
}
