package calm

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/windieos/windie/internal/fair"
)

// Grain is noise with a different value in each pixel, as on film and on some wallpapers.
const (
	// minimum percent of a tile's pixels that turn from darker to lighter or back; pure noise has
	// 67
	grainTurns  = 33
	grainEqual  = 12 // maximum percent of pixels equal to their neighbour; around letters there are more
	grainLeast  = 6  // minimum mean difference of neighbours; less is not visible
	grainMost   = 64 // limit of one difference in the sum, so that letters count little
	grainTiles  = 16 // minimum number of tiles with grain in a picture
	grainWidth  = 2  // mean differences by which pixels of the same ground may differ
	grainReach  = 5  // number of pixels on either side that are averaged
	grainAround = 2  // radius, in tiles, in which other tiles with grain count
	rgba        = 4  // bytes of a pixel
)

// smooth removes grain. Each pixel becomes the mean of the nearby pixels that differ from it by at
// most the grain, first along its row, then along its column.
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
					smoothLine(line, row, from, to, limit)
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
					smoothLine(out, column, y*tile, min((y+1)*tile, p.Rect.Dy()), limit*2/3)
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

// grain returns the maximum difference of grain in a tile. It returns 0 if neither the tile nor its
// surroundings have grain. The tile's neighbours count because letters in a tile increase its
// differences and icons reduce them.
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

// smoothLine sets the pixels of a line between the indices from (inclusive) and to (exclusive). Each becomes
// the mean of the pixels around it in source that differ from it by at most limit.
func smoothLine(line, source []uint8, from, to, limit int) {
	n := len(line) / rgba
	span := uint(2 * limit)
	same := 0 // pixels up to the last one around x that equal the one before them
	for at := max(from-grainReach, 0) + 1; at < min(from+grainReach, n); at++ {
		same = sameAs(source, at, same)
	}
	for x := from; x < to; x++ {
		if x+grainReach < n {
			same = sameAs(source, x+grainReach, same)
		}
		if same >= 2*grainReach {
			continue // all are equal
		}
		at := rgba * x
		r, g, b := int(source[at]), int(source[at+1]), int(source[at+2])
		var sumR, sumG, sumB, count int
		near := source[rgba*max(x-grainReach, 0) : rgba*(min(x+grainReach, n-1)+1)]
		for ; len(near) >= rgba; near = near[rgba:] {
			dr, dg, db := int(near[0])-r, int(near[1])-g, int(near[2])-b
			if uint(dr+limit) <= span && uint(dg+limit) <= span && uint(db+limit) <= span {
				sumR, sumG, sumB, count = sumR+dr, sumG+dg, sumB+db, count+1
			}
		}
		line[at] = uint8((sumR + r*count + count/2) / count)
		line[at+1] = uint8((sumG + g*count + count/2) / count)
		line[at+2] = uint8((sumB + b*count + count/2) / count)
	}
}

// sameAs returns same + 1 if pixel at equals the one before it, else 0.
func sameAs(source []uint8, at, same int) int {
	if binary.LittleEndian.Uint32(source[rgba*at:]) != binary.LittleEndian.Uint32(source[rgba*at-rgba:]) {
		return 0
	}
	return same + 1
}
