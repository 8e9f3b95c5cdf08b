package calm

import (
	"context"
	"slices"

	"github.com/windieos/windie/internal/fair"
)

// Grain is noise of which each pixel has its own, as that of film and of some wallpapers.
const (
	grainTurns  = 33 // percent of a tile's pixels where it turns to darker or lighter: of noise alone 67
	grainEqual  = 12 // percent that are as their neighbours at most, unlike around letters
	grainLeast  = 6  // mean difference of neighbours; less is no edge
	grainMost   = 64 // what a difference counts as at most, so that letters count little
	grainTiles  = 16 // in a picture, at least
	grainWidth  = 2  // times the mean difference: what is as far from a pixel may be of the same ground
	grainReach  = 5  // pixels to either side that are looked at
	grainAround = 2  // tiles around one of grain that have some too
)

// smooth takes out grain: a pixel becomes the mean of those beside it that differ from it by no more
// than grain does, first of its row, then of its column.
func (p *picture) smooth(ctx context.Context, changing func()) error {
	limits := make([]int, len(p.tiles))
	count := 0
	for y := range p.high {
		for x := range p.wide {
			if limits[y*p.wide+x] = p.grain(x, y); limits[y*p.wide+x] > 0 {
				count++
			}
		}
	}
	if count < grainTiles {
		return nil
	}
	changing()
	err := fair.Each(ctx, p.high, func(y int) {
		row := make([]uint8, p.Stride)
		for at := y * tile; at < min((y+1)*tile, p.Rect.Dy()); at++ {
			line := p.Pix[at*p.Stride : at*p.Stride+4*p.Rect.Dx()]
			copy(row, line)
			for x := range p.wide {
				if limit := limits[y*p.wide+x]; limit > 0 {
					from, to := x*tile, min((x+1)*tile, p.Rect.Dx())
					smoothLine(line, row, from, to, 4, limit)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	err = fair.Each(ctx, p.wide, func(x int) {
		column, out := make([]uint8, 4*p.Rect.Dy()), make([]uint8, 4*p.Rect.Dy())
		grainy := false
		for y := range p.high {
			grainy = grainy || limits[y*p.wide+x] > 0
		}
		for at := x * tile; grainy && at < min((x+1)*tile, p.Rect.Dx()); at++ {
			for y := range p.Rect.Dy() {
				copy(column[4*y:4*y+4], p.Pix[y*p.Stride+4*at:])
			}
			copy(out, column)
			for y := range p.high {
				if limit := limits[y*p.wide+x]; limit > 0 {
					smoothLine(out, column, y*tile, min((y+1)*tile, p.Rect.Dy()), 4, limit*2/3)
				}
			}
			for y := range p.Rect.Dy() {
				copy(p.Pix[y*p.Stride+4*at:][:4], out[4*y:])
			}
		}
	})
	if err != nil {
		return err
	}
	return p.dropSpecks(ctx)
}

// grain returns how far pixels of a tile differ by grain at most, or 0 if there is none in it and around
// it. Letters make a tile differ more, and icons less, so its neighbours count too.
func (p *picture) grain(x, y int) int {
	var list []int
	for ny := max(y-grainAround, 0); ny <= min(y+grainAround, p.high-1); ny++ {
		for nx := max(x-grainAround, 0); nx <= min(x+grainAround, p.wide-1); nx++ {
			if m := &p.tiles[ny*p.wide+nx]; m.grainy {
				area := p.area(nx, ny)
				list = append(list, grainWidth*m.apart/(area.Dx()*area.Dy()))
			}
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/4]
}

// smoothLine sets pixels from..to of a line to the means of those around them in source that differ from
// them by at most limit.
func smoothLine(line, source []uint8, from, to, step, limit int) {
	n := len(line) / step
	for x := from; x < to; x++ {
		here := colour(source[step*x : step*x+3])
		var sum [3]int
		count := 0
		for at := max(x-grainReach, 0); at <= min(x+grainReach, n-1); at++ {
			c := colour(source[step*at : step*at+3])
			if c.apart(here) > limit {
				continue
			}
			count++
			for i, v := range c {
				sum[i] += int(v)
			}
		}
		for i := range sum {
			line[step*x+i] = uint8((sum[i] + count/2) / count)
		}
	}
}
