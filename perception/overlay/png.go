package overlay

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"sync"
)

const (
	bandRows    = 160 // rows that are compressed together; the same picture gives the same file on any machine
	bandsAtOnce = 4   // bounds the memory of a large picture's bands
)

// The parts of a PNG that Encode writes, from RFC 2083.
const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	colorRGB     = 2
	colorRGBA    = 6
	filterUp     = 2
)

// Encode writes img as PNG, fast rather than small: such pictures are seen once. It uses one
// filter, the difference from the row above, as image/png spends most of its time on the choice.
func Encode(w io.Writer, img *image.NRGBA) error {
	if img.Rect.Empty() {
		return png.Encode(w, img) // which knows what to say
	}
	channels, color := 3, byte(colorRGB)
	if !img.Opaque() {
		channels, color = 4, colorRGBA
	}
	bands := make([]band, (img.Rect.Dy()+bandRows-1)/bandRows)
	turns := make(chan struct{}, bandsAtOnce)
	var all sync.WaitGroup
	for i := range bands {
		turns <- struct{}{}
		all.Go(func() {
			bands[i].compress(img, i*bandRows, min((i+1)*bandRows, img.Rect.Dy()), channels, i == len(bands)-1)
			<-turns
		})
	}
	all.Wait()

	header := binary.BigEndian.AppendUint32(nil, uint32(img.Rect.Dx()))
	header = binary.BigEndian.AppendUint32(header, uint32(img.Rect.Dy()))
	header = append(header, 8, color, 0, 0, 0)
	out := append([]byte(pngSignature), chunk("IHDR", header)...)
	sum := uint32(1)
	data := []byte{0x78, 0x01} // zlib, compressed in a hurry
	for i := range bands {
		data = append(data, bands[i].deflated.Bytes()...)
		sum = joinSums(sum, bands[i].sum, bands[i].size)
	}
	out = append(out, chunk("IDAT", binary.BigEndian.AppendUint32(data, sum))...)
	_, err := w.Write(append(out, chunk("IEND", nil)...))
	return err
}

// chunk returns a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	out := make([]byte, 0, len(data)+12)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// A band is some rows, filtered and compressed.
type band struct {
	deflated bytes.Buffer
	sum      uint32 // of the filtered rows
	size     int    // of these
}

// compress takes the rows from y0 to y1. Only the last band ends the stream.
func (b *band) compress(img *image.NRGBA, y0, y1, channels int, last bool) {
	width := img.Rect.Dx()
	stride := 1 + channels*width
	rows := make([]byte, (y1-y0)*stride)
	above := make([]byte, channels*width)
	if y0 > 0 {
		pack(above, img.Pix[(y0-1)*img.Stride:][:4*width], channels)
	}
	here := make([]byte, channels*width)
	for y := y0; y < y1; y++ {
		out := rows[(y-y0)*stride:][:stride]
		out[0] = filterUp
		pack(here, img.Pix[y*img.Stride:][:4*width], channels)
		subtract(out[1:], here, above)
		above, here = here, above
	}
	b.sum, b.size = adler32.Checksum(rows), len(rows)
	z, _ := flate.NewWriter(&b.deflated, flate.BestSpeed) // fails only for an invalid level
	_, _ = z.Write(rows)                                  // memory takes all
	if last {
		_ = z.Close()
	} else {
		_ = z.Flush()
	}
}

// pack writes the channels of a row's pixels that are wanted.
func pack(to, from []byte, channels int) {
	if channels == 4 {
		copy(to, from)
		return
	}
	for len(to) >= 3 && len(from) >= 4 {
		to[0], to[1], to[2] = from[0], from[1], from[2]
		to, from = to[3:], from[4:]
	}
}

// subtract writes a minus b, byte by byte, eight at a time.
func subtract(to, a, b []byte) {
	const high = 0x8080808080808080
	for len(to) >= 8 && len(a) >= 8 && len(b) >= 8 {
		x, y := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		binary.LittleEndian.PutUint64(to, ((x|high)-(y&^high))^((x^^y)&high))
		to, a, b = to[8:], a[8:], b[8:]
	}
	for i := range to {
		to[i] = a[i] - b[i]
	}
}

// joinSums returns the Adler-32 (RFC 1950) of two joined pieces, by theirs and the second's length.
func joinSums(first, second uint32, length int) uint32 {
	const base = 65521
	a1, b1 := uint64(first&0xffff), uint64(first>>16)
	a2, b2 := uint64(second&0xffff), uint64(second>>16)
	n := uint64(length) % base
	a := (a1 + a2 + base - 1) % base
	b := (b1 + b2 + n*a1 + (base-n)%base) % base
	return uint32(b<<16 | a)
}
