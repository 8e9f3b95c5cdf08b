package textline

import (
	"encoding/binary"
	"image"
	"io"

	"github.com/windieos/windie/perception/geo"
)

// Patch is the picture of a line of text. Each value is the difference of a pixel from the
// background. Readers return the same text for lines with equal patches.
//
// Positions are in pixels from the top left of the patch. The patch is one pixel larger on each
// side than the box of its line.
type Patch struct {
	// Origin is the top left of the patch on the screen.
	Origin image.Point
	// Width and Height are in pixels.
	Width, Height int
	// Ink has the values row by row, from 0 for the background to 255 for a stroke at full
	// strength.
	Ink   []uint8
	shade []uint8 // same scale; the assumed shadow or glow of the letters; nil if there is none
	stood []uint8 // same scale; the difference from the shadow; nil if there is none
}

// Turned returns a second patch of the line, which shows the assumed shadow or glow of the letters
// instead of the letters. Readers try it for letters whose shadow has more contrast than the
// letters. Turned returns nil if there is no shadow or glow.
func (p *Patch) Turned() *Patch {
	if p.shade == nil {
		return nil
	}
	return &Patch{Origin: p.Origin, Width: p.Width, Height: p.Height, Ink: p.shade}
}

// area returns the box of a line's patch. It may extend one pixel beyond the screen.
func (l *Line) area() image.Rectangle { return l.Box.Inset(-1) }

// Origin returns the top left of the line's patch, in pixels of the screen.
func (l *Line) Origin() image.Point { return l.area().Min }

// Look writes to w all data that determines the result of Patch, except the Origin of the result.
// Look is much faster than Patch, so a hash of the data can be the key of a cache. screen must be
// the screen that Patch would get.
func (l *Line) Look(w io.Writer, screen *image.NRGBA) {
	area := l.area()
	visible := area.Intersect(screen.Rect)
	head := make([]byte, 0, 16+3*visible.Dx())
	for _, n := range [...]int{area.Dx(), area.Dy(), visible.Min.X - area.Min.X, visible.Min.Y - area.Min.Y, visible.Dx(), visible.Dy()} {
		head = binary.LittleEndian.AppendUint32(head, uint32(n))
	}
	for _, ground := range l.grounds(visible) {
		head = append(head, ground[:]...)
	}
	_, _ = w.Write(head) // a hash returns no error
	for y := visible.Min.Y; y < visible.Max.Y; y++ {
		_, _ = w.Write(screen.Pix[y*screen.Stride+4*visible.Min.X:][:4*visible.Dx()])
	}
}

// Patch cuts the line out of screen. screen must be the picture in which Find found the line, or
// the same picture before ripples and grain were removed.
func (l *Line) Patch(screen *image.NRGBA) *Patch {
	area := l.area()
	p := &Patch{Origin: area.Min, Width: area.Dx(), Height: area.Dy()}
	visible := area.Intersect(screen.Rect)
	grounds := l.grounds(visible)
	bright, colour := newInk(p.Width*p.Height), newInk(p.Width*p.Height)
	var under underline
	for y := visible.Min.Y; y < visible.Max.Y; y++ {
		from := screen.Pix[y*screen.Stride+4*visible.Min.X:]
		start := (y-area.Min.Y)*p.Width + visible.Min.X - area.Min.X
		for x, ground := range grounds {
			v := binary.LittleEndian.Uint32(from[4*x:])
			c := pixel{uint8(v), uint8(v >> 8), uint8(v >> 16)}
			under.see(start+x, y-area.Min.Y >= p.Height*3/5, ground, c)
			d := c.brightness() - ground.brightness()
			bright.set(start+x, geo.Abs(d), d < 0)
			colour.set(start+x, ground.apart(c), d < 0)
		}
	}
	if under.isThere(p.Width) {
		bright.drop(under.below)
		colour.drop(under.below)
	}
	ink := colour
	if full := bright.full(); full >= 2*threshold && 100*full >= brightPart*colour.full() {
		// brightness is sharper where colours are compressed or letters are drawn with subpixels
		ink = bright
		if stood := ink.stood(p.Width); stood != nil {
			p.stood = stood.scaled()
		}
		ink.addColours(colour, p.Width, full)
		if shade := ink.dropShadow(p.Width); shade != nil {
			p.shade = shade.scaled()
		}
	}
	p.Ink = ink.scaled()
	return p
}

const (
	// minimum difference in brightness, in percent of that in colour, for ink by brightness alone
	brightPart = 45
	shadowPart = 12 // minimum shadow or glow, in percent of a line's ink
)

// ink has the difference of each pixel from its ground, and whether the pixel is darker.
type ink struct {
	far             []uint8 // differences by rows, 0 to 255
	dark            []bool
	lighter, darker [256]int // counts of lighter and of darker pixels by their difference
}

const (
	// maximum difference in brightness, in percent of that in colour, where letters are dim
	dimPart  = 30
	leastHue = 4 * threshold // minimum difference in colour, 0 to 255
	// minimum pixels of such a word's width
	leastDimly = 8
)

// addColours replaces the ink of words that hardly differ from their ground in brightness with
// their difference in colour. An example is a blue word on black beside white words. full is the
// difference of a full stroke of the line.
func (k *ink) addColours(colour *ink, width, full int) {
	dim := 0
	for i, c := range colour.far {
		if c >= leastHue && 100*int(k.far[i]) <= dimPart*int(c) {
			dim++
		}
	}
	height := len(k.far) / width
	if dim < leastDimly {
		return
	}
	dark := inked(&k.darker) > inked(&k.lighter)
	column := func(x int) (bright, hue int) {
		for i := x; i < len(k.far); i += width {
			bright, hue = max(bright, int(k.far[i])), max(hue, int(colour.far[i]))
		}
		return bright, hue
	}
	// from, bright and hue are of the current word. empty counts the columns without ink after it.
	from, bright, hue, empty := 0, 0, 0, 0
	end := func(x int) {
		if hue >= leastHue && 100*bright <= dimPart*hue && x-from >= leastDimly {
			k.take(colour, from, x, width, full, hue, dark)
		}
	}
	for x := range width {
		b, h := column(x)
		if h >= 2*threshold {
			bright, hue, empty = max(bright, b), max(hue, h), 0
			continue
		}
		if empty++; 3*empty >= height {
			end(x)
			from, bright, hue = x+1, 0, 0
		}
	}
	end(width)
}

// take copies the columns from x0 up to x1 from another ink. It scales them so that a difference of
// most becomes full, at most 255.
func (k *ink) take(from *ink, x0, x1, width, full, most int, dark bool) {
	for y := range len(k.far) / width {
		for x := x0; x < x1; x++ {
			i := y*width + x
			k.drop([]int{i})
			k.set(i, min(255, int(from.far[i])*full/most), dark)
		}
	}
}

// underline finds the coloured waves under misspelt words: coloured pixels below letters without
// colour.
type underline struct {
	below       []int  // indices of the coloured pixels below
	above, grey int    // counts of the coloured and of the other pixels above
	letters     [3]int // the sum of the differences of the pixels above from their ground
}

// coloured is the minimum spread of a pixel's differences from its ground over the three channels,
// for a coloured pixel.
const coloured = 64

// see counts a pixel of a line. The caller passes the pixels by rows: see must count the letters
// before the low rows.
func (u *underline) see(i int, low bool, ground, c pixel) {
	var d [3]int
	for k := range c {
		d[k] = int(c[k]) - int(ground[k])
	}
	least, most := min(d[0], d[1], d[2]), max(d[0], d[1], d[2])
	uneven, strong := most-least >= coloured, max(most, -least) >= threshold
	switch {
	case low:
		if uneven && u.isUnlikeLetters(d) {
			u.below = append(u.below, i)
		}
		return
	case uneven:
		u.above++
	case strong:
		u.grey++
	}
	if strong {
		for k, v := range d {
			u.letters[k] += v
		}
	}
}

// isUnlikeLetters reports whether a difference from the ground is still coloured after its part in
// proportion to the letters above is removed. White letters on blue, for example, differ unevenly
// everywhere.
func (u *underline) isUnlikeLetters(d [3]int) bool {
	along, length := 0, 0
	for k, v := range u.letters {
		along, length = along+d[k]*v, length+v*v
	}
	if length == 0 {
		return true
	}
	part := float64(along) / float64(length)
	for k, v := range u.letters {
		d[k] -= int(part * float64(v))
	}
	return max(d[0], d[1], d[2])-min(d[0], d[1], d[2]) >= coloured
}

// isThere reports whether the pixels seen include a coloured wave: coloured pixels below for at
// least a quarter of the width of the patch, and almost none above.
func (u *underline) isThere(width int) bool {
	return 4*len(u.below) >= width && 10*u.above <= u.grey
}

// drop clears the pixels with the indices in list.
func (k *ink) drop(list []int) {
	for _, i := range list {
		if k.dark[i] {
			k.darker[k.far[i]]--
		} else {
			k.lighter[k.far[i]]--
		}
		k.far[i] = 0
	}
}

// newInk returns ink of n pixels that equal their ground. The pixels are not in the counts until
// set is called for them.
func newInk(n int) *ink { return &ink{far: make([]uint8, n), dark: make([]bool, n)} }

// set sets the difference of pixel i, 0 to 255, and counts it. The pixel must not be in the counts,
// so callers drop it first.
func (k *ink) set(i, far int, dark bool) {
	k.far[i], k.dark[i] = uint8(far), dark
	if dark {
		k.darker[far]++
	} else {
		k.lighter[far]++
	}
}

// full returns the difference of a full stroke, threshold to 255.
func (k *ink) full() int {
	var all [256]int
	for d := range all {
		all[d] = k.lighter[d] + k.darker[d]
	}
	return fullInk(&all)
}

// dropShadow clears the shadow or the glow of letters: in parts between blank columns that have both
// much ink lighter than the ground and much that is darker, it clears the side that isShadowDark
// names. It returns the cleared ink, or nil if there is no such part. Parts of one side stay: a row
// may have white words and black ones.
func (k *ink) dropShadow(width int) *ink {
	shade, dropped, dark := newInk(len(k.far)), false, k.isShadowDark(width)
	from, light, dim := 0, 0, 0
	for x := range width + 1 {
		lightHere, dimHere := 0, 0
		for i := x; x < width && i < len(k.far); i += width {
			switch {
			case k.far[i] < threshold:
			case k.dark[i]:
				dimHere++
			default:
				lightHere++
			}
		}
		if lightHere+dimHere > 0 {
			light, dim = light+lightHere, dim+dimHere
			continue
		}
		if min(light, dim) > 0 && 100*min(light, dim) >= shadowPart*(light+dim) {
			k.moveSide(shade, from, x, width, dark)
			dropped = true
		}
		from, light, dim = x+1, 0, 0
	}
	if !dropped {
		return nil
	}
	return shade
}

// moveSide moves the pixels of the columns x0 up to x1 that are darker than the ground, or those that
// are lighter, to another ink.
func (k *ink) moveSide(to *ink, x0, x1, width int, dark bool) {
	for y := range len(k.far) / width {
		for i := y*width + x0; i < y*width+x1; i++ {
			if k.dark[i] == dark && k.far[i] > 0 {
				to.set(i, int(k.far[i]), dark)
				k.drop([]int{i})
			}
		}
	}
}

// Limits by which isShadowDark distinguishes letters from their shadow.
const (
	faintShadow = 4 // a side whose full difference is this part of the other's, a quarter, is the shadow
	oneSided    = 4 // a shadow lies right of and below the letters if this part more of the borders says so: a quarter
)

// isShadowDark reports whether the pixels that are darker than the ground are the shadow of lighter
// letters, rather than the reverse. The shadow is much fainter than the letters; or it lies right of
// and below them; or it lies around them, so it has more borders with the ground.
func (k *ink) isShadowDark(width int) bool {
	light, dim := fullInk(&k.lighter), fullInk(&k.darker)
	if faintShadow*min(light, dim) <= max(light, dim) {
		return light > dim
	}
	var pixels, borders, before [2]int // of the lighter side and of the darker one
	side := func(i int) int {
		if k.dark[i] {
			return 1
		}
		return 0
	}
	for i, d := range k.far {
		if d < threshold {
			continue
		}
		own, x := side(i), i%width
		pixels[own]++
		for _, next := range [...]struct{ dx, dy int }{{1, 0}, {0, 1}, {1, 1}, {-1, 0}, {0, -1}} {
			j := i + next.dy*width + next.dx
			switch {
			case x+next.dx < 0 || x+next.dx >= width || j < 0 || j >= len(k.far) || k.far[j] < threshold:
				borders[own]++
			case side(j) != own && next.dx+next.dy > 0:
				before[own]++
			}
		}
	}
	if d := before[0] - before[1]; oneSided*geo.Abs(d) >= before[0]+before[1] {
		return d > 0
	}
	return borders[1]*pixels[0] > borders[0]*pixels[1]
}

// strokePart is the minimum height of a line, in widths of its stroke. A shadow is within this
// width beside the stroke.
const strokePart = 5

// Limits for letters that differ more from their shadow than from the ground. The letters and their
// shadow are on opposite sides of the ground: one is lighter, the other darker. Without a shadow,
// the pixels between letters equal the ground.
const (
	stoodBeyond = 8  // minimum difference from the ground, less one, 0 to 255
	stoodShare  = 25 // minimum percent of the letters' pixels with this difference
	// minimum percent of all pixels with this difference: a cheap check that ends the work for most
	// lines
	stoodLeast = 2
)

// stood returns the difference of pixels from the pixels within a stroke's width beside them, on
// the side of the ground that differs less. Letters that hardly differ from the ground differ from
// their shadow. It returns nil if there are no such letters.
func (k *ink) stood(width int) *ink {
	dark := fullInk(&k.lighter) > fullInk(&k.darker) // whether the letters are darker than the ground
	side := &k.lighter
	if dark {
		side = &k.darker
	}
	there := 0
	for _, n := range side[stoodBeyond+1:] {
		there += n
	}
	if 100*there < stoodLeast*len(k.far) {
		return nil
	}
	level := make([]int, len(k.far))
	for i, d := range k.far {
		if level[i] = int(d); k.dark[i] != dark {
			level[i] = -int(d)
		}
	}
	reach := max(1, (len(k.far)/width-2)/strokePart/2)
	opened := level
	for _, most := range []bool{false, true} {
		opened = along(along(opened, width, 1, reach, most), width, width, reach, most)
	}
	out := newInk(len(level))
	for i, v := range level {
		out.set(i, min(255, v-opened[i]), dark)
	}
	full := out.full()
	strong, beyond := 0, 0
	for i, d := range out.far {
		if 2*int(d) >= full {
			strong++
			if level[i] > stoodBeyond {
				beyond++
			}
		}
	}
	if full < 2*threshold || 100*beyond < stoodShare*strong {
		return nil
	}
	return out
}

// Stood returns a second patch of the line, in which each value is the difference of a pixel from
// the shadow of the letters. Readers try it for letters that hardly differ from the background.
// Stood returns nil if there are no such letters.
func (p *Patch) Stood() *Patch {
	if p.stood == nil {
		return nil
	}
	return &Patch{Origin: p.Origin, Width: p.Width, Height: p.Height, Ink: p.stood}
}

// along returns for each value the minimum of the values at most reach from it, or the maximum if
// most is set. A step of 1 looks along the row; a step of width along the column.
func along(values []int, width, step, reach int, most bool) []int {
	out := make([]int, len(values))
	for i := range values {
		best := values[i]
		for d := -reach; d <= reach; d++ {
			j := i + d*step
			if j < 0 || j >= len(values) || step == 1 && j/width != i/width {
				continue
			}
			if most {
				best = max(best, values[j])
			} else {
				best = min(best, values[j])
			}
		}
		out[i] = best
	}
	return out
}

// scaled returns the differences scaled so that a full stroke is 255. It overwrites k.far.
func (k *ink) scaled() []uint8 {
	full := k.full()
	var scale [256]uint8
	for d := range scale {
		scale[d] = uint8(min(255, d*255/full))
	}
	for i, d := range k.far {
		k.far[i] = scale[d]
	}
	return k.far
}

// inked counts the pixels that differ from the ground by at least threshold.
func inked(counts *[256]int) (n int) {
	for _, k := range counts[threshold:] {
		n += k
	}
	return n
}

// grounds returns the ground of each visible column: the ground around the nearest glyph that
// begins left of it.
func (l *Line) grounds(visible image.Rectangle) []pixel {
	list := make([]pixel, visible.Dx())
	glyph := 0
	for x := range list {
		for glyph+1 < len(l.Glyphs) && l.Glyphs[glyph+1].Min.X <= visible.Min.X+x {
			glyph++
		}
		list[x] = l.grounding[glyph]
	}
	return list
}

// fullInk returns the difference of a full stroke, threshold to 255. A twentieth of the ink may
// differ by more.
func fullInk(counts *[256]int) int {
	total := 0
	for d := threshold; d < 256; d++ {
		total += counts[d]
	}
	left := total / 20
	for d := 255; d > threshold; d-- {
		if left -= counts[d]; left < 0 {
			return d
		}
	}
	return threshold
}

// Segments returns the boxes of the ink from left to right, in pixels of the patch. Blank columns
// separate the boxes.
func (p *Patch) Segments() []image.Rectangle {
	const faint = 64 // less ink is the blur around a letter
	var list []image.Rectangle
	open := false
	for x := range p.Width {
		top, bottom := -1, -1
		for y := range p.Height {
			if p.Ink[y*p.Width+x] >= faint {
				if top < 0 {
					top = y
				}
				bottom = y + 1
			}
		}
		if top < 0 {
			open = false
			continue
		}
		column := image.Rect(x, top, x+1, bottom)
		if open {
			list[len(list)-1] = list[len(list)-1].Union(column)
		} else {
			list = append(list, column)
		}
		open = true
	}
	return list
}
