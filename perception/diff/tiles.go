package diff

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"slices"

	"github.com/windieos/windie/internal/fair"
)

// Limits of differences that do not count: small differences of a channel, for example by smoothing, and a
// thin vertical caret.
const (
	tolerance   = 16 // maximum difference of each channel, 0..255
	fewPixels   = 3  // maximum number of different pixels in one place
	caretWidth  = 3
	caretHeight = 48

	tile      = 16             // side of the tiles that are compared, in pixels
	maxUnited = 8 * MaxRegions // maximum number of boxes that are compared with each other
)

// grid is two screens with the differences of their tiles.
type grid struct {
	ctx     context.Context
	was, is *image.NRGBA // bounds begin at (0,0)
	w, h    int          // in tiles
	tiles   []image.Rectangle
	counts  []int  // number of different pixels, by tile
	moved   []bool // by tile: a move explains all of it
}

// compare finds the tiles that differ between two screens of one size.
func compare(ctx context.Context, was, is *image.NRGBA) *grid {
	was, is = atZero(was), atZero(is)
	g := &grid{ctx: ctx, was: was, is: is, w: (is.Rect.Dx() + tile - 1) / tile, h: (is.Rect.Dy() + tile - 1) / tile}
	g.tiles, g.counts, g.moved = make([]image.Rectangle, g.w*g.h), make([]int, g.w*g.h), make([]bool, g.w*g.h)
	_ = fair.Each(ctx, g.h, func(ty int) { // Diff returns the error of ctx
		for y := ty * tile; y < min((ty+1)*tile, is.Rect.Dy()); y++ {
			g.compareRow(y)
		}
	})
	return g
}

// atZero returns img with bounds that begin at (0,0). It shares the pixels.
func atZero(img *image.NRGBA) *image.NRGBA {
	return &image.NRGBA{Pix: img.Pix, Stride: img.Stride, Rect: image.Rectangle{Max: img.Rect.Size()}}
}

// row returns the bytes of the pixels x0 (inclusive) to x1 (exclusive) of row y.
func row(img *image.NRGBA, y, x0, x1 int) []byte {
	return img.Pix[y*img.Stride+4*x0 : y*img.Stride+4*x1]
}

// compareRow adds the differences of one row of pixels to its tiles.
func (g *grid) compareRow(y int) {
	width := g.is.Rect.Dx()
	if bytes.Equal(row(g.was, y, 0, width), row(g.is, y, 0, width)) {
		return
	}
	for tx := range g.w {
		x0, x1 := tx*tile, min((tx+1)*tile, width)
		a, b := row(g.was, y, x0, x1), row(g.is, y, x0, x1)
		if bytes.Equal(a, b) {
			continue
		}
		first, last, count := -1, 0, 0
		for i := 0; i+4 <= len(a) && i+4 <= len(b); i += 4 {
			if !near(a[i:i+4], b[i:i+4]) {
				if first < 0 {
					first = i / 4
				}
				last = i / 4
				count++
			}
		}
		if count > 0 {
			at := y/tile*g.w + tx
			g.counts[at] += count
			g.tiles[at] = g.tiles[at].Union(image.Rect(x0+first, y, x0+last+1, y+1))
		}
	}
}

// near reports whether two pixels look alike.
func near(a, b []byte) bool {
	for i, v := range a {
		if d := int(v) - int(b[i]); d > tolerance || d < -tolerance {
			return false
		}
	}
	return true
}

// pixels returns the changed regions and the moves.
func (g *grid) pixels() (p Pixels) {
	changed := 0
	for _, n := range g.counts {
		changed += n
	}
	if changed == 0 {
		return p
	}
	p.Moves = g.findMoves()
	for side := 1; ; side *= 2 {
		boxes := g.regions(side, func(i int) bool { return g.counts[i] > 0 && !g.moved[i] })
		if len(boxes) > maxUnited {
			continue
		}
		if p.Regions = unite(boxes); len(p.Regions) <= MaxRegions {
			break
		}
	}
	if !p.Same() {
		p.Share = float64(changed) / float64(g.is.Rect.Dx()*g.is.Rect.Dy())
	}
	slices.SortStableFunc(p.Regions, func(a, b image.Rectangle) int {
		if a.Max.Y <= b.Min.Y || b.Max.Y <= a.Min.Y {
			return cmp.Compare(a.Min.Y, b.Min.Y)
		}
		return cmp.Compare(a.Min.X, b.Min.X)
	})
	return p
}

// regions returns boxes around touching squares of tiles. in selects the tiles; a square has a side
// of side tiles.
func (g *grid) regions(side int, in func(int) bool) (boxes []image.Rectangle) {
	w, h := (g.w+side-1)/side, (g.h+side-1)/side
	squares, counts := make([]image.Rectangle, w*h), make([]int, w*h)
	for i := range g.tiles {
		if in(i) {
			at := i/g.w/side*w + i%g.w/side
			squares[at], counts[at] = squares[at].Union(g.tiles[i]), counts[at]+g.counts[i]
		}
	}
	for start := range squares {
		var box image.Rectangle
		count := 0
		for queue := []int{start}; len(queue) > 0; {
			at := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			if counts[at] == 0 {
				continue
			}
			box, count = box.Union(squares[at]), count+counts[at]
			counts[at] = 0
			for y := max(0, at/w-1); y <= min(h-1, at/w+1); y++ {
				for x := max(0, at%w-1); x <= min(w-1, at%w+1); x++ {
					queue = append(queue, y*w+x)
				}
			}
		}
		if count > fewPixels && !isCaret(box) {
			boxes = append(boxes, box)
		}
	}
	return boxes
}

// isCaret reports whether a changed area may be a blinking text cursor.
func isCaret(box image.Rectangle) bool {
	return box.Dx() <= caretWidth && box.Dy() <= caretHeight && box.Dy() >= 2*box.Dx()
}

// unite merges boxes that overlap.
func unite(boxes []image.Rectangle) []image.Rectangle {
	for again := true; again; {
		again = false
		for i := 0; i < len(boxes); i++ {
			for j := i + 1; j < len(boxes); j++ {
				if boxes[i].Overlaps(boxes[j]) {
					boxes[i] = boxes[i].Union(boxes[j])
					boxes = slices.Delete(boxes, j, j+1)
					again = true
					j--
				}
			}
		}
	}
	return boxes
}

// touches reports whether a pixel in the box differs, other than a caret.
func (g *grid) touches(box image.Rectangle) bool {
	box = box.Intersect(g.is.Rect)
	if box.Empty() {
		return false
	}
	for y := box.Min.Y / tile; y <= (box.Max.Y-1)/tile; y++ {
		for x := box.Min.X / tile; x <= (box.Max.X-1)/tile; x++ {
			if i := y*g.w + x; g.tiles[i].Overlaps(box) && !isCaret(g.tiles[i]) {
				return true
			}
		}
	}
	return false
}
