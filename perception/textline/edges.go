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
	threshold = 20 // minimum difference of neighbours in one colour channel for an edge, less one; 0 to 255
	// maximum runs of a screen, to bound the memory; small text has some hundred thousand, and more
	// is noise
	maxRuns = 2_000_000
)

// run is a sequence of edge pixels side by side: row y, from x0 up to but not including x1.
type run struct{ y, x0, x1 int32 }

// component is a group of runs that touch, corners included.
type component struct {
	x0, y0, x1, y1 int // the box that the edges enclose
}

// width returns the width of the box in pixels. It is 0 or less if the edges enclose no column.
func (c *component) width() int { return c.x1 - c.x0 }

// height returns the height of the box in pixels. It is 0 if all edges are in one row.
func (c *component) height() int { return c.y1 - c.y0 }

// bandRows is how many rows one task of findRuns searches.
const bandRows = 32

// findRuns returns the edges of screen, sorted by rows, or nil if there are more than maxRuns.
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

// runBuffers reuses the memory for the runs of a band, whose count is not known before.
var runBuffers = sync.Pool{New: func() any { return new([]run) }}

// finder collects runs.
type finder struct {
	width int
	runs  []run
	last  int  // count of runs in the row before
	level bool // the row before is equal to this one
}

// next appends the runs of row y and returns their count. here and below are the pixels of this row
// and of the row below. If this row equals both the row before and the row below, next copies the
// runs of the row before.
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

// row appends the runs of one row, given the pixels of this row and of the row below.
func (f *finder) row(here, below []byte, y int32) {
	start := -1
	last := f.width - 1
	x := 0
	for x < last {
		// Compare four or two pixels at a time: most of a screen is flat.
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

// add appends the run of row y from x0 up to but not including x1.
func (f *finder) add(y int32, x0, x1 int) {
	f.runs = append(f.runs, run{y: y, x0: int32(x0), x1: int32(x1)})
}

// differ reports whether two pixels differ by more than threshold in a colour channel.
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

// apart returns the difference of two colours in the channel in which they differ most, 0 to 255.
func (p pixel) apart(q pixel) int {
	d := 0
	for i := range p {
		d = max(d, max(int(p[i])-int(q[i]), int(q[i])-int(p[i])))
	}
	return d
}

// brightness returns the brightness from 0 to 255, by ITU-R BT.601.
func (p pixel) brightness() int { return (299*int(p[0]) + 587*int(p[1]) + 114*int(p[2])) / 1000 }

// box returns the box that the edges enclose, in pixels of the screen. It may be empty.
func (c *component) box() image.Rectangle { return image.Rect(c.x0, c.y0, c.x1, c.y1) }

// minGlyphHeight is the minimum height of a letter in pixels; a lower component is a dot, an accent or
// a dash.
const minGlyphHeight = 4
