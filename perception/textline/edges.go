package textline

import (
	"encoding/binary"
	"image"
	"runtime"
	"slices"
	"sync"
)

const (
	threshold = 20        // how far neighbours must differ, in one colour channel, for an edge
	maxRuns   = 2_000_000 // bounds the memory of a screen; small text has some hundred thousand, more is noise
)

// run is edge pixels side by side: y, from x0 up to and without x1.
type run struct {
	y, x0, x1 int32
	parent    int32 // index of a run of the same component, not after this one
}

// component is runs that touch, corners included.
type component struct {
	x0, y0, x1, y1 int // box of what the edges enclose
	edges          int // pixels
	top, bottom    int // the longest run along that side of the box
	left, right    streak
}

func (c *component) width() int  { return c.x1 - c.x0 }
func (c *component) height() int { return c.y1 - c.y0 }

// findRuns returns the edges of screen, by rows, or nil if there are more than maxRuns.
func findRuns(screen *image.NRGBA) []run {
	rows := screen.Rect.Dy() - 1
	parts := make([][]run, min(runtime.GOMAXPROCS(0), max(rows, 1)))
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			f := finder{width: screen.Rect.Dx()}
			for y := i * rows / len(parts); y < (i+1)*rows/len(parts) && len(f.runs) <= maxRuns; y++ {
				here, below := screen.Pix[y*screen.Stride:], screen.Pix[(y+1)*screen.Stride:]
				f.row(here[:f.width*4], below[:f.width*4], int32(y))
			}
			parts[i] = f.runs
		})
	}
	wg.Wait()
	all := slices.Concat(parts...)
	if len(all) > maxRuns {
		return nil
	}
	return all
}

// finder collects runs.
type finder struct {
	width int
	runs  []run
}

// row appends the runs of one row, given the pixels of it and the next.
func (f *finder) row(here, below []byte, y int32) {
	start := -1
	last := f.width - 1
	x := 0
	for x < last {
		// Two pixels at a time, as most of a screen is flat.
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
