package tesseract

import (
	"bytes"
	"fmt"
	"image"
	"io"

	"github.com/disintegration/imaging"
)

// greyMap returns screen enlarged by scale and in grey, as an uncompressed grey map (Netpbm PGM,
// P5).
func greyMap(screen *image.NRGBA, scale int) io.Reader {
	if scale > 1 {
		size := screen.Bounds().Size().Mul(scale)
		screen = imaging.Resize(screen, size.X, size.Y, imaging.CatmullRom)
	}
	size := screen.Bounds().Size()
	out := fmt.Appendf(make([]byte, 0, 32+size.X*size.Y), "P5 %d %d 255\n", size.X, size.Y)
	for y := range size.Y {
		row := screen.Pix[y*screen.Stride:][:4*size.X]
		for x := 0; x < len(row); x += 4 {
			out = append(out, luma(row[x], row[x+1], row[x+2], row[x+3]))
		}
	}
	return bytes.NewReader(out)
}

// luma returns the brightness of a pixel on white, 0..255, with the weights of ITU-R BT.601.
func luma(r, g, b, a uint8) uint8 {
	y := (299*uint32(r) + 587*uint32(g) + 114*uint32(b)) / 1000
	return uint8((y*uint32(a) + 255*(255-uint32(a))) / 255)
}
