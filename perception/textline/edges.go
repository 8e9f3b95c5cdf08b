package textline

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/windieos/windie/internal/fair"
)

const (
	threshold = 20        // how far neighbours must differ, in one colour channel, for an edge
	maxRuns   = 2_000_000 // bounds the memory of a screen; small text has some hundred thousand, more is noise
)

// run is edge pixels side by side: y, from x0 up to and without x1.
type run struct{ y, x0, x1 int32 }

// component is runs that touch, corners included.
type component struct {
	x0, y0, x1, y1 int   // box of what the edges enclose
	edges          int32 // pixels
	top, bottom    int32 // the longest run along that side of the box
	left, right    streak
	label          int32 // of its runs
}

func (c *component) width() int  { return c.x1 - c.x0 }
func (c *component) height() int { return c.y1 - c.y0 }

// bandRows is how many rows are looked at together.
const bandRows = 32

// findRuns returns the edges of screen, by rows, or nil if there are more than maxRuns.
func findRuns(ctx context.Context, screen *image.NRGBA) ([]run, error) {
	rows := screen.Rect.Dy() - 1
	parts := make([][]run, (max(rows, 0)+bandRows-1)/bandRows)
	var total atomic.Int64
	err := fair.Each(ctx, len(parts), func(i int) {
		scratch := runBuffers.Get().(*[]run)
		f := finder{width: screen.Rect.Dx(), runs: (*scratch)[:0]}
		for y := i * bandRows; y < min((i+1)*bandRows, rows) && total.Load() <= maxRuns; y++ {
			here, below := screen.Pix[y*screen.Stride:], screen.Pix[(y+1)*screen.Stride:]
			total.Add(int64(f.next(here[:f.width*4], below[:f.width*4], int32(y))))
		}
		parts[i] = slices.Clone(f.runs)
		*scratch = f.runs
		runBuffers.Put(scratch)
	})
	if err != nil || total.Load() > maxRuns {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

// runBuffers are for the runs of a band, whose number is not known before: half of bandRows rows at most.
var runBuffers = sync.Pool{New: func() any { return new([]run) }}

// finder collects runs.
type finder struct {
	width int
	runs  []run
	last  int  // runs of the row before
	level bool // the row before is as this one
}

// next appends the runs of the next row, given the pixels of it and the one below, and returns how many. Rows of which
// neither differs from the next have the same runs.
func (f *finder) next(here, below []byte, y int32) int {
	level := bytes.Equal(here, below)
	before := len(f.runs)
	if level && f.level {
		for _, r := range f.runs[before-f.last:] {
			f.add(y, int(r.x0), int(r.x1))
		}
	} else {
		f.row(here, below, y)
	}
	f.last, f.level = len(f.runs)-before, level
	return f.last
}

// row appends the runs of one row, given the pixels of it and the next.
func (f *finder) row(here, below []byte, y int32) {
	start := -1
	last := f.width - 1
	x := 0
	for x < last {
		// Four or two pixels at a time, as most of a screen is flat.
		if start < 0 && x+5 <= f.width {
			h, b := here[4*x:4*x+20], below[4*x:4*x+16]
			first, second := binary.LittleEndian.Uint64(h), binary.LittleEndian.Uint64(h[8:])
			right := (first ^ binary.LittleEndian.Uint64(h[4:])) | (second ^ binary.LittleEndian.Uint64(h[12:]))
			down := (first ^ binary.LittleEndian.Uint64(b)) | (second ^ binary.LittleEndian.Uint64(b[8:]))
			if right|down == 0 {
				x += 4
				continue
			}
		}
		if start < 0 && x+3 <= f.width {
			two := binary.LittleEndian.Uint64(here[4*x:])
			if two == binary.LittleEndian.Uint64(here[4*x+4:]) && two == binary.LittleEndian.Uint64(below[4*x:]) {
				x += 2
				continue
			}
		}
		p := binary.LittleEndian.Uint32(here[4*x:])
		right, down := binary.LittleEndian.Uint32(here[4*x+4:]), binary.LittleEndian.Uint32(below[4*x:])
		if (p != right || p != down) && (differ(p, right) || differ(p, down)) {
			if start < 0 {
				start = x
			}
		} else if start >= 0 {
			f.add(y, start, x)
			start = -1
		}
		x++
	}
	if start >= 0 {
		f.add(y, start, last)
	}
}

func (f *finder) add(y int32, x0, x1 int) {
	f.runs = append(f.runs, run{y: y, x0: int32(x0), x1: int32(x1)})
}

// differ reports whether a colour channel of two pixels differs by more than threshold.
func differ(p, q uint32) bool {
	for shift := 0; shift < 24; shift += 8 {
		d := int32(p>>shift&255) - int32(q>>shift&255)
		if d > threshold || d < -threshold {
			return true
		}
	}
	return false
}

// pixel is a colour: red, green, blue.
type pixel [3]uint8

// apart is how far two colours differ in the channel that differs most.
func (p pixel) apart(q pixel) int {
	d := 0
	for i := range p {
		d = max(d, max(int(p[i])-int(q[i]), int(q[i])-int(p[i])))
	}
	return d
}

// brightness is from 0 to 255, by ITU-R BT.601.
func (p pixel) brightness() int { return (299*int(p[0]) + 587*int(p[1]) + 114*int(p[2])) / 1000 }

func (c *component) box() image.Rectangle { return image.Rect(c.x0, c.y0, c.x1, c.y1) }

// streak is the longest sequence of rows that follow each other.
type streak struct{ longest, now, last int32 }

func (s *streak) add(y int32) {
	switch y {
	case s.last: // seen already
	case s.last + 1:
		s.now++
	default:
		s.now = 1
	}
	s.last = y
	s.longest = max(s.longest, s.now)
}

// Limits of what may be a glyph, in pixels.
const (
	maxGlyphHeight = 110
	maxGlyphWidth  = 900     // of letters that touch
	minGlyphHeight = 4       // less is a dot, an accent or a dash
	maxGlyphs      = 100_000 // more than the largest screen has when it is full of small text

	maxComponents = 500_000 // what is more of edges that touch is noise, and bounds the memory
)

// lineWidth is how wide the edges of a thin line are together at most, in pixels.
const lineWidth = 4
