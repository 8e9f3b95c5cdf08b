package diff

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"
	"image"
	"math/bits"
	"slices"
	"sync"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/geo"
)

// How much must speak for a move.
const (
	strip      = 64 // pixels, the width of the pieces of lines; narrower panes do not scroll
	leastVotes = 8  // lines that are found again at one distance
	leastSide  = 8  // pixels of the box of what moved
	leastArea  = 32 * 32
	mostOther  = 5 // tiles of the box for each one that may show something else
)

// seed makes the hashes of lines. Pixels are compared before a move is believed.
var seed = maphash.MakeSeed()

// findMoves finds what moved upright or sidewards, the largest first, and marks its tiles.
func (g *grid) findMoves() (moves []Move) {
	for found := true; found && len(moves) < MaxMoves; {
		var by image.Point
		if by, found = g.likeliestMove(); found {
			before := len(moves)
			moves = append(moves, g.movesBy(by, MaxMoves-before)...)
			found = len(moves) > before
		}
	}
	slices.SortStableFunc(moves, func(a, b Move) int { return geo.Area(b.Box) - geo.Area(a.Box) })
	return moves
}

// movesBy finds at most most parts that moved by a distance, and marks their tiles.
func (g *grid) movesBy(by image.Point, most int) (moves []Move) {
	explained := make([]bool, len(g.tiles))
	for i := range g.tiles {
		explained[i] = g.counts[i] > 0 && !g.moved[i] && g.ctx.Err() == nil && g.explains(i, by)
	}
	boxes := slices.DeleteFunc(g.regions(4, func(i int) bool { return explained[i] }), func(b image.Rectangle) bool {
		return min(b.Dx(), b.Dy()) < leastSide || geo.Area(b) < leastArea
	})
	slices.SortStableFunc(boxes, func(a, b image.Rectangle) int { return geo.Area(b) - geo.Area(a) })
	for _, box := range unite(boxes[:min(len(boxes), maxUnited)]) {
		in, other := g.tilesIn(box, explained)
		if len(moves) == most || len(other)*mostOther > len(in) {
			continue
		}
		moves = append(moves, Move{box, by})
		for _, i := range in {
			g.moved[i] = true
		}
	}
	return moves
}

// tilesIn returns the tiles in a box that changed and did not move before.
func (g *grid) tilesIn(box image.Rectangle, explained []bool) (in, other []int) {
	for y := box.Min.Y / tile; y <= (box.Max.Y-1)/tile; y++ {
		for x := box.Min.X / tile; x <= (box.Max.X-1)/tile; x++ {
			switch i := y*g.w + x; {
			case g.counts[i] == 0 || g.moved[i] || !g.tiles[i].In(box):
			case explained[i]:
				in = append(in, i)
			default:
				other = append(other, i)
			}
		}
	}
	return in, other
}

// likeliestMove returns the distance of most lines: upright, or else sidewards.
func (g *grid) likeliestMove() (by image.Point, ok bool) {
	if by.Y, ok = vote(g.ctx, g.is.Rect.Dx(), g.rowsOf); ok {
		return by, true
	}
	by.X, ok = vote(g.ctx, g.is.Rect.Dy(), g.columnsOf)
	return image.Pt(by.X, 0), ok
}

// A line is the piece of a row or column in a strip. Its hash is 0 if in one color.
type line struct {
	at      int // where it crosses the strip
	was, is uint64
}

// vote finds the distance of most lines that changed, and were in their strip once.
func vote(ctx context.Context, length int, linesOf func(from, to int) []line) (best int, ok bool) {
	var mu sync.Mutex
	votes := map[int]int{}
	_ = fair.Each(ctx, (length+strip-1)/strip, func(i int) { // Diff returns the context's error
		own := map[int]int{}
		count(own, linesOf(i*strip, min((i+1)*strip, length)))
		mu.Lock()
		defer mu.Unlock()
		for d, v := range own {
			votes[d] += v
		}
	})
	for d, n := range votes {
		if n > votes[best] || n == votes[best] && d < best {
			best = d
		}
	}
	return best, votes[best] >= leastVotes
}

// count adds the votes of a strip.
func count(votes map[int]int, lines []line) {
	before := make(map[uint64]int, len(lines)) // where a line was; -1 for several
	for _, l := range lines {
		at := l.at
		if _, twice := before[l.was]; twice || l.was == 0 {
			at = -1
		}
		before[l.was] = at
	}
	for _, l := range lines {
		if at, found := before[l.is]; found && at >= 0 {
			votes[l.at-at]++
		}
	}
}

// rowsOf returns the pieces of rows from x0 to x1 that changed and did not move.
func (g *grid) rowsOf(x0, x1 int) (lines []line) {
	for y := range g.is.Rect.Dy() {
		a, b := row(g.was, y, x0, x1), row(g.is, y, x0, x1)
		if g.open(x0, y, x1, y+1) && !bytes.Equal(a, b) {
			lines = append(lines, line{y, hashOf(a), hashOf(b)})
		}
	}
	return lines
}

func hashOf(pixels []byte) uint64 {
	if bytes.Equal(pixels[4:], pixels[:len(pixels)-4]) {
		return 0
	}
	return max(1, maphash.Bytes(seed, pixels))
}

// columnsOf returns pieces of columns that changed and did not move, by half the strip's height.
func (g *grid) columnsOf(y0, y1 int) (lines []line) {
	y1 = min(y1, y0+strip/2)
	width := g.is.Rect.Dx()
	x0 := 0
	for x0 < width && !g.open(x0, y0, x0+1, y1) {
		x0 += tile
	}
	x1 := width
	for x1 > x0 && !g.open(x1-1, y0, x1, y1) {
		x1 = (x1 - 1) / tile * tile
	}
	if x0 >= x1 {
		return nil
	}
	was, is := hashColumns(g.was, x0, x1, y0, y1), hashColumns(g.is, x0, x1, y0, y1)
	for i := range is {
		if was[i] != is[i] {
			lines = append(lines, line{x0 + i, was[i], is[i]})
		}
	}
	return lines
}

// hashColumns hashes columns side by side, row after row, as they are in memory.
func hashColumns(img *image.NRGBA, x0, x1, y0, y1 int) []uint64 {
	const prime = 0x9E3779B97F4A7C15
	hashes, other := make([]uint64, x1-x0), make([]uint32, x1-x0)
	first := row(img, y0, x0, x1)
	for y := y0; y < y1; y++ {
		pixels := row(img, y, x0, x1)
		for i := range hashes {
			p := binary.LittleEndian.Uint32(pixels[4*i:])
			other[i] |= p ^ binary.LittleEndian.Uint32(first[4*i:])
			hashes[i] = bits.RotateLeft64(hashes[i], 23) ^ uint64(p)*prime
		}
	}
	for i, o := range other {
		if o == 0 {
			hashes[i] = 0
		}
	}
	return hashes
}

// open reports whether any tile that a line crosses changed and did not move.
func (g *grid) open(x0, y0, x1, y1 int) bool {
	for y := y0 / tile; y <= (y1-1)/tile; y++ {
		for x := x0 / tile; x <= (x1-1)/tile; x++ {
			if i := y*g.w + x; g.counts[i] > 0 && !g.moved[i] {
				return true
			}
		}
	}
	return false
}

// explains reports whether a tile shows what was at the distance before, or has not changed.
func (g *grid) explains(i int, by image.Point) bool {
	box := image.Rect(i%g.w*tile, i/g.w*tile, (i%g.w+1)*tile, (i/g.w+1)*tile).Intersect(g.is.Rect)
	if from := box.Sub(by); !from.In(g.is.Rect) {
		return false
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		now := row(g.is, y, box.Min.X, box.Max.X)
		if !bytes.Equal(now, row(g.was, y-by.Y, box.Min.X-by.X, box.Max.X-by.X)) && !bytes.Equal(now, row(g.was, y, box.Min.X, box.Max.X)) {
			return false
		}
	}
	return true
}
