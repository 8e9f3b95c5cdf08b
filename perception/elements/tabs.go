package elements

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// addTabs adds rows of texts of which one, the selected tab, has a line below it.
func (f *finder) addTabs() {
	items := f.itemsOn()
	for _, t := range f.texts {
		on := f.faceOf(t)
		if on < 0 || slices.ContainsFunc(f.tabs, func(b image.Rectangle) bool { return geo.Center(t).In(b) }) {
			continue
		}
		if mark, ok := f.markBelow(t, f.faces[on]); ok {
			f.addTabsBeside(t, mark, items[on])
		}
	}
}

// markBelow returns the line that marks a text as the selected tab. It is thicker and further away
// than an underline.
func (f *finder) markBelow(t, on image.Rectangle) (mark image.Rectangle, ok bool) {
	x, y := geo.Center(t).X, t.Max.Y+f.px(3)
	ground := f.at(x, min(y, on.Max.Y-1))
	last := min(t.Max.Y+f.px(24), f.img.Rect.Max.Y-1)
	for y < last && Apart(f.at(x, y), ground) <= 2*distinct {
		y++
	}
	if y >= last {
		return mark, false
	}
	c := f.at(x, y+1)
	if Apart(c, ground) <= 2*distinct {
		return mark, false
	}
	mark = image.Rect(x, y, x+1, y)
	for mark.Min.X > 0 && Apart(f.at(mark.Min.X-1, y+1), c) <= distinct {
		mark.Min.X--
	}
	for mark.Max.X < f.img.Rect.Max.X && Apart(f.at(mark.Max.X, y+1), c) <= distinct {
		mark.Max.X++
	}
	for mark.Max.Y < f.img.Rect.Max.Y && Apart(f.at(x, mark.Max.Y), ground) > distinct && Apart(f.at(x, mark.Max.Y), c) <= 3*distinct {
		mark.Max.Y++
	}
	// the line must be as thin at these two places
	for _, x := range []int{mark.Min.X + mark.Dx()/4, mark.Max.X - mark.Dx()/4} {
		if Apart(f.at(x, min(mark.Max.Y+f.px(1), f.img.Rect.Max.Y-1)), c) <= distinct {
			return mark, false
		}
	}
	near := f.px(4)
	return mark, mark.Dy() >= f.px(2) && mark.Dy() <= f.px(5) && mark.Dx() >= f.px(20) && mark.Min.X <= t.Min.X+near && mark.Max.X >= t.Max.X-near && mark.Dx() <= t.Dx()+f.px(100)
}

const (
	tabGap = 110 // maximum distance between tabs, in usual pixels
	loud   = 0.1 // minimum chroma of a face that should attract attention
)

// addTabsBeside adds the tab of a text and its mark, and the tabs beside it. It adds none if there
// is only one.
func (f *finder) addTabsBeside(t, mark image.Rectangle, items []image.Rectangle) {
	var level []image.Rectangle
	for _, b := range items {
		if geo.Center(b).Y >= t.Min.Y-f.px(3) && geo.Center(b).Y < t.Max.Y+f.px(3) {
			level = append(level, b)
		}
	}
	level = geo.Joined(level, f.px(14))
	at := slices.IndexFunc(level, func(b image.Rectangle) bool { return geo.Center(t).In(b) })
	if at < 0 {
		return
	}
	near := func(i int) bool { return level[i].Min.X-level[i-1].Max.X <= f.px(tabGap) }
	from, to := at, at+1
	for ; from > 0 && near(from); from-- {
	}
	for ; to < len(level) && near(to); to++ {
	}
	side := min(max((mark.Dx()-level[at].Dx())/2, 0), f.px(40))
	for i := from; i < to && to-from > 1; i++ {
		b := level[i]
		e := Element{Role: Tab, Box: image.Rect(b.Min.X-side, min(b.Min.Y, 2*geo.Center(t).Y-mark.Max.Y), b.Max.X+side, mark.Max.Y), kind: tab}
		if i == at {
			e.States = []State{Selected}
		}
		e.Box = e.Box.Intersect(f.img.Rect)
		f.list, f.tabs = append(f.list, e), append(f.tabs, e.Box)
	}
}

// selectAmong makes tabs of the items of a bar of which exactly one, the selected tab, has a face.
func (f *finder) selectAmong(i int) {
	bar := &f.list[i]
	if bar.kind != face || bar.Box.Dy() > f.px(64) {
		return
	}
	var one *Element
	var others []*Element
	for _, c := range f.children[i] {
		e := &f.list[c]
		switch {
		case e.kind == cell && e.Role == MenuItem:
			others = append(others, e)
		case e.kind == face && e.Border == nil && e.Role != Badge && e.Role != IconButton && e.Role != Avatar && len(f.inside(c, phrase)) > 0:
			if one != nil {
				return
			}
			one = e
		}
	}
	if one == nil || len(others) == 0 || 3*one.Box.Dy() < 2*bar.Box.Dy() || one.Fill.lch().c >= loud && bar.Box.Dx() > f.px(600) {
		return
	}
	one.Role, one.States = Tab, append(one.States, Selected)
	for _, e := range others {
		e.Role = Tab
	}
}

// selectByInk marks the selected item in a bar of three or more texts: the only one in another
// color. If it is also larger, it is a name and not selected.
func (f *finder) selectByInk(i int) {
	if f.list[i].Role != Panel {
		return // a link in a row of a table is not selected
	}
	var items, odd []*Element
	for _, c := range f.children[i] {
		if e := &f.list[c]; e.kind == cell && e.Role == MenuItem && e.Ink != nil && (len(items) == 0 || e.Box.Min.Y == items[0].Box.Min.Y) {
			items = append(items, e)
		}
	}
	for _, e := range items {
		others := 0
		for _, o := range items {
			if Apart(*e.Ink, *o.Ink) > otherInk {
				others++
			}
		}
		if others == len(items)-1 {
			odd = append(odd, e)
		}
	}
	if len(items) < 3 || len(odd) != 1 || len(odd[0].States) > 0 || f.textHeight(odd[0]) > f.textHeight(items[0])+f.px(2) || odd[0] == items[0] && f.textHeight(odd[0]) > f.textHeight(items[1])+f.px(2) {
		return
	}
	odd[0].States = append(odd[0].States, Selected)
}

// textHeight returns the height of the highest phrase in an element, 0 if there is none.
func (f *finder) textHeight(e *Element) (h int) {
	for _, t := range f.texts {
		if geo.Center(t).In(e.Box) {
			h = max(h, t.Dy())
		}
	}
	return h
}
