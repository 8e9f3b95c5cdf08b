package icons

import (
	"image"
	"math"
	"testing"
)

// drawing is a glyph that can be drawn in any size.
type drawing struct {
	glyph
	cell *image.Alpha
}

// drawings lists all glyphs, also those that the library thins out.
func drawings(t testing.TB) []drawing {
	t.Helper()
	glyphs, err := readGlyphs()
	if err != nil {
		t.Fatal(err)
	}
	cellAt, err := glyphCells()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]drawing, len(glyphs))
	for i, g := range glyphs {
		all[i] = drawing{g, cellAt(i)}
	}
	return all
}

// render draws the glyph as it is on a screen where its set's square has size
// pixels a side, moved by parts of a pixel.
func (d *drawing) render(size, right, down float64) *image.Alpha {
	const parts = 4 // samples a pixel and side
	long := float64(d.size) / 100 * size
	n := int(math.Ceil(long)) + 2
	mask := image.NewAlpha(image.Rect(0, 0, n, n))
	at := func(i, part int, moved float64) int {
		return int(math.Floor((float64(i) - 1 - moved + (float64(part)+0.5)/parts) * glyphSide / long))
	}
	for i := range mask.Pix {
		sum := 0
		for k := range parts * parts {
			x, y := at(i%n, k%parts, right), at(i/n, k/parts, down)
			if x >= 0 && y >= 0 && x < glyphSide && y < glyphSide {
				sum += int(d.cell.Pix[y*d.cell.Stride+x])
			}
		}
		mask.Pix[i] = uint8(sum / (parts * parts))
	}
	return mask
}
