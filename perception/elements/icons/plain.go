package icons

import (
	"image"
	"math"
)

// plain is the concept of shapes without a meaning, such as frames.
const plain = -1

// plainGlyphs draws various boxes and ovals: filled and framed, upright and horizontal.
func plainGlyphs() []glyph {
	const side = 32
	var all []glyph
	for _, aspect := range []float64{1, 1.2, 1.45, 1.8, 2.5, 4, 8} {
		for _, line := range []float64{1.2, 2.2, 4, side} {
			for _, corner := range []float64{0, 0.35, 1} {
				long, short := side/2.0, side/2.0/aspect
				if corner == 1 && aspect > 1.2 && line < side {
					continue // a pill may be a switch
				}
				all = appendPlain(all, box{long, short, corner * short, line})
				all = appendPlain(all, box{short, long, corner * short, line})
			}
		}
	}
	return thinned(all)
}

// appendPlain appends the glyph of a painted box.
func appendPlain(all []glyph, b box) []glyph {
	s, _ := shapeOf(b.paint())
	return append(all, glyph{concept: plain, shape: s})
}

// box is a box whose corners may be round. A thick line fills it.
type box struct{ halfWidth, halfHeight, corner, line float64 }

// paint draws the box with soft edges.
func (b box) paint() *image.Alpha {
	w, h := int(2*b.halfWidth)+4, int(2*b.halfHeight)+4
	mask := image.NewAlpha(image.Rect(0, 0, w, h))
	for i := range mask.Pix {
		right := math.Abs(float64(i%w)+0.5-float64(w)/2) - b.halfWidth + b.corner
		down := math.Abs(float64(i/w)+0.5-float64(h)/2) - b.halfHeight + b.corner
		outside := math.Hypot(max(right, 0), max(down, 0)) + min(max(right, down), 0) - b.corner
		mask.Pix[i] = uint8(255 * min(max(0, min(0.5-outside, outside+b.line+0.5)), 1))
	}
	return mask
}
