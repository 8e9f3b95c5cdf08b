package perception

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"io"
	"runtime"
	"slices"

	"github.com/windieos/windie/internal/fair"
)

// decodePNG decodes a PNG of any kind (RFC 2083) to eight bits a channel, row by row. It keeps only
// the picture and some rows in memory, while image/png keeps 16 bits a channel and a copy. It
// decodes screenshots in less than half the time of image/png. size comes from the header, after
// the checks of decodeHeader.
//
// If a second core is free, one goroutine inflates rows while another undoes their filters.
func decodePNG(ctx context.Context, data []byte, size image.Point) (*image.NRGBA, error) {
	p, err := parsePNG(data)
	if err != nil {
		return nil, err
	}
	screen := image.NewNRGBA(image.Rectangle{Max: size})
	passes := p.passes(size)
	u := &unpacker{pngFile: p, screen: screen, passes: passes}
	if err := p.inflateBeside(ctx, passes, u); err != nil {
		return nil, err
	}
	if u.invalid {
		return nil, errPNGFilter
	}
	return screen, nil
}

// Causes of an undecodable PNG.
var (
	errPNGChunk  = errors.New("a chunk is damaged or missing")
	errPNGFilter = errors.New("a row has an unknown filter")
	errPNGLong   = errors.New("the file has more rows than its header declares")
	errPNGKind   = errors.New("the header has an invalid color type or bit depth")
)

// The decoder passes rows between its goroutines in batches.
const (
	batchRows  = 32
	batchBytes = 256 << 10 // maximum bytes of a batch, unless one row is longer
	batches    = 4
)

// pngFile has the data that a PNG states before its rows.
type pngFile struct {
	kind       pngKind
	depth      int // bits a channel
	interlaced bool
	idat       []byte      // the file from the first IDAT chunk on
	palette    [256]uint32 // red in the lowest byte, alpha in the highest
	colored    bool        // whether a PLTE chunk exists
	clear      []byte      // the transparent pixel, in the form of a row's pixels; nil if there is none
}

// pngKind is the colour type of a PNG.
type pngKind byte

// Numbers of the colour types, from the PNG specification.
const (
	pngGrey      pngKind = 0
	pngColor     pngKind = 2
	pngPalette   pngKind = 3
	pngGreyAlpha pngKind = 4
	pngAlpha     pngKind = 6
)

// pngDepths lists the valid bits a channel of each kind.
var pngDepths = map[pngKind][]byte{
	pngGrey: {1, 2, 4, 8, 16}, pngColor: {8, 16}, pngPalette: {1, 2, 4, 8}, pngGreyAlpha: {8, 16}, pngAlpha: {8, 16},
}

// channels returns the number of samples of a pixel.
func (k pngKind) channels() int {
	return map[pngKind]int{pngGrey: 1, pngColor: 3, pngPalette: 1, pngGreyAlpha: 2, pngAlpha: 4}[k]
}

// bits returns the bits of a pixel.
func (p *pngFile) bits() int { return p.kind.channels() * p.depth }

// stride returns the bytes of a stored row of width pixels, including the first byte, which names
// the filter.
func (p *pngFile) stride(width int) int { return 1 + (width*p.bits()+7)/8 }

// Bytes of a chunk before and after its body.
const lengthAndType, checksum = 8, 4

// idatReader reads the bodies of all IDAT chunks as one stream. It stores no list of them, because
// a file may have millions, even empty ones.
type idatReader struct {
	rest []byte // chunks up to IEND; parsePNG has checked that all are complete
	body []byte // unread bytes of the current chunk
}

// Read implements io.Reader.
func (r *idatReader) Read(p []byte) (int, error) {
	for len(r.body) == 0 {
		length, kind := int(binary.BigEndian.Uint32(r.rest)), string(r.rest[4:8])
		switch kind {
		case "IEND":
			return 0, io.EOF
		case "IDAT":
			r.body = r.rest[lengthAndType:][:length]
		}
		r.rest = r.rest[lengthAndType+length+checksum:]
	}
	n := copy(p, r.body)
	r.body = r.body[n:]
	return n, nil
}

// parsePNG checks all chunks of a PNG and finds its compressed rows.
func parsePNG(data []byte) (*pngFile, error) {
	const signature = 8
	p := &pngFile{}
	for rest := data[min(signature, len(data)):]; len(rest) >= lengthAndType+checksum; {
		length := int(binary.BigEndian.Uint32(rest))
		if length > len(rest)-lengthAndType-checksum {
			return nil, errPNGChunk
		}
		whole, kind, body := rest, string(rest[4:8]), rest[lengthAndType:][:length]
		if crc32.ChecksumIEEE(rest[4:lengthAndType+length]) != binary.BigEndian.Uint32(rest[lengthAndType+length:]) {
			return nil, errPNGChunk
		}
		rest = rest[lengthAndType+length+checksum:]
		switch kind {
		case "IDAT":
			if p.idat == nil {
				p.idat = whole
			}
		case "IEND":
			if p.depth == 0 || p.idat == nil || p.kind == pngPalette && !p.colored {
				return nil, errPNGChunk
			}
			return p, nil
		default:
			if err := p.chunk(kind, body, p.idat != nil); err != nil {
				return nil, err
			}
		}
	}
	return nil, errPNGChunk
}

// chunk parses a chunk other than IDAT and IEND. late reports that an IDAT chunk came before it.
func (p *pngFile) chunk(kind string, body []byte, late bool) error {
	switch {
	case kind == "IHDR" && p.depth == 0:
		return p.header(body)
	case kind == "PLTE" && (p.depth == 0 || late), kind == "tRNS" && (p.depth == 0 || late), kind == "IHDR":
		return errPNGChunk
	case kind == "PLTE" && p.kind == pngPalette:
		if len(body) == 0 || len(body)%3 != 0 || len(body) > 3<<p.depth {
			return errPNGChunk
		}
		p.colored = true
		for i := 0; i < len(body); i += 3 {
			p.palette[i/3] = uint32(body[i]) | uint32(body[i+1])<<8 | uint32(body[i+2])<<16 | 0xff000000
		}
	case kind == "tRNS":
		return p.transparent(body)
	}
	return nil
}

// header parses the IHDR chunk.
func (p *pngFile) header(body []byte) error {
	const depth, kind, compression, filter, interlace = 8, 9, 10, 11, 12
	if len(body) != 13 || body[compression] != 0 || body[filter] != 0 || body[interlace] > 1 {
		return errPNGKind
	}
	if !bytes.Contains(pngDepths[pngKind(body[kind])], body[depth:depth+1]) {
		return errPNGKind
	}
	p.kind, p.depth, p.interlaced = pngKind(body[kind]), int(body[depth]), body[interlace] == 1
	for i := range p.palette {
		p.palette[i] = 0xff000000 // like image/png: colours missing from the palette are opaque black
	}
	return nil
}

// transparent parses the tRNS chunk: alpha values of a palette, or one transparent colour.
func (p *pngFile) transparent(body []byte) error {
	switch p.kind {
	case pngPalette:
		if len(body) > len(p.palette) {
			return errPNGChunk
		}
		for i, alpha := range body {
			p.palette[i] = p.palette[i]&0x00ffffff | uint32(alpha)<<24
		}
	case pngGrey, pngColor:
		if len(body) != 2*p.kind.channels() {
			return errPNGChunk
		}
		if p.depth > 8 {
			p.clear = body
			return nil
		}
		p.clear = p.clear[:0]
		for i := 1; i < len(body); i += 2 {
			p.clear = append(p.clear, body[i])
		}
	default:
		return errPNGChunk
	}
	return nil
}

// pngPass is a pass: a set of pixels whose rows follow each other in the file. A PNG has one pass,
// an interlaced PNG up to seven.
type pngPass struct{ x, y, dx, dy, width, height int }

// passes returns the passes that have pixels.
func (p *pngFile) passes(size image.Point) (list []pngPass) {
	if !p.interlaced {
		return []pngPass{{0, 0, 1, 1, size.X, size.Y}}
	}
	for _, a := range [...]pngPass{{x: 0, y: 0, dx: 8, dy: 8}, {x: 4, y: 0, dx: 8, dy: 8}, {x: 0, y: 4, dx: 4, dy: 8}, {x: 2, y: 0, dx: 4, dy: 4},
		{x: 0, y: 2, dx: 2, dy: 4}, {x: 1, y: 0, dx: 2, dy: 2}, {x: 0, y: 1, dx: 1, dy: 2}} {
		a.width, a.height = (size.X-a.x+a.dx-1)/a.dx, (size.Y-a.y+a.dy-1)/a.dy
		if a.width > 0 && a.height > 0 {
			list = append(list, a)
		}
	}
	return list
}

// rows returns the number of rows of a pass in one batch.
func (p *pngFile) rows(a pngPass) int {
	return min(batchRows, max(1, batchBytes/p.stride(a.width)), a.height)
}

// batchBytes returns the bytes of the largest batch.
func (p *pngFile) batchBytes(passes []pngPass) (largest int) {
	for _, a := range passes {
		largest = max(largest, p.rows(a)*p.stride(a.width))
	}
	return largest
}

// inflateBeside inflates all rows and calls u.unpack for each batch. If a second core is free, it
// inflates on another goroutine.
func (p *pngFile) inflateBeside(ctx context.Context, passes []pngPass, u *unpacker) error {
	full, free, whole := make(chan []byte, batches), make(chan []byte, batches), make(chan error, 1)
	beside := fair.Beside(ctx, func() {
		defer close(full)
		whole <- p.inflate(ctx, passes, func() []byte { return <-free }, func(batch []byte) { full <- batch })
	})
	if !beside {
		batch := make([]byte, p.batchBytes(passes))
		return p.inflate(ctx, passes, func() []byte { return batch }, u.unpack)
	}
	for range batches {
		free <- make([]byte, p.batchBytes(passes))
	}
	for batch := range full {
		u.unpack(batch)
		free <- batch[:cap(batch)]
	}
	return <-whole
}

// inflate inflates all rows, batch by batch. It gets memory for each batch from next and passes the
// full batch to done. It fails if the compressed rows are damaged.
func (p *pngFile) inflate(ctx context.Context, passes []pngPass, next func() []byte, done func([]byte)) error {
	z, err := newInflater(&idatReader{rest: p.idat})
	if err != nil {
		return err
	}
	for _, a := range passes {
		for left := a.height; left > 0; {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			n := min(p.rows(a), left)
			batch := next()[:n*p.stride(a.width)]
			if _, err := io.ReadFull(z, batch); err != nil {
				return err
			}
			done(batch)
			left -= n
			runtime.Gosched() // a large image takes seconds; let work of milliseconds run in between
		}
	}
	n, err := z.Read(make([]byte, 1))
	switch {
	case n > 0:
		return errPNGLong
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// unpacker writes batches of rows to a screen.
type unpacker struct {
	*pngFile
	screen  *image.NRGBA
	passes  []pngPass // unfinished passes; the first is the current one
	y       int       // number of finished rows of the current pass
	above   []byte    // the previous row without its filter
	line    []byte    // a buffer for pixels that are not adjacent on the screen
	invalid bool      // a row named an unknown filter
}

// unpack writes the rows of a batch to the screen.
func (u *unpacker) unpack(batch []byte) {
	pass := u.passes[0]
	stride, pixel := u.stride(pass.width), max(1, u.bits()/8)
	if u.y == 0 {
		u.above = make([]byte, stride)
	}
	for ; len(batch) >= stride && !u.invalid; batch = batch[stride:] {
		row := batch[:stride]
		u.invalid = !unfilter(row, u.above, pixel)
		to := u.screen.Pix[(pass.y+u.y*pass.dy)*u.screen.Stride:][:u.screen.Stride]
		if pass.dx == 1 {
			u.expand(to, row[1:])
		} else {
			u.line = slices.Grow(u.line[:0], 4*pass.width)[:4*pass.width]
			u.expand(u.line, row[1:])
			for x := range pass.width {
				copy(to[4*(pass.x+x*pass.dx):][:4], u.line[4*x:])
			}
		}
		copy(u.above, row)
		u.y++
	}
	if u.y == pass.height && len(u.passes) > 1 {
		u.passes, u.y = u.passes[1:], 0
	}
}
