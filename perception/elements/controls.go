package elements

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// addControls adds the controls that shape alone identifies: checkboxes, radio buttons, switches,
// sliders, progress bars, and dots of color.
func (f *finder) addControls(all []region, ink []blob) {
	found := len(f.list)
	f.addTitleButtons(ink)
	for _, r := range all {
		f.addControl(r.box)
	}
	for _, b := range slices.Clone(f.symbols) {
		f.addControl(b)
	}
	for _, b := range ink {
		f.addSlider(b.box)
	}
	f.addProgress(all)
	f.keepGroups(found)
}

// addControl adds the control that a box is, or is part of, if any.
func (f *finder) addControl(seed image.Rectangle) {
	w, h := seed.Dx(), seed.Dy()
	if h < f.px(6) || h > f.px(36) || w < f.px(6) || w > f.px(72) || f.inControl(seed) {
		return
	}
	on := f.faceOf(seed)
	if on < 0 {
		return
	}
	s, ok := f.shapeAt(seed, *f.list[on].Fill)
	if !ok || f.inControl(s.box) || f.written(s.box) {
		return
	}
	var e Element
	switch w, h := s.box.Dx(), s.box.Dy(); {
	case h < f.px(10) || h > f.px(36) || w*10 < h*8:
		return
	case 10*w >= 14*h && 10*w <= 26*h:
		e, ok = s.toggle()
	case geo.Abs(w-h) > f.px(2):
		return
	case s.roundEnds():
		e, ok = s.disc()
	default:
		e, ok = s.checkbox()
	}
	if ok {
		e.Box = s.box
		f.keepControl(e)
	}
}

// keepControl adds a control. e must have a role and a box.
func (f *finder) keepControl(e Element) {
	e.kind = control
	f.list, f.controls = append(f.list, e), append(f.controls, e.Box)
}

// countIn counts the pixels of a box whose color is accepts.
func (f *finder) countIn(box image.Rectangle, is func(Color) bool) (n int) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if is(f.at(x, y)) {
				n++
			}
		}
	}
	return n
}

// inControl reports whether a box is part of a known control. After ctx ends it returns true.
func (f *finder) inControl(b image.Rectangle) bool {
	return f.ended() || slices.ContainsFunc(f.controls, func(c image.Rectangle) bool {
		return geo.Center(b).In(c) && geo.Area(b) <= 2*geo.Area(c)
	})
}

// written reports whether a text is in a box. After ctx ends it returns true.
func (f *finder) written(b image.Rectangle) bool {
	return f.ended() || slices.ContainsFunc(f.rows, func(r image.Rectangle) bool { return r.In(b) || geo.Center(b).In(r) })
}

// toggle recognizes a switch: a pill with a smaller disc at one end.
func (s *shape) toggle() (Element, bool) {
	b, h, y := s.box, s.box.Dy(), geo.Center(s.box).Y
	left, right := b.Min.X+h/2, b.Max.X-1-h/2
	knob, track := s.f.at(right, y), s.f.at(left, y)
	if !s.roundEnds() || Apart(knob, track) <= distinct/2 {
		return Element{}, false
	}
	e := Element{Role: Toggle, States: []State{Checked}}
	x, other := right, left
	if s.length(left, y, 0, 1, knob) < s.length(right, y, 0, 1, track) {
		x, other, knob, track = left, right, track, knob
		e.States[0] = Unchecked
	}
	e.Fill, e.Ink = &track, &knob
	if pale(track, s.ground) {
		e.States = append(e.States, Disabled)
	}
	wide, high := s.length(x, y, 1, 0, track), s.length(x, y, 0, 1, track)
	return e, s.flat(track, knob) && 100*high >= 42*h && 100*high <= 95*h && 4*geo.Abs(wide-high) <= h && s.length(other, y, 0, 1, knob) > high
}

// flat reports whether at least 80 percent of a shape has one of two colors or its ground's.
func (s *shape) flat(a, b Color) bool {
	return 5*s.f.countIn(s.box, func(c Color) bool { return min(Apart(c, a), Apart(c, b), Apart(c, s.ground)) <= distinct }) >= 4*geo.Area(s.box)
}

// length returns how many pixels the color at a point extends both ways along dx, dy. It ends where
// a color is more like other, or like the ground.
func (s *shape) length(x, y, dx, dy int, other Color) int {
	c, n := s.f.at(x, y), -1
	for _, way := range []int{1, -1} {
		for p := image.Pt(x, y); p.In(s.box); p = p.Add(image.Pt(way*dx, way*dy)) {
			if k := s.f.at(p.X, p.Y); Apart(k, c) > Apart(k, other) || Apart(k, c) > Apart(k, s.ground) && Apart(s.ground, c) > distinct {
				break
			}
			n++
		}
	}
	return n
}

// pale reports whether a color hardly differs from its ground.
func pale(c, ground Color) bool {
	return geo.Abs(int(1000*(c.lch().l-ground.lch().l))) < 90 && c.lch().c < grey
}

// The size of a radio button's dot, as a share of the button's radius.
const (
	leastDot = 0.2
	mostDot  = 0.7
)

// disc recognizes a round control. A radio button has a rim, and a dot or nothing inside. A disc of
// one color without a rim is a button that selects the color.
func (s *shape) disc() (Element, bool) {
	core, even := s.ring(0.12)
	if !even || s.box.Dy() < s.f.px(10) {
		return Element{}, false
	}
	inner, dot := core, 0.0
	for part := 0.2; part < 0.85; part += 0.1 {
		c, even := s.ring(part)
		switch {
		case !even && dot == 0 && part > leastDot: // the edge of the dot
			continue
		case !even && part < 0.75:
			return Element{}, false
		case even && dot == 0 && Apart(c, core) > 2*distinct:
			inner, dot = c, part-0.1
		case even && part < 0.75 && Apart(c, inner) > 2*distinct:
			return Element{}, false
		}
	}
	e := Element{Fill: &inner}
	small := s.box.Dy() <= s.f.px(24)
	switch rim := s.hasRim(inner); {
	case dot >= leastDot && dot < mostDot && small && (rim || Apart(inner, s.ground) > 2*distinct):
		e.Role, e.States, e.Ink = Radio, []State{Checked}, &core
		return e, true
	case dot == 0 && rim && small:
		e.Role, e.States = Radio, []State{Unchecked}
		return e, true
	case dot >= mostDot:
		e.Role, e.States, e.Fill = Button, []State{Selected}, &core
		return e, rim || Apart(inner, s.ground) <= distinct
	case dot == 0 && s.box.Dy() >= s.f.px(14):
		edge, even := s.ring(0.9)
		e.Role = Button
		return e, even && Apart(inner, s.ground) > 2*distinct && Apart(inner, edge) <= distinct
	}
	return e, false
}

// checkbox recognizes a square with a line around it, and a check mark or nothing inside.
func (s *shape) checkbox() (Element, bool) {
	line, ok := s.frame()
	if !ok || s.box.Dx() > s.f.px(28) {
		return Element{}, false
	}
	fill, other := s.inside()
	e := Element{Role: Checkbox, Fill: &fill, Border: &line, States: []State{Unchecked}}
	if other <= 0.02 {
		return e, Apart(line, fill) > distinct
	}
	e.States = []State{Checked}
	if other > 0.6 {
		return e, false
	}
	for _, c := range icons.Match(s.f.cut(s.box.Inset(max(2, s.box.Dx()/8)))) {
		if c.Name == "check" || c.Name == "minus" {
			return e, true
		}
	}
	return e, s.f.isTick(s.box.Inset(max(2, s.box.Dx()/8)))
}

// addSlider adds a thin bar with a thumb on it.
func (f *finder) addSlider(b image.Rectangle) {
	if b.Dy() < f.px(8) || b.Dy() > f.px(28) || b.Dx() < 4*b.Dy() || b.Dx() < f.px(60) {
		return
	}
	on := f.faceOf(b)
	if on < 0 || f.written(b) {
		return
	}
	ground, heights := *f.list[on].Fill, make([]int, b.Dx())
	for x := range heights {
		column := image.Rect(b.Min.X+x, b.Min.Y, b.Min.X+x+1, b.Max.Y)
		heights[x] = f.countIn(column, func(c Color) bool { return Apart(c, ground) > distinct/2 })
	}
	sorted := slices.Sorted(slices.Values(heights))
	track := sorted[len(sorted)/2]
	isThumb := func(n int) bool { return 10*n >= 8*b.Dy() }
	first, last := slices.IndexFunc(heights, isThumb), len(heights)-1
	for last > first && !isThumb(heights[last]) {
		last--
	}
	if track == 0 || 100*track > 65*b.Dy() || sorted[len(sorted)/20] == 0 || first < 0 || last-first > 2*b.Dy() {
		return
	}
	ink := f.at(b.Min.X+(first+last)/2, geo.Center(b).Y)
	f.keepControl(Element{Role: Slider, Box: b, Ink: &ink})
}

// maxThin is the maximum number of thin areas that addProgress compares. More are a pattern and not
// bars.
const maxThin = 1000

// addProgress adds progress bars: two colors side by side, of which the first is stronger.
func (f *finder) addProgress(all []region) {
	var thin []region
	for _, r := range all {
		if h := r.box.Dy(); h >= f.px(3) && h <= f.px(22) && r.box.Dx() >= f.px(6) && r.span*10 >= geo.Area(r.box)*8 {
			thin = append(thin, r)
		}
	}
	if len(thin) > maxThin {
		return
	}
	for _, a := range thin {
		for _, b := range thin {
			gap := b.box.Min.X - a.box.Max.X
			whole := a.box.Union(b.box)
			if gap < -f.px(6) || gap > f.px(4) || geo.Abs(a.box.Dy()-b.box.Dy()) > f.px(2) || geo.Abs(a.box.Min.Y-b.box.Min.Y) > f.px(2) ||
				whole.Dx() < f.px(50) || whole.Dx() < 4*whole.Dy() || b.box.Max.X <= a.box.Max.X {
				continue
			}
			done, rest := *colorOf(a.color), *colorOf(b.color)
			if f.isDone(done, rest, whole) && !f.inControl(whole) {
				f.keepControl(Element{Role: Progress, Box: whole, Fill: &done})
			}
		}
	}
}

// isDone reports whether the first color of a bar is the completed part. It is more colorful than
// the rest. In a thin bar it may also contrast far more with the ground.
func (f *finder) isDone(done, rest Color, whole image.Rectangle) bool {
	if v := done.lch(); v.c >= 2*grey && v.c >= rest.lch().c+grey {
		return true
	}
	on := f.faceOf(whole)
	if on < 0 || whole.Dy() > f.px(8) || f.list[on].Fill == nil {
		return false
	}
	ground := *f.list[on].Fill
	return contrast(done, ground) >= 2*contrast(rest, ground)+0.2 && Apart(rest, ground) > distinct
}

// keepGroups removes the elements from index first on that only look like controls, and the faces
// and symbols that are parts of the remaining controls.
func (f *finder) keepGroups(first int) {
	kept := f.list[:first:first]
	f.controls = nil
	for i := first; i < len(f.list); i++ {
		if f.isInGroup(first, i) {
			kept = append(kept, f.list[i])
			f.controls = append(f.controls, f.list[i].Box)
		}
	}
	f.faces = slices.DeleteFunc(f.faces, f.inControl)
	f.placeFaces()
	f.symbols = slices.DeleteFunc(f.symbols, f.inControl)
	f.list = slices.DeleteFunc(kept, func(e Element) bool { return e.kind != control && f.inControl(e.Box) })
}

// isInGroup reports whether neighbours confirm a control. An empty square needs a text after it or
// another square. An empty circle needs a text of another color, or a checked circle. A dot of
// color needs two others.
func (f *finder) isInGroup(first, i int) bool {
	e := &f.list[i]
	switch {
	case f.ended():
		return false
	case e.Role == Button:
		return f.peers(first, i, nil) >= 2
	case e.Role == Toggle || !slices.Contains(e.States, Unchecked):
		return true
	case e.Role == Checkbox:
		_, labelled := f.textBehind(geo.Pad(e.Box, 0, f.px(10)))
		return labelled || f.peers(first, i, nil) > 0
	}
	label, ok := f.textBehind(e.Box)
	line := f.inkOf(e.Box)
	return ok && (line.lch().c < 2*grey && Apart(f.inkOf(label), line) > 2*distinct || f.peers(first, i, []State{Checked}) > 0)
}

// textBehind returns the box of the text just right of a box.
func (f *finder) textBehind(b image.Rectangle) (image.Rectangle, bool) {
	for _, t := range f.rows {
		if gap := t.Min.X - b.Max.X; gap >= 0 && gap <= f.px(30) && geo.Center(t).Y >= b.Min.Y-f.px(2) && geo.Center(t).Y <= b.Max.Y+f.px(2) {
			return t, true
		}
	}
	return b, false
}

// peers counts the controls of the same role and size in the row or column of a control. If states
// is not nil, they must have these states.
func (f *finder) peers(first, i int, states []State) (n int) {
	e := &f.list[i]
	for j := first; j < len(f.list); j++ {
		o := &f.list[j]
		if j != i && o.Role == e.Role && geo.Abs(o.Box.Dx()-e.Box.Dx()) <= f.px(8) && (states == nil || slices.Equal(o.States, states)) &&
			(geo.Abs(geo.Center(o.Box).X-geo.Center(e.Box).X) <= f.px(3) || geo.Abs(geo.Center(o.Box).Y-geo.Center(e.Box).Y) <= f.px(3)) {
			n++
		}
	}
	return n
}
