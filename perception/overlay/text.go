package overlay

import (
	"image"
	"image/color"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

const (
	maxLabel = 48  // maximum characters of a shown label
	ellipsis = '…' // ends a shortened label
)

var bold = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic(err)
	}
	return f
})

// typeface draws text in one size. It is not safe for concurrent use.
type typeface struct {
	face font.Face
	cap  fixed.Int26_6 // height of a capital or a digit
}

// newTypeface returns a typeface of em pixels.
func newTypeface(em float64) *typeface {
	face, err := opentype.NewFace(bold(), &opentype.FaceOptions{Size: em, DPI: 72})
	if err != nil {
		panic(err) // cannot happen: the sizes are within limits
	}
	return &typeface{face: face, cap: face.Metrics().CapHeight}
}

// fit returns as much of label as fits into room pixels and maxLabel characters, and its width. A
// shortened label ends with an ellipsis. If nothing fits, fit returns "".
func (t *typeface) fit(label string, room int) (text string, width int) {
	label = oneLine(label)
	dots := t.advance(ellipsis)
	var used, usedAtCut fixed.Int26_6
	cut, n := -1, 0 // label[:cut] fits together with an ellipsis
	for i, r := range label {
		if (used + dots).Ceil() <= room {
			cut, usedAtCut = i, used
		}
		used += t.advance(r)
		if n++; used.Ceil() > room || n > maxLabel {
			if cut <= 0 {
				return "", 0
			}
			short := strings.TrimRight(label[:cut], " ")
			return short + string(ellipsis), (usedAtCut + dots).Ceil()
		}
	}
	return label, used.Ceil()
}

// draw writes text in box, pad pixels from its left side, with its capitals centered vertically.
func (t *typeface) draw(dst *image.NRGBA, box image.Rectangle, pad int, text string, c color.NRGBA) {
	baseline := fixed.I(box.Min.Y+box.Max.Y) + t.cap
	dot := fixed.Point26_6{X: fixed.I(box.Min.X + pad), Y: fixed.I((baseline / 2).Round())}
	for _, r := range text {
		area, mask, from, advance, ok := t.face.Glyph(dot, r)
		if ok {
			stencil(dst, area, box, mask, from, c)
		}
		dot.X += advance
	}
}

// advance returns the width of r, or 0 if the font lacks it.
func (t *typeface) advance(r rune) fixed.Int26_6 {
	a, _ := t.face.GlyphAdvance(r)
	return a
}

// stencil blends c over the part of area that lies within box, through mask. from is the position
// in mask of area's corner.
func stencil(dst *image.NRGBA, area, box image.Rectangle, mask image.Image, from image.Point, c color.NRGBA) {
	shift := from.Sub(area.Min)
	area = area.Intersect(box)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			_, _, _, a := mask.At(x+shift.X, y+shift.Y).RGBA()
			c.A = uint8(a >> 8)
			at := dst.PixOffset(x, y)
			over(dst.Pix[at:at+4:at+4], c)
		}
	}
}

// oneLine replaces line breaks and other control characters with spaces, and trims spaces at both
// ends.
func oneLine(label string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, label))
}
