// Package calm removes compression ripples and grain from a picture.
//
// JPEG and lossy WebP leave ripples around letters and lines. Ripples are weak edges that the
// screen did not have. They bridge gaps between letters and make flat grounds uneven. Calm sets
// pixels that nearly have the colour of the ground around them to that colour. It does not change
// pictures without ripples or grain.
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
	tile     = 16 // side of a tile in pixels: a JPEG block whose colour has half the resolution
	around   = 8  // pixels around a tile in which its ground is also searched
	weak     = 24 // neighbours that differ by less than this in every channel may be ripples
	rippled  = 25 // minimum percent of a tile's pixels that ripple
	turning  = 8  // minimum percent that turn from darker to lighter or back, unlike a gradient
	times    = 4  // limit of ripples in mean differences of neighbours
	share    = 5  // limit of ripples as a fraction, 1/5, of the contrast around a tile
	leastOf  = 25 // minimum percent of a tile with the colour of its ground
	someOf   = 6  // the same for a ground that is flat elsewhere
	contrast = 32 // minimum contrast in a tile for ripples to arise
	// minimum percent of contrasting tiles that ripple in a compressed picture; 130 screens have 22
	// to 100 as JPEG and rarely 19 as PNG
	enough = 21
)

// Calm removes compression ripples and grain from img in place. The bounds of img must begin at
// (0,0). Just before the first change of a pixel, Calm calls prepare once, for example to copy img;
// prepare may be nil. Soon after ctx ends, Calm returns the error of ctx.
func Calm(ctx context.Context, img *image.NRGBA, prepare func()) error {
	p := picture{NRGBA: img, wide: (img.Rect.Dx() + tile - 1) / tile, high: (img.Rect.Dy() + tile - 1) / tile}
	p.tiles = make([]measure, p.wide*p.high)
	if err := p.each(ctx, func(x, y int) { p.tiles[y*p.wide+x] = p.measure(p.area(x, y)) }); err != nil {
		return err
	}
	changing := func() {
		if prepare != nil {
			prepare()
			prepare = nil
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

// findGrounds finds the grounds of all rippled tiles.
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

// WorkingBytes returns the maximum memory that Calm needs for a picture, in bytes, without the
// picture's own pixels. size is the size of the picture in pixels.
func WorkingBytes(size image.Point) int64 {
	const each = 128 // a tile's measures and grounds
	return 1<<18 + each*int64(size.X/tile+1)*int64(size.Y/tile+1) + marksBytes(size)
}

// picture is the image of one call of Calm, with its tiles.
type picture struct {
	*image.NRGBA
	wide, high int // in tiles
	tiles      []measure
}

// measure has the statistics of a tile, mostly of differences between pixels and their right
// neighbours.
type measure struct {
	counts
	ripples   bool
	grainy    bool // each pixel has its own noise; see grain.go
	low, high colour

	// Only set for rippled tiles.
	limit   int // maximum difference between ripples and a ground
	grounds []colour
}

// counts has the differences between pixels and their right neighbours.
type counts struct {
	sum, count int // sum and number of the differences below weak
	apart      int // sum of all differences, each limited to grainMost
	equal      int // pixels equal to their neighbour
	turns      int // pixels where the row turns from darker to lighter or back
}

// colour is a colour without alpha: red, green and blue.
type colour [3]uint8

// apart returns the largest difference of a channel.
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

// area returns the pixels of a tile. At the right and bottom borders of the picture, a tile may be smaller.
func (p *picture) area(x, y int) image.Rectangle {
	return image.Rect(x*tile, y*tile, (x+1)*tile, (y+1)*tile).Intersect(p.Rect)
}

// measure returns the statistics of a tile, without limit and grounds.
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

// countsOf returns the counts of a row of a tile, and extends low and high to its colours.
func countsOf(row []uint8, low, high channels) (n counts, _, _ channels) {
	last, lighter := binary.LittleEndian.Uint32(row), false
	before := channelsOf(last)
	low, high = low.min(before), high.max(before)
	if bytes.Equal(row[4:], row[:len(row)-4]) { // one colour, like most of a screen
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

// add adds the counts of another row.
func (n *counts) add(o counts) {
	n.sum += o.sum
	n.count += o.count
	n.apart += o.apart
	n.equal += o.equal
	n.turns += o.turns
}

// include extends low and high to c.
func (m *measure) include(c colour) {
	for i, v := range c {
		m.low[i], m.high[i] = min(m.low[i], v), max(m.high[i], v)
	}
}

// channels is a colour that the compiler can keep in registers, unlike an array.
type channels struct{ r, g, b uint8 }

// channelsOf returns the colour of a pixel that was read as a little-endian number.
func channelsOf(v uint32) channels { return channels{uint8(v), uint8(v >> 8), uint8(v >> 16)} }

// min returns the minimum of each channel.
func (c channels) min(o channels) channels {
	return channels{min(c.r, o.r), min(c.g, o.g), min(c.b, o.b)}
}

// max returns the maximum of each channel.
func (c channels) max(o channels) channels {
	return channels{max(c.r, o.r), max(c.g, o.g), max(c.b, o.b)}
}

// sum returns the sum of the channels, a measure of brightness.
func (c channels) sum() int { return int(c.r) + int(c.g) + int(c.b) }

// apart returns the largest difference of a channel.
func (c channels) apart(o channels) uint8 {
	low, high := c.min(o), c.max(o)
	return max(high.r-low.r, high.g-low.g, high.b-low.b)
}

// isCompressed reports whether the picture had lossy compression. Other pictures may contain
// photographs and soft shadows, which Calm would damage.
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

// limit returns the maximum difference between ripples of a rippled tile and its ground. It is 0 if
// nothing around the tile can cause ripples.
func (p *picture) limit(x, y int) int {
	m := measure{low: colour{255, 255, 255}}
	for ny := max(y-1, 0); ny <= min(y+1, p.high-1); ny++ {
		for nx := max(x-1, 0); nx <= min(x+1, p.wide-1); nx++ {
			m.include(p.tiles[ny*p.wide+nx].low)
			m.include(p.tiles[ny*p.wide+nx].high)
		}
	}
	if d := m.low.apart(m.high); d >= contrast {
		here := p.tiles[y*p.wide+x]
		return min(d/share, times*here.sum/here.count)
	}
	return 0
}

// calm sets pixels of a tile that differ from a ground by at most the limit to the nearest ground.
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

// maxColours is the maximum number of flat colours of a picture.
const maxColours = 48

// flatColours returns the colours of the largest flat areas, by their number of tiles of one
// colour.
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
	return list[:min(len(list), maxColours)]
}

// grounds finds the most common colours of tiles.
type grounds struct {
	from   *image.NRGBA // the picture before the changes
	flat   []colour
	counts [1 << 15]uint16 // number of pixels by the keyOf of their colour
	seen   []uint16        // keys whose count is not zero
}

// find returns the colours that many pixels of a window have, and flat colours of the picture that
// some of its pixels have.
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

// counters has unused grounds. Their counts are zero and take 64 KB each.
var counters = sync.Pool{New: func() any { return new(grounds) }}

// keyOf returns the five highest bits of each channel.
func keyOf(c colour) uint16 { return uint16(c[0]>>3)<<10 | uint16(c[1]>>3)<<5 | uint16(c[2]>>3) }

// near returns the number of pixels whose colour is near c.
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
