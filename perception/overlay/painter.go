package overlay

import (
	"image"
	"image/color"
)

// tintAlpha is the opacity of the tint of a box, 0..255.
const tintAlpha = 26

// painter draws shapes on a screen.
type painter struct {
	out    *image.NRGBA
	taken  *occupancy
	sizes  sizes
	face   *typeface
	frames map[color.NRGBA]patch
	tags   map[color.NRGBA]patch
}

// newPainter returns a painter that draws on screen in place.
func newPainter(screen *image.NRGBA, taken *occupancy, s sizes) *painter {
	return &painter{
		out: screen, taken: taken, sizes: s, face: newTypeface(s.em),
		frames: map[color.NRGBA]patch{}, tags: map[color.NRGBA]patch{},
	}
}

// tint mixes s's color into the pixels of its box that have no tint yet. Without this limit many
// nested boxes would hide their content.
func (p *painter) tint(s shape) {
	if s.bare {
		return
	}
	c := s.color
	c.A = tintAlpha
	box := s.frame.Inset(p.sizes.halo + p.sizes.line)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		dst := p.out.Pix[p.out.PixOffset(box.Min.X, y):]
		for x, used := range p.taken.row(box, y) {
			if used&tinted == 0 {
				over(dst[4*x:4*x+4:4*x+4], c)
			}
		}
		p.taken.addRow(box, y, tinted)
	}
}

// frame draws the line around s's box, and the target on its point.
func (p *painter) frame(s shape) {
	if s.point != nil {
		defer p.target(*s.point, s)
	}
	if s.bare {
		return
	}
	cached(p.frames, s.color, p.sizes, framePatch).paint(p.out, s.frame)
}

// tag draws s's tag, if it has one.
func (p *painter) tag(s shape) {
	if s.tag.Empty() {
		return
	}
	cached(p.tags, s.color, p.sizes, tagPatch).paint(p.out, s.tag)
	p.face.draw(p.out, s.tag.Inset(p.sizes.halo), p.sizes.pad, s.text, against(s.color))
}

// cached returns the patch of a color, and draws it at first use.
func cached(patches map[color.NRGBA]patch, c color.NRGBA, s sizes, drawn func(color.NRGBA, sizes) patch) patch {
	if _, ok := patches[c]; !ok {
		patches[c] = drawn(c, s)
	}
	return patches[c]
}

// clone returns a copy of img with the same bounds.
func clone(img *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(img.Rect)
	for y := range img.Rect.Dy() {
		copy(out.Pix[y*out.Stride:][:out.Stride], img.Pix[y*img.Stride:])
	}
	return out
}

// over blends c over the first pixel of px.
func over(px []uint8, c color.NRGBA) {
	a := uint32(c.A)
	switch {
	case a == 0:
	case a == 255:
		px[0], px[1], px[2], px[3] = c.R, c.G, c.B, 255
	case px[3] == 255: // all pixels of most screens
		px[0], px[1], px[2] = mix(px[0], c.R, a), mix(px[1], c.G, a), mix(px[2], c.B, a)
	default:
		alpha := a + (uint32(px[3])*(255-a)+127)/255
		share := (a*255 + alpha/2) / alpha // share of c in the resulting color
		px[0], px[1], px[2], px[3] = mix(px[0], c.R, share), mix(px[1], c.G, share), mix(px[2], c.B, share), uint8(alpha)
	}
}

// mix returns the mean of a and b with weights 255-t and t.
func mix(a, b uint8, t uint32) uint8 {
	return uint8((uint32(a)*(255-t) + uint32(b)*t + 127) / 255)
}
