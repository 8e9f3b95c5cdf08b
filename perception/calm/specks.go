package calm

import (
	"context"
	"image"
)

// Specks are what smoothing and compression leave of grain.
const (
	aloneRange = 8  // times the mean difference that colours of a tile of grain alone are apart, at most
	aloneTiles = 10 // tiles of grain alone around one whose specks are taken out, at least
	speckMost  = 40 // letters differ from their ground by more, and by more than 5/4 of what grain does

	mostMarked = 16 << 20 // pixels of a picture whose specks are looked for, at most: larger ones are photographs or of large letters
)

// marksBytes returns what the marks of a picture's pixels take, 0 for one that is too large for them.
func marksBytes(size image.Point) int64 {
	if n := int64(size.X) * int64(size.Y); n <= mostMarked {
		return n // a mark has a byte
	}
	return 0
}

// dropSpecks sets what is left of grain to the ground around it, where tiles have nothing but grain: what differs from the
// ground less than letters do, and does not touch what differs as much.
func (p *picture) dropSpecks(ctx context.Context) error {
	if marksBytes(p.Rect.Size()) == 0 {
		return nil
	}
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
			if !m.grainy || m.low.apart(m.high)*all > aloneRange*m.apart {
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
	if count < aloneTiles {
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
			case far > max(speckMost, 5*g.limit/4):
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
