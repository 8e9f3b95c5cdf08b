package x11

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// Frame is a picture of a part of the screen. It is immutable.
type Frame struct {
	Rect image.Rectangle // the picture's position on the screen

	pix []byte // rows of pixels: blue, green, red, unused
}

// Tile is the length of a side of the squares that Changed compares, in pixels.
const Tile = 64

// Changed lists the tiles in which a frame differs from an earlier frame, row by row. The
// coordinates of the tiles are screen pixels. If the two frames show different parts of the screen,
// Changed lists all tiles.
func (f *Frame) Changed(before *Frame) (list []image.Rectangle) {
	same := before != nil && before.Rect == f.Rect
	width := f.Rect.Dx() * 4
	for y := 0; y < f.Rect.Dy(); y += Tile {
		for x := 0; x < f.Rect.Dx(); x += Tile {
			tile := image.Rect(x, y, min(x+Tile, f.Rect.Dx()), min(y+Tile, f.Rect.Dy()))
			for row := tile.Min.Y; row < tile.Max.Y; row++ {
				from, to := row*width+tile.Min.X*4, row*width+tile.Max.X*4
				if !same || !bytes.Equal(f.pix[from:to], before.pix[from:to]) {
					list = append(list, tile.Add(f.Rect.Min))
					break
				}
			}
		}
	}
	return list
}

// Difference returns the smallest rectangle in which a frame differs from an earlier frame, in pixels of
// the screen. It is empty if they are equal, and the whole frame if they show different parts of the screen.
func (f *Frame) Difference(before *Frame) image.Rectangle {
	if f.Rect != before.Rect {
		return f.Rect
	}
	var box image.Rectangle
	width := f.Rect.Dx() * 4
	for y := range f.Rect.Dy() {
		now, then := f.pix[y*width:(y+1)*width], before.pix[y*width:(y+1)*width]
		if bytes.Equal(now, then) {
			continue
		}
		first, last := 0, width-1
		for now[first] == then[first] {
			first++
		}
		for now[last] == then[last] {
			last--
		}
		box = box.Union(image.Rect(first/4, y, last/4+1, y+1))
	}
	return box.Add(f.Rect.Min)
}

// Part returns a part of a frame, cut off at the edges of the frame.
func (f *Frame) Part(part image.Rectangle) *Frame {
	part = part.Intersect(f.Rect)
	out := &Frame{Rect: part, pix: make([]byte, 0, part.Dx()*part.Dy()*4)}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		from := ((y-f.Rect.Min.Y)*f.Rect.Dx() + part.Min.X - f.Rect.Min.X) * 4
		out.pix = append(out.pix, f.pix[from:from+part.Dx()*4]...)
	}
	return out
}

// Equal reports whether two frames have the same pixels.
func (f *Frame) Equal(other *Frame) bool {
	return other != nil && f.Rect == other.Rect && bytes.Equal(f.pix, other.pix)
}

// encoder holds the reusable buffers of the PNG writer.
type encoder struct {
	deflate *zlib.Writer
	data    bytes.Buffer
	row     []byte
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.deflate, _ = zlib.NewWriterLevel(&e.data, zlib.BestSpeed) // cannot fail: the level is valid
	return e
}}

// PNG returns the picture as a PNG. It is much faster than image/png, because it uses no filters
// and the fastest compression, which suits pictures of screens.
func (f *Frame) PNG() []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.data.Reset()
	e.deflate.Reset(&e.data)
	width := f.Rect.Dx()
	e.row = append(e.row[:0], make([]byte, 1+3*width)...) // a row begins with its filter: none
	for y := range f.Rect.Dy() {
		from := f.pix[y*width*4 : (y+1)*width*4]
		to := e.row[1:]
		for len(from) >= 4 {
			to[0], to[1], to[2] = from[2], from[1], from[0]
			from, to = from[4:], to[3:]
		}
		_, _ = e.deflate.Write(e.row) // cannot fail: it writes to memory
	}
	_ = e.deflate.Close()
	head := binary.BigEndian.AppendUint32(nil, uint32(width))
	head = binary.BigEndian.AppendUint32(head, uint32(f.Rect.Dy()))
	head = append(head, 8, 2, 0, 0, 0) // bits of a colour; RGB
	out := make([]byte, 0, e.data.Len()+64)
	out = append(out, "\x89PNG\r\n\x1a\n"...)
	out = chunk(out, "IHDR", head)
	out = chunk(out, "IDAT", e.data.Bytes())
	return chunk(out, "IEND", nil)
}

// chunk appends a chunk of a PNG.
func chunk(out []byte, name string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	from := len(out)
	out = append(out, name...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
}

// Image returns the picture as a Go image, with its upper left corner at 0, 0.
func (f *Frame) Image() *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: f.Rect.Size()})
	for i := 0; i+3 < len(f.pix); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = f.pix[i+2], f.pix[i+1], f.pix[i], 255
	}
	return img
}
