package vlm

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math"
)

// opaque returns the image on white, in the form that the JPEG encoder is fast for.
// An image without transparency is not copied.
func opaque(img *image.NRGBA) *image.RGBA {
	if img.Opaque() {
		return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
	}
	out := image.NewRGBA(img.Rect)
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, img.Rect.Min, draw.Over)
	return out
}

// A pixel's four channels, in lanes of 16 bits, are multiplied and added at once.
// Weights sum up to 256, so that no lane runs over.
const (
	lanes = 0x00ff00ff00ff00ff
	half  = 0x0080008000800080
)

// cover is what a pixel of a smaller image covers along one axis of the larger.
type cover struct {
	first   int
	weights []uint64 // of first and those behind it; they sum up to 256
}

// covers returns what each of the pixels of a smaller side covers.
func covers(from, to int) []cover {
	out := make([]cover, to)
	for i := range out {
		begin, end := float64(i)*float64(from)/float64(to), float64(i+1)*float64(from)/float64(to)
		c := cover{first: int(begin)}
		for k, done := c.first, 0.; k < from && float64(k) < end; k++ {
			until := math.Round(256 * (min(float64(k+1), end) - begin) / (end - begin))
			c.weights = append(c.weights, uint64(until-done))
			done = until
		}
		out[i] = c
	}
	return out
}

// shrink returns the image smaller by means of pixels, in a third of imaging's time.
func shrink(img *image.RGBA, size image.Point) *image.RGBA {
	columns, rows := covers(img.Rect.Dx(), size.X), covers(img.Rect.Dy(), size.Y)
	out := image.NewRGBA(image.Rectangle{Max: size})
	line := make([]uint64, img.Rect.Dx()) // the mean of the rows that a row of out covers
	for y, row := range rows {
		for x := range line {
			line[x] = half
		}
		for k, weight := range row.weights {
			from := img.Pix[(row.first+k)*img.Stride:][:4*len(line)]
			for x := range line {
				pixel := uint64(binary.LittleEndian.Uint32(from[4*x:]))
				line[x] += weight * (pixel&0x00ff00ff | pixel&0xff00ff00<<24)
			}
		}
		to := out.Pix[y*out.Stride:]
		for x, column := range columns {
			sum := uint64(half)
			for k, weight := range column.weights {
				sum += weight * (line[column.first+k] >> 8 & lanes)
			}
			sum = sum >> 8 & lanes
			binary.LittleEndian.PutUint32(to[4*x:], uint32(sum|sum>>24))
		}
	}
	return out
}
