package textline

import (
	"context"
	"encoding/binary"
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// Where compression or scaling made edges broad, those of a pill or a badge touch the letters in it, and all
// of it is one component. Its letters are what differs from the colour that fills it, and does not reach
// beyond it.
const (
	fillLeast   = 12 // pixels a side of what may be filled
	fillWidest  = 400
	fillShare   = 40   // percent of it, at least, that has the colour of its ground
	fillNear    = 24   // how far a pixel may differ from that colour
	fillLook    = 2000 // pixels of it that are looked at, about
	fillUneven  = 55   // the same where another colour is the most common
	fillColours = 25   // how many parts of it, at most, could each have a colour that may be its ground
	fillInk     = 60   // how far letters differ from it at least, where they do most
	fillEdge    = 2    // pixels from its sides where their middles have that colour
	fillHighest = 70   // percent of the height that letters take at most
	fillNarrow  = 40   // percent of the width that a counter of a letter takes at least
)

// filled looks for letters in components that are filled with one colour.
type filled struct {
	ctx    context.Context
	screen *image.NRGBA
	of     *components
	lookup func(label int32) []int32 // the runs of a component of it
	shape  outline
}

// letters returns the glyphs in a pill, or none if k is a glyph itself.
func (f *filled) letters(k *component) []component {
	if min(k.width(), k.height()) < fillLeast || k.width() > fillWidest || k.height() > maxGlyphHeight {
		return nil
	}
	if f.shape.trace(k, f.of.runs, f.runsOf(k)); !f.shape.convex() {
		return nil
	}
	box := k.box()
	ground, ok := f.ground(box)
	if !ok {
		return nil
	}
	ink := 0
	core := box.Inset(min(box.Dx(), box.Dy()) / 4)
	for y := core.Min.Y; y < core.Max.Y; y++ {
		for x := core.Min.X; x < core.Max.X; x++ {
			ink = max(ink, f.at(x, y).apart(ground))
		}
	}
	if ink < fillInk {
		return nil
	}
	return f.inside(box, ground, ink/2)
}

// runsOf returns the indices of a component's runs, by rows.
func (f *filled) runsOf(k *component) []int32 {
	if f.lookup == nil {
		f.lookup = f.of.byLabel()
	}
	return f.lookup(k.label)
}

func (f *filled) at(x, y int) pixel {
	v := binary.LittleEndian.Uint32(f.screen.Pix[y*f.screen.Stride+4*x:])
	return pixel{uint8(v), uint8(v >> 8), uint8(v >> 16)}
}

// ground returns the colour that most of a box has, if it is the ground of what is in it: enough, and beside the middles
// of its sides. Of large boxes it looks at some thousand pixels.
func (f *filled) ground(box image.Rectangle) (pixel, bool) {
	step := 1
	for step*step*fillLook < box.Dx()*box.Dy() {
		step++
	}
	count, all := map[pixel]int{}, 0
	for y := box.Min.Y; y < box.Max.Y; y += step {
		for x := box.Min.X; x < box.Max.X; x += step {
			p := f.at(x, y)
			count[pixel{p[0] &^ 7, p[1] &^ 7, p[2] &^ 7}]++
			all++
		}
	}
	ground, near := mostCommon(count)
	if near*100 >= fillShare*all && f.isAround(box, ground) {
		return ground, true
	}
	ground, near = mostNear(count, all)
	return ground, near*100 >= fillUneven*all && f.isAround(box, ground)
}

// isAround reports whether a ground is beside the middles of a box's sides.
func (f *filled) isAround(box image.Rectangle, ground pixel) bool {
	in, m := box.Inset(fillEdge), geo.Center(box)
	for _, side := range [...]image.Point{{m.X, in.Min.Y}, {m.X, in.Max.Y - 1}, {in.Min.X, m.Y}, {in.Max.X - 1, m.Y}} {
		if f.at(side.X, side.Y).apart(ground) > 2*fillNear {
			return false
		}
	}
	return true
}

// nearTo returns how many pixels have a colour near to one. count is by colours without their last three bits.
func nearTo(count map[pixel]int, key pixel) (n int) {
	for other, k := range count {
		if key.apart(other) <= fillNear {
			n += k
		}
	}
	return n
}

// mostCommon returns the colour that most pixels have, and how many are near to it.
func mostCommon(count map[pixel]int) (pixel, int) {
	var most pixel
	for key, n := range count {
		if n > count[most] || n == count[most] && slices.Compare(key[:], most[:]) > 0 {
			most = key
		}
	}
	return pixel{most[0] + 4, most[1] + 4, most[2] + 4}, nearTo(count, most)
}

// mostNear returns the colour that most pixels are near to, of those that enough have, and how many are: compression makes
// the ground of a badge uneven, and that around it even.
func mostNear(count map[pixel]int, all int) (best pixel, most int) {
	for key, n := range count {
		if n*fillColours < all {
			continue
		}
		near, ground := nearTo(count, key), pixel{key[0] + 4, key[1] + 4, key[2] + 4}
		if near > most || near == most && slices.Compare(ground[:], best[:]) > 0 {
			best, most = ground, near
		}
	}
	return best, most
}

// inside returns the components of pixels in box that differ from ground by more than limit and do not
// touch its sides, or none if they may be the counters of a letter.
func (f *filled) inside(box image.Rectangle, ground pixel, limit int) []component {
	var runs []run
	for y := box.Min.Y; y < box.Max.Y; y++ {
		from := -1
		for x := box.Min.X; x <= box.Max.X; x++ {
			is := x < box.Max.X && f.at(x, y).apart(ground) > limit
			if is && from < 0 {
				from = x
			}
			if !is && from >= 0 {
				runs = append(runs, run{y: int32(y) - 1, x0: int32(from) - 1, x1: int32(x)})
				from = -1
			}
		}
	}
	all := connect(f.ctx, runs)
	lookup := all.byLabel()
	var list, large []component
	for _, k := range all.list {
		k.y1++ // the last row is of it too
		if k.x0 <= box.Min.X || k.y0 <= box.Min.Y || k.x1 >= box.Max.X || k.y1 >= box.Max.Y {
			continue // it is what is around the pill
		}
		if 100*k.height() > fillHighest*box.Dy() {
			return nil
		}
		if 4*k.height() >= box.Dy() && k.height() >= minGlyphHeight {
			large = append(large, k)
		}
		list = append(list, k)
	}
	letters := len(large) > 2
	switch len(large) {
	case 1: // the counter of a D is convex
		k := large[0]
		f.shape.trace(&component{x0: k.x0, y0: k.y0, x1: k.x1, y1: k.y1 - 1}, runs, lookup(k.label))
		letters = !f.shape.convex() || 10*box.Dx() > 12*box.Dy() && 100*large[0].width() < fillNarrow*box.Dx()
	case 2: // the counters of a B are above each other, and alone
		letters = len(list) > 2 || min(large[0].y1, large[1].y1) > max(large[0].y0, large[1].y0)
	}
	if !letters {
		return nil
	}
	for i := range list {
		list[i].label = -1 // it is of no other component's runs
	}
	return list
}
