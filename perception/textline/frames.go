package textline

import (
	"image"
	"slices"
)

// Compression may break the frame around letters, such as the frame of a key, so that it becomes a
// glyph of their line.
const (
	frameWidth  = 14 // minimum pixels
	frameHeight = 12
	frameBeside = 3 // minimum pixels from the sides and the bottom of a frame to its letters
)

// unframed removes the frames around letters from a line, and adds them to m.frames.
func (m *mender) unframed(l Line) Line {
	return l.only(func(g int) bool {
		frame := l.Glyphs[g]
		within := image.Rect(frame.Min.X+frameBeside, frame.Min.Y+1, frame.Max.X-frameBeside, frame.Max.Y-frameBeside)
		isInside := func(b image.Rectangle) bool { return b.In(within) && 3*b.Dy() > frame.Dy() }
		if frame.Dx() < frameWidth || frame.Dy() < frameHeight || !slices.ContainsFunc(l.Glyphs, isInside) || !m.isFrame(frame, l.grounding[g]) {
			return true
		}
		m.frames = append(m.frames, frame)
		return false
	})
}

// isFrame reports whether more than half of a box's left side, right side and bottom is ink.
func (m *mender) isFrame(box image.Rectangle, ground pixel) bool {
	isInk := func(x, y int) bool { return m.at(x, y).apart(ground) > threshold/2 }
	left, right, foot := 0, 0, 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		if isInk(box.Min.X, y) || isInk(box.Min.X+1, y) {
			left++
		}
		if isInk(box.Max.X-1, y) || isInk(box.Max.X-2, y) {
			right++
		}
	}
	for x := box.Min.X; x < box.Max.X; x++ {
		if isInk(x, box.Max.Y-1) || isInk(x, box.Max.Y-2) {
			foot++
		}
	}
	return 2*min(left, right) > box.Dy() && 2*foot > box.Dx()
}

// mender mends the lines of a screen.
type mender struct {
	chainer
	lines  []Line
	frames []image.Rectangle         // frames that Find took for letters
	edges  []int                     // the number of lines with a side near each x
	looks  int                       // places of columns looked at so far; see mostLooks
	edge   func(image.Rectangle) int // the position of a box's aligned edge, in half pixels
}

// only returns the line with the glyphs whose index keep accepts.
func (l Line) only(keep func(g int) bool) (out Line) {
	for g, b := range l.Glyphs {
		if keep(g) {
			out.Box, out.Glyphs, out.grounding = out.Box.Union(b), append(out.Glyphs, b), append(out.grounding, l.grounding[g])
		}
	}
	if len(out.Glyphs) == len(l.Glyphs) {
		return l
	}
	return out
}
