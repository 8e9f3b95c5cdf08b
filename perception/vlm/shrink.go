package vlm

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math"
)

// opaque returns the image on white, in the format for which the JPEG encoder is fast. An opaque
// image is not copied.
func opaque(img *image.NRGBA) *image.RGBA {
	if img.Opaque() {
		return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
	}
	out := image.NewRGBA(img.Rect)
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, img.Rect.Min, draw.Over)
	return out
}

// The shrinking code multiplies and adds the four channels of a pixel at once, in lanes of 16 bits.
// Weights sum up to 256, so no lane overflows.
const (
	lanes = 0x00ff00ff00ff00ff
	half  = 0x0080008000800080
)

// cover is the pixels of the larger image that a pixel of the smaller one covers, along one axis.
type cover struct {
	first   int
	weights []uint64 // of first and the pixels after it; they sum up to 256
}

// covers returns the cover of each pixel of a smaller side.
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

// shrink returns a smaller image whose pixels are means. It takes a third of the time of imaging.
func shrink(img *image.RGBA, size image.Point) *image.RGBA {
	columns, rows := covers(img.Rect.Dx(), size.X), covers(img.Rect.Dy(), size.Y)
	out := image.NewRGBA(image.Rectangle{Max: size})
	line := make([]uint64, img.Rect.Dx()) // mean of the rows that a row of out covers
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
