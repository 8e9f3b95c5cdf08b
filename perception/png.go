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

// decodePNG decodes a PNG of any kind (RFC 2083) to eight bits a channel, row by row: it never
// holds more than the picture and some rows, where image/png holds 16 bits a channel and a copy.
// Screenshots take less than half the time of image/png. size is from the header, and checked.
//
// One goroutine inflates rows while another undoes their filters, where there is a core for it.
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

// What is wrong with a PNG.
var (
	errPNGChunk  = errors.New("a chunk is damaged or missing")
	errPNGFilter = errors.New("a row has a filter that there is not")
	errPNGLong   = errors.New("there are more rows than the header says")
	errPNGKind   = errors.New("there is no such kind of PNG")
)

// Rows are handed over in batches of some, a few at a time.
const (
	batchRows  = 32
	batchBytes = 256 << 10 // of a batch, unless one row is longer
	batches    = 4
)

// pngFile is what a PNG says of itself before its rows.
type pngFile struct {
	kind       pngKind
	depth      int // bits a channel
	interlaced bool
	idat       []byte      // the chunks from the first IDAT on
	palette    [256]uint32 // red in the lowest byte, alpha in the highest
	colored    bool        // there is a palette
	clear      []byte      // the pixel that is transparent, as in a row; nil: none
}

// pngKind is the color type of a PNG.
type pngKind byte

// The kinds, as PNG numbers them.
const (
	pngGrey      pngKind = 0
	pngColor     pngKind = 2
	pngPalette   pngKind = 3
	pngGreyAlpha pngKind = 4
	pngAlpha     pngKind = 6
)

// pngDepths lists the bits a channel that a kind may have.
var pngDepths = map[pngKind][]byte{
	pngGrey: {1, 2, 4, 8, 16}, pngColor: {8, 16}, pngPalette: {1, 2, 4, 8}, pngGreyAlpha: {8, 16}, pngAlpha: {8, 16},
}

// channels returns how many samples a pixel has.
func (k pngKind) channels() int {
	return map[pngKind]int{pngGrey: 1, pngColor: 3, pngPalette: 1, pngGreyAlpha: 2, pngAlpha: 4}[k]
}

// bits returns the bits of a pixel.
func (p *pngFile) bits() int { return p.kind.channels() * p.depth }

// stride returns the bytes of a row of width pixels: the first names its filter.
func (p *pngFile) stride(width int) int { return 1 + (width*p.bits()+7)/8 }

// The bytes of a chunk around its body.
const lengthAndType, checksum = 8, 4

// idatReader reads the bodies of all chunks IDAT, one after the other, and holds none of them: a file
// may have millions, empty ones too.
type idatReader struct {
	rest []byte // chunks up to IEND, all of them whole, as parsePNG has seen
	body []byte // what is left of the one that is read
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

// parsePNG reads the chunks of a PNG and finds its compressed rows.
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

// chunk reads a chunk that comes before the rows. late says that they have begun.
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

// header reads the chunk IHDR.
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
		p.palette[i] = 0xff000000 // as image/png has what a palette lacks
	}
	return nil
}

// transparent reads the chunk tRNS: the alpha of a palette's colors, or the color that is transparent.
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

// pngPass is a part of the pixels whose rows follow each other: all of them, or one of seven.
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

// rows returns how many rows of a pass are in a batch.
func (p *pngFile) rows(a pngPass) int {
	return min(batchRows, max(1, batchBytes/p.stride(a.width)), a.height)
}

// batchBytes returns the bytes of the largest batch.
func (p *pngFile) batchBytes(passes []pngPass) (most int) {
	for _, a := range passes {
		most = max(most, p.rows(a)*p.stride(a.width))
	}
	return most
}

// inflateBeside has u unpack all rows while the next ones are inflated, or by turns.
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

// inflate gives all rows to done, in memory from next. It fails for rows that are damaged.
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
			runtime.Gosched() // a large image takes seconds, and others milliseconds
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

// unpacker writes rows, which come in batches, to a screen.
type unpacker struct {
	*pngFile
	screen  *image.NRGBA
	passes  []pngPass // the first is the one whose rows come
	y       int       // rows of it that are done
	above   []byte    // the row before, its filter undone
	line    []byte    // pixels that are not side by side on the screen
	invalid bool      // a row had a filter that there is not
}

// unpack writes the rows of a batch.
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
