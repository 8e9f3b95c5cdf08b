package textline

import (
	"encoding/binary"
	"image"
)

// Patch is a line cut out of its screen: how much each pixel differs from the ground. Lines with
// equal patches read alike.
//
// Its measures are in pixels from its top left, at Origin on the screen, a pixel outside of the
// line's box.
type Patch struct {
	Origin        image.Point
	Width, Height int
	Ink           []uint8 // by rows: 0 ground, 255 a stroke at full strength
}

// Patch cuts the line out of screen, which must be the one it was found on.
func (l *Line) Patch(screen *image.NRGBA) *Patch {
	area := l.Box.Inset(-1)
	p := &Patch{Origin: area.Min, Width: area.Dx(), Height: area.Dy()}
	p.Ink = make([]uint8, p.Width*p.Height)
	visible := area.Intersect(screen.Rect)
	grounds := l.grounds(visible)
	var counts [256]int
	for y := visible.Min.Y; y < visible.Max.Y; y++ {
		from := screen.Pix[y*screen.Stride+4*visible.Min.X:]
		to := p.Ink[(y-area.Min.Y)*p.Width+visible.Min.X-area.Min.X:]
		for x, ground := range grounds {
			v := binary.LittleEndian.Uint32(from[4*x:])
			d := ground.apart(pixel{uint8(v), uint8(v >> 8), uint8(v >> 16)})
			counts[d]++
			to[x] = uint8(d)
		}
	}
	full := fullInk(&counts)
	var scale [256]uint8
	for d := range scale {
		scale[d] = uint8(min(255, d*255/full))
	}
	for i, d := range p.Ink {
		p.Ink[i] = scale[d]
	}
	return p
}

// grounds returns the ground of each column: that around the nearest glyph to the left.
func (l *Line) grounds(visible image.Rectangle) []pixel {
	list := make([]pixel, visible.Dx())
	glyph := 0
	for x := range list {
		for glyph+1 < len(l.Glyphs) && l.Glyphs[glyph+1].Min.X <= visible.Min.X+x {
			glyph++
		}
		list[x] = l.grounding[glyph]
	}
	return list
}

// fullInk returns the difference of a full stroke: a twentieth differs by more.
func fullInk(counts *[256]int) int {
	total := 0
	for d := threshold; d < 256; d++ {
		total += counts[d]
	}
	left := total / 20
	for d := 255; d > threshold; d-- {
		if left -= counts[d]; left < 0 {
			return d
		}
	}
	return threshold
}

// Segments returns the boxes of the ink between blank columns, from left to right.
func (p *Patch) Segments() []image.Rectangle {
	const faint = 64 // less ink is the blur around a letter
	var list []image.Rectangle
	open := false
	for x := range p.Width {
		top, bottom := -1, -1
		for y := range p.Height {
			if p.Ink[y*p.Width+x] >= faint {
				if top < 0 {
					top = y
				}
				bottom = y + 1
			}
		}
		if top < 0 {
			open = false
			continue
		}
		column := image.Rect(x, top, x+1, bottom)
		if open {
			list[len(list)-1] = list[len(list)-1].Union(column)
		} else {
			list = append(list, column)
		}
		open = true
	}
	return list
}
