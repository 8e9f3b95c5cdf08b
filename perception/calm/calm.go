// Package calm takes the ripples of compression out of a picture.
//
// JPEG and lossy WebP leave ripples around letters and lines: weak edges that are not on the screen,
// bridge gaps between letters, and make flat grounds uneven. Calm sets what nearly has the colour of
// the ground around it to that colour. Pictures without ripples stay as they are.
package calm

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"slices"
	"sync"

	"github.com/windieos/windie/internal/fair"
)

const (
	tile     = 16 // pixels a side: a block of JPEG with colour at half the size
	around   = 8  // pixels of its neighbours that a tile's ground is looked for in
	weak     = 24 // neighbours that differ by less, in one colour channel, may be ripples
	rippled  = 25 // percent of a tile's pixels that ripple
	turning  = 8  // percent of them where it turns to darker or lighter, unlike a gradient
	times    = 4  // ripples are as strong as this often the mean difference of neighbours
	share    = 5  // ripples are weaker than a fifth of what the tile differs by
	leastOf  = 25 // percent of a tile that have the colour of a ground
	someOf   = 6  // the same of a ground that is flat elsewhere
	contrast = 32 // a tile that differs by less has nothing that ripples come from
	enough   = 21 // percent of the others that ripple in a compressed picture: of 130 screens as JPEG 22 to 100, as PNG seldom 19
)

// Calm changes img, whose bounds begin at (0,0), in place. Unless before is nil it is called, once, before the first change,
// and not at all for a picture that stays as it is. When ctx ends Calm returns its error soon.
func Calm(ctx context.Context, img *image.NRGBA, before func()) error {
	p := picture{NRGBA: img, wide: (img.Rect.Dx() + tile - 1) / tile, high: (img.Rect.Dy() + tile - 1) / tile}
	p.tiles = make([]measure, p.wide*p.high)
	if err := p.each(ctx, func(x, y int) { p.tiles[y*p.wide+x] = p.measure(p.area(x, y)) }); err != nil {
		return err
	}
	changing := func() {
		if before != nil {
			before()
			before = nil
		}
	}
	if err := p.smooth(ctx, changing); err != nil || !p.isCompressed() {
		return err
	}
	changing()
	if err := p.findGrounds(ctx); err != nil {
		return err
	}
	return p.each(ctx, func(x, y int) { p.calm(p.area(x, y), &p.tiles[y*p.wide+x]) })
}

// findGrounds finds the grounds of all tiles that ripple.
func (p *picture) findGrounds(ctx context.Context) error {
	flat := p.flatColours()
	return fair.Each(ctx, p.high, func(y int) {
		g := counters.Get().(*grounds)
		g.from, g.flat = p.NRGBA, flat
		defer func() {
			g.from, g.flat = nil, nil
			counters.Put(g)
		}()
		for x := range p.wide {
			if m := &p.tiles[y*p.wide+x]; m.ripples {
				m.limit = p.limit(x, y)
				m.grounds = g.find(p.area(x, y).Inset(-around).Intersect(p.Rect))
			}
		}
	})
}

// WorkingBytes returns the most memory that Calm takes for a picture besides its pixels.
func WorkingBytes(size image.Point) int64 {
	const each = 128 // a tile's measures and grounds
	return 1<<18 + each*int64(size.X/tile+1)*int64(size.Y/tile+1) + marksBytes(size)
}

type picture struct {
	*image.NRGBA
	wide, high int // in tiles
	tiles      []measure
}

// measure is what a tile's pixels are beside their right neighbours.
type measure struct {
	counts
	ripples   bool
	grainy    bool // it has noise of which each pixel has its own; see grain.go
	low, high colour

	// Of one that ripples.
	limit   int // how far ripples differ from a ground at most
	grounds []colour
}

// counts are how many pixels are how, beside their right neighbours.
type counts struct {
	sum, count int // of how far neighbours differ that hardly do
	apart      int // the sum of how far neighbours differ, grainMost at most each
	equal      int // pixels that are as their neighbours
	turns      int // pixels where it turns to darker or lighter
}

type colour [3]uint8

func (c colour) apart(o colour) int {
	d := 0
	for i := range c {
		d = max(d, int(max(c[i], o[i])-min(c[i], o[i])))
	}
	return d
}

// each calls do for each tile.
func (p *picture) each(ctx context.Context, do func(x, y int)) error {
	return fair.Each(ctx, p.high, func(y int) {
		for x := range p.wide {
			do(x, y)
		}
	})
}

func (p *picture) area(x, y int) image.Rectangle {
	return image.Rect(x*tile, y*tile, (x+1)*tile, (y+1)*tile).Intersect(p.Rect)
}

func (p *picture) measure(area image.Rectangle) measure {
	m := measure{}
	low, high := channels{255, 255, 255}, channels{}
	var above []uint8
	var here counts
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := p.Pix[y*p.Stride+4*area.Min.X : y*p.Stride+4*area.Max.X]
		if !bytes.Equal(row, above) {
			here, low, high = countsOf(row, low, high)
		}
		m.add(here)
		above = row
	}
	m.low, m.high = colour{low.r, low.g, low.b}, colour{high.r, high.g, high.b}
	all := area.Dx() * area.Dy()
	m.ripples = m.count*100 >= rippled*all && m.turns*100 >= turning*all
	m.grainy = m.turns*100 >= grainTurns*all && m.equal*100 <= grainEqual*all && m.apart >= grainLeast*all
	return m
}

// countsOf counts a row of a tile, and widens bounds to its colours.
func countsOf(row []uint8, low, high channels) (n counts, _, _ channels) {
	last, lighter := binary.LittleEndian.Uint32(row), false
	before := channelsOf(last)
	low, high = low.min(before), high.max(before)
	if bytes.Equal(row[4:], row[:len(row)-4]) { // of one colour, as most of a screen is
		return counts{equal: len(row)/4 - 1}, low, high
	}
	for x := 4; x < len(row); x += 4 {
		v := binary.LittleEndian.Uint32(row[x:])
		if v == last {
			n.equal++
			continue
		}
		c := channelsOf(v)
		low, high = low.min(c), high.max(c)
		d := int(c.apart(before))
		n.apart += min(d, grainMost)
		if d < weak {
			n.count++
			n.sum += d
		}
		if now := c.sum() > before.sum(); now != lighter {
			n.turns++
			lighter = now
		}
		last, before = v, c
	}
	return n, low, high
}

func (n *counts) add(o counts) {
	n.sum += o.sum
	n.count += o.count
	n.apart += o.apart
	n.equal += o.equal
	n.turns += o.turns
}

func (m *measure) see(c colour) {
	for i, v := range c {
		m.low[i], m.high[i] = min(m.low[i], v), max(m.high[i], v)
	}
}

// channels is a colour in registers, in which the compiler keeps no array.
type channels struct{ r, g, b uint8 }

func channelsOf(v uint32) channels { return channels{uint8(v), uint8(v >> 8), uint8(v >> 16)} }

func (c channels) min(o channels) channels {
	return channels{min(c.r, o.r), min(c.g, o.g), min(c.b, o.b)}
}

func (c channels) max(o channels) channels {
	return channels{max(c.r, o.r), max(c.g, o.g), max(c.b, o.b)}
}

func (c channels) sum() int { return int(c.r) + int(c.g) + int(c.b) }

func (c channels) apart(o channels) uint8 {
	low, high := c.min(o), c.max(o)
	return max(high.r-low.r, high.g-low.g, high.b-low.b)
}

// isCompressed reports whether the picture was compressed with loss. Others have photographs and soft shadows,
// which would lose what they are.
func (p *picture) isCompressed() bool {
	all, ripple := 0, 0
	for _, m := range p.tiles {
		if m.low.apart(m.high) < contrast {
			continue
		}
		all++
		if m.ripples {
			ripple++
		}
	}
	return ripple*100 > enough*all
}

// limit returns how far ripples in a tile that has some differ from its ground at most, or 0 if
// nothing around it is where they could come from.
func (p *picture) limit(x, y int) int {
	m := measure{low: colour{255, 255, 255}}
	for ny := max(y-1, 0); ny <= min(y+1, p.high-1); ny++ {
		for nx := max(x-1, 0); nx <= min(x+1, p.wide-1); nx++ {
			m.see(p.tiles[ny*p.wide+nx].low)
			m.see(p.tiles[ny*p.wide+nx].high)
		}
	}
	if d := m.low.apart(m.high); d >= contrast {
		here := p.tiles[y*p.wide+x]
		return min(d/share, times*here.sum/here.count)
	}
	return 0
}

// calm sets what differs by at most the limit from a ground in a tile's area to the nearest ground.
func (p *picture) calm(area image.Rectangle, m *measure) {
	if m.limit == 0 {
		return
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := p.Pix[y*p.Stride+4*area.Min.X : y*p.Stride+4*area.Max.X]
		for x := 0; x < len(row); x += 4 {
			c := colour(row[x : x+3])
			best, distance := c, m.limit+1
			for _, ground := range m.grounds {
				if d := c.apart(ground); d < distance {
					best, distance = ground, d
				}
			}
			copy(row[x:], best[:])
		}
	}
}

// most is how many flat colours a picture is looked at for.
const most = 48

// flatColours returns the colours of the largest flat parts: tiles of one colour.
func (p *picture) flatColours() []colour {
	count := map[colour]int{}
	for _, m := range p.tiles {
		if m.low == m.high {
			count[m.low]++
		}
	}
	list := make([]colour, 0, len(count))
	for c := range count {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b colour) int {
		if d := count[b] - count[a]; d != 0 {
			return d
		}
		return slices.Compare(a[:], b[:])
	})
	return list[:min(len(list), most)]
}

// grounds finds the colours that tiles have most of.
type grounds struct {
	from   *image.NRGBA // as it was
	flat   []colour
	counts [1 << 15]uint16 // of pixels, by keyOf their colour
	seen   []uint16        // keys of those that are not zero
}

// find returns the colours that many pixels of a window have, and those that are flat elsewhere and
// some have.
func (g *grounds) find(window image.Rectangle) []colour {
	g.seen = g.seen[:0]
	for y := window.Min.Y; y < window.Max.Y; y++ {
		row := g.from.Pix[y*g.from.Stride+4*window.Min.X : y*g.from.Stride+4*window.Max.X]
		for x := 0; x < len(row); x += 4 {
			key := keyOf(colour(row[x : x+3]))
			if g.counts[key] == 0 {
				g.seen = append(g.seen, key)
			}
			g.counts[key]++
		}
	}
	all := window.Dx() * window.Dy()
	var list []colour
	for _, f := range g.flat {
		if g.near(f)*100 >= someOf*all {
			list = append(list, f)
		}
	}
	for _, key := range g.seen {
		c := colour{uint8(key>>10)<<3 + 4, uint8(key>>5&31)<<3 + 4, uint8(key&31)<<3 + 4}
		if int(g.counts[key])*100 >= leastOf*all && !slices.ContainsFunc(list, func(o colour) bool { return o.apart(c) <= 12 }) {
			list = append(list, c)
		}
	}
	for _, key := range g.seen {
		g.counts[key] = 0
	}
	return list
}

// counters are grounds that nobody uses: their counts are zero, and take 64 KB.
var counters = sync.Pool{New: func() any { return new(grounds) }}

// keyOf returns the five highest bits of each channel.
func keyOf(c colour) uint16 { return uint16(c[0]>>3)<<10 | uint16(c[1]>>3)<<5 | uint16(c[2]>>3) }

// near returns how many pixels are of about a colour.
func (g *grounds) near(c colour) (n int) {
	const about = 4
	for r := max(int(c[0])-about, 0) >> 3; r <= min(int(c[0])+about, 255)>>3; r++ {
		for gr := max(int(c[1])-about, 0) >> 3; gr <= min(int(c[1])+about, 255)>>3; gr++ {
			for b := max(int(c[2])-about, 0) >> 3; b <= min(int(c[2])+about, 255)>>3; b++ {
				key := uint16(r)<<10 | uint16(gr)<<5 | uint16(b)
				n += int(g.counts[key])
			}
		}
	}
	return n
}
