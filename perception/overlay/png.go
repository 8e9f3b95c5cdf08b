package overlay

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"runtime"
	"slices"

	"github.com/windieos/windie/internal/fair"
)

// bandRows is the number of rows that are compressed together. It is fixed, so that the same
// picture gives the same file on any machine.
const bandRows = 160

// Values in a PNG, from RFC 2083.
const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	colorRGB     = 2
	colorRGBA    = 6
	filterUp     = 2
)

// Encode writes img to w as PNG. It favors speed over size, because people see such a picture only
// once. It uses only one filter, the difference from the row above. The package image/png spends
// most of its time on the choice of filters. Encode fails with the error of w. It returns the error
// of ctx soon after ctx ends.
func Encode(ctx context.Context, w io.Writer, img *image.NRGBA) error {
	if img.Rect.Empty() {
		return png.Encode(w, img) // it returns the error for an empty picture
	}
	channels, color := 3, byte(colorRGB)
	if !img.Opaque() {
		channels, color = 4, colorRGBA
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(img.Rect.Dx()))
	header = binary.BigEndian.AppendUint32(header, uint32(img.Rect.Dy()))
	header = append(header, 8, color, 0, 0, 0)
	e := encoder{w: w, img: img, channels: channels, sum: 1}
	e.write([]byte(pngSignature))
	e.chunk("IHDR", header)
	if err := e.rows(ctx); err != nil {
		return err
	}
	e.chunk("IEND", nil)
	return e.err
}

// encoder writes one PNG. It has some bands in memory at a time.
type encoder struct {
	w        io.Writer
	img      *image.NRGBA
	channels int
	sum      uint32 // checksum of the rows so far
	err      error  // the first error of w
}

// rows writes the rows of the picture, one chunk for each band.
func (e *encoder) rows(ctx context.Context) error {
	height := e.img.Rect.Dy()
	all := (height + bandRows - 1) / bandRows
	bands := make([]band, min(all, runtime.GOMAXPROCS(0)))
	for first := 0; first < all && e.err == nil; first += len(bands) {
		bands = bands[:min(len(bands), all-first)]
		err := fair.Each(ctx, len(bands), func(i int) {
			at := first + i
			bands[i].compress(e.img, at*bandRows, min((at+1)*bandRows, height), e.channels, at == all-1)
		})
		if err != nil {
			return err
		}
		for i := range bands {
			e.sum = joinSums(e.sum, bands[i].sum, bands[i].size)
			var head, end []byte
			if first+i == 0 {
				head = []byte{0x78, 0x01} // zlib header: fastest compression
			}
			if first+i == all-1 {
				end = binary.BigEndian.AppendUint32(nil, e.sum)
			}
			e.chunk("IDAT", head, bands[i].deflated.Bytes(), end)
		}
	}
	return nil
}

// write writes data unless an earlier write has failed.
func (e *encoder) write(data []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(data)
	}
}

// chunk writes a chunk of a PNG whose data is the concatenation of parts.
func (e *encoder) chunk(kind string, parts ...[]byte) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	head := append(binary.BigEndian.AppendUint32(nil, uint32(size)), kind...)
	e.write(head)
	sum := crc32.ChecksumIEEE(head[4:])
	for _, part := range parts {
		sum = crc32.Update(sum, crc32.IEEETable, part)
		e.write(part)
	}
	e.write(binary.BigEndian.AppendUint32(nil, sum))
}

// band is some rows, filtered and compressed.
type band struct {
	filtered []byte
	deflated bytes.Buffer
	sum      uint32 // checksum of the filtered rows
	size     int    // bytes of the filtered rows
}

// compress filters and compresses the rows from y0 to y1, exclusive. last marks the last band,
// which ends the stream.
func (b *band) compress(img *image.NRGBA, y0, y1, channels int, last bool) {
	width := img.Rect.Dx()
	stride := 1 + channels*width
	b.deflated.Reset()
	rows := slices.Grow(b.filtered[:0], (y1-y0)*stride)[:(y1-y0)*stride]
	b.filtered = rows
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
	_, _ = z.Write(rows)                                  // writing to memory cannot fail
	if last {
		_ = z.Close()
	} else {
		_ = z.Flush()
	}
}

// pack copies the first channels channels of each pixel.
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

// subtract writes a minus b byte by byte, eight at a time.
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

// joinSums returns the Adler-32 (RFC 1950) of two joined pieces, given their checksums and the
// length of the second.
func joinSums(first, second uint32, length int) uint32 {
	const base = 65521
	a1, b1 := uint64(first&0xffff), uint64(first>>16)
	a2, b2 := uint64(second&0xffff), uint64(second>>16)
	n := uint64(length) % base
	a := (a1 + a2 + base - 1) % base
	b := (b1 + b2 + n*a1 + (base-n)%base) % base
	return uint32(b<<16 | a)
}
