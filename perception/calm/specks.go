package calm

import (
	"context"
	"image"
	"slices"
)

// Specks are the rest of grain after smoothing and compression.
const (
	aloneRange = 8  // maximum contrast of a tile with grain only, in mean differences
	aloneTiles = 10 // minimum number of tiles with grain only around a tile whose specks are removed
	// maximum difference of a speck from its ground, unless 5/4 of the grain is more; letters
	// differ by more
	speckMost = 40

	// maximum pixels of a picture whose specks are removed; larger pictures are photographs or have
	// large letters
	mostMarked = 16 << 20
)

// marksBytes returns the bytes of the marks of a picture's pixels. It returns 0 if the picture is too large to
// have marks.
func marksBytes(size image.Point) int64 {
	if n := int64(size.X) * int64(size.Y); n <= mostMarked {
		return n // one byte for each mark
	}
	return 0
}

// dropSpecks sets specks to the colour of the ground, in areas that have only grain. A speck
// differs from the ground by less than letters do, and touches no pixel that differs as much as a
// letter.
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
	if err != nil || !slices.ContainsFunc(grounds, func(g *ground) bool { return g != nil }) {
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

// ground is the colour behind the grain of a tile.
type ground struct {
	colour
	limit int // maximum difference between grain and the ground
}

// groundOfGrain returns the ground of a tile, or nil if too few tiles around it have only grain.
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

// mark classifies a pixel by its difference from the ground of its grain.
type mark uint8

const (
	quiet mark = iota // near the ground, or the ground is unknown
	speck
	letter // or an icon
)

// mark sets the marks of a tile whose grain has the ground g. marks has one mark for each pixel of the picture.
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

// keepTouching marks each speck that touches a letter as a part of the letter. It spreads letters to the right
// and down, and then to the left and up. It does both twice. w is the width of the picture.
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
