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

// Minimum evidence for a move.
const (
	// width in pixels of the strips that are searched; narrower panes do not count as scrolling
	strip      = 64
	leastVotes = 8       // lines that are found again at the same distance
	leastSide  = 8       // pixels of each side of the moved area
	leastArea  = 32 * 32 // pixels of the moved area
	mostOther  = 5       // minimum ratio of moved tiles in the area to other changed tiles
)

// seed is for the hashes of lines. Equal hashes only suggest a move; explains compares the pixels.
var seed = maphash.MakeSeed()

// findMoves finds vertical and horizontal moves, largest first, and marks their tiles as moved.
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

// movesBy finds at most limit areas that moved by a distance, and marks their tiles as moved.
func (g *grid) movesBy(by image.Point, limit int) (moves []Move) {
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
		if len(moves) == limit || len(other)*mostOther > len(in) {
			continue
		}
		moves = append(moves, Move{box, by})
		for _, i := range in {
			g.moved[i] = true
		}
	}
	return moves
}

// tilesIn returns the changed tiles within a box that belong to no earlier move. in has the tiles
// that the move explains. other has the remaining tiles.
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

// likeliestMove returns the distance with the most votes: the vertical one if there is one,
// otherwise the horizontal one.
func (g *grid) likeliestMove() (by image.Point, ok bool) {
	if by.Y, ok = vote(g.ctx, g.is.Rect.Dx(), g.rowsOf); ok {
		return by, true
	}
	by.X, ok = vote(g.ctx, g.is.Rect.Dy(), g.columnsOf)
	return image.Pt(by.X, 0), ok
}

// line is the piece of a row or column within a strip.
type line struct {
	at      int    // position along the strip
	was, is uint64 // hashes of the piece on both screens; 0 if it has one color
}

// vote returns the distance with the most votes of changed lines that occur once in their strip. ok
// is false if there are too few votes.
func vote(ctx context.Context, length int, linesOf func(from, to int) []line) (best int, ok bool) {
	var mu sync.Mutex
	votes := map[int]int{}
	_ = fair.Each(ctx, (length+strip-1)/strip, func(i int) { // Diff returns the error of ctx
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

// count adds the votes of the lines of one strip.
func count(votes map[int]int, lines []line) {
	before := make(map[uint64]int, len(lines)) // earlier position by hash; -1 for several positions
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

// rowsOf returns the pieces of rows between x0 and x1 that changed and did not move.
func (g *grid) rowsOf(x0, x1 int) (lines []line) {
	for y := range g.is.Rect.Dy() {
		a, b := row(g.was, y, x0, x1), row(g.is, y, x0, x1)
		if g.open(x0, y, x1, y+1) && !bytes.Equal(a, b) {
			lines = append(lines, line{y, hashOf(a), hashOf(b)})
		}
	}
	return lines
}

// hashOf returns a hash of a line of pixels. It returns 0 if all pixels have one color.
func hashOf(pixels []byte) uint64 {
	if bytes.Equal(pixels[4:], pixels[:len(pixels)-4]) {
		return 0
	}
	return max(1, maphash.Bytes(seed, pixels))
}

// columnsOf returns the pieces of columns from y0 on, half a strip high, that changed and did not
// move.
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

// hashColumns hashes columns side by side, row after row, in the order of memory.
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

// open reports whether at least one tile in the area changed and did not move.
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

// explains reports whether each row of tile i equals the earlier content at the distance, or is
// unchanged.
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
