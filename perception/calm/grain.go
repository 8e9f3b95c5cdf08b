package calm

import (
	"context"
	"image"
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
	grainRange  = 8  // times the mean difference that colours of a tile of grain alone are apart
	grainAlone  = 10 // tiles of grain alone around one whose specks are taken out
	grainSpeck  = 40 // letters differ from their ground by more, and by more than 5/4 of what grain does
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

// dropSpecks sets what is left of grain to the ground around it, where tiles have nothing but grain: what differs from the
// ground less than letters do, and does not touch what differs as much.
func (p *picture) dropSpecks(ctx context.Context) error {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	grounds := make([]*ground, len(p.tiles))
	marks := make([]mark, w*h)
	err := p.each(ctx, func(x, y int) {
		if g := p.groundOfGrain(x, y); g != nil {
			grounds[y*p.wide+x] = g
			p.mark(marks, p.area(x, y), g)
		}
	})
	if err != nil {
		return err
	}
	if err := keepTouching(ctx, marks, w); err != nil {
		return err
	}
	return p.each(ctx, func(x, y int) {
		g, area := grounds[y*p.wide+x], p.area(x, y)
		if g == nil {
			return
		}
		for at := area.Min.Y; at < area.Max.Y; at++ {
			for i := area.Min.X; i < area.Max.X; i++ {
				if marks[at*w+i] == speck {
					copy(p.Pix[at*p.Stride+4*i:], g.colour[:])
				}
			}
		}
	})
}

// ground is what a tile of grain has behind its grain.
type ground struct {
	colour
	limit int // how far grain differs from it at most
}

// groundOfGrain returns the ground of a tile among tiles that have nothing but grain, or nil if there are few of them.
func (p *picture) groundOfGrain(x, y int) *ground {
	var sum [3]int
	pixels, limit, count := 0, 0, 0
	for ny := max(y-grainAround, 0); ny <= min(y+grainAround, p.high-1); ny++ {
		for nx := max(x-grainAround, 0); nx <= min(x+grainAround, p.wide-1); nx++ {
			m, area := &p.tiles[ny*p.wide+nx], p.area(nx, ny)
			all := area.Dx() * area.Dy()
			if !m.grainy || m.low.apart(m.high)*all > grainRange*m.apart {
				continue
			}
			count, limit, pixels = count+1, limit+grainWidth*m.apart/all, pixels+all
			for at := area.Min.Y; at < area.Max.Y; at++ {
				row := p.Pix[at*p.Stride+4*area.Min.X : at*p.Stride+4*area.Max.X]
				for i := 0; i < len(row); i += 4 {
					sum[0], sum[1], sum[2] = sum[0]+int(row[i]), sum[1]+int(row[i+1]), sum[2]+int(row[i+2])
				}
			}
		}
	}
	if count < grainAlone {
		return nil
	}
	g := &ground{limit: limit / count}
	for i := range sum {
		g.colour[i] = uint8(sum[i] / pixels)
	}
	return g
}

// mark is what a pixel is beside the ground of its grain.
type mark uint8

const (
	quiet mark = iota // near it, or no ground is known
	speck
	letter // or an icon
)

func (p *picture) mark(marks []mark, area image.Rectangle, g *ground) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := p.Pix[y*p.Stride+4*area.Min.X : y*p.Stride+4*area.Max.X]
		for x := 0; x < len(row); x += 4 {
			at := y*p.Rect.Dx() + area.Min.X + x/4
			switch far := colour(row[x : x+3]).apart(g.colour); {
			case far > max(grainSpeck, 5*g.limit/4):
				marks[at] = letter
			case 2*far > g.limit:
				marks[at] = speck
			}
		}
	}
}

// keepTouching makes specks that touch a letter parts of it: to the right and down, then to the left and up, twice.
func keepTouching(ctx context.Context, marks []mark, w int) error {
	for range 2 {
		for i := range marks {
			if marks[i] == speck && (i%w > 0 && marks[i-1] == letter || i >= w && marks[i-w] == letter) {
				marks[i] = letter
			}
			if i%w == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		for i := len(marks) - 1; i >= 0; i-- {
			if marks[i] == speck && (i%w < w-1 && marks[i+1] == letter || i+w < len(marks) && marks[i+w] == letter) {
				marks[i] = letter
			}
			if i%w == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
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
