package perception

import (
	"image"

	"golang.org/x/image/draw"
)

// Limits and scale of a second reading.
const (
	againPixels = 8 << 20 // maximum pixels of a screen that is read twice; larger screens have large letters
	againMore   = 3       // numerator of the scale, 3/2
	againLess   = 2       // denominator of the scale
)

// enlargedBytes returns the bytes that enlarge needs for a screen of size, without the engine's
// memory.
func enlargedBytes(size image.Point) int64 {
	return int64(size.X) * int64(size.Y) * 4 * againMore * againMore / (againLess * againLess)
}

// MayLookAgain reports whether a screen is small enough for a second reading. size is in pixels;
// the maximum is 8 Mi pixels.
func MayLookAgain(size image.Point) bool { return size.X*size.Y <= againPixels }

// enlarge returns screen scaled by 3/2 for a second reading. The first reading often misses or
// misreads small letters, and the second reading often finds them. enlarge first erases, in screen
// itself, the strokes below access keys in the rows of the first reading.
func enlarge(screen *image.NRGBA, rows []Row) *image.NRGBA {
	for _, r := range rows {
		eraseStrokes(screen, r.Box)
	}
	size := screen.Rect.Size()
	out := image.NewNRGBA(image.Rect(0, 0, size.X*againMore/againLess, size.Y*againMore/againLess))
	// The pixels are opaque, so RGBA and NRGBA are the same. Scaling RGBA is several times as fast.
	from, to := &image.RGBA{Pix: screen.Pix, Stride: screen.Stride, Rect: screen.Rect}, &image.RGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}
	draw.BiLinear.Scale(to, to.Rect, from, from.Rect, draw.Src, nil)
	return out
}

// shrink converts the boxes of rows, in place, from the enlarged screen to the original screen.
func shrink(rows []Row) {
	for i := range rows {
		rows[i].Box = shrinkBox(rows[i].Box)
		for n := range rows[i].Words {
			rows[i].Words[n].Box = shrinkBox(rows[i].Words[n].Box)
		}
	}
}

// shrinkBox converts a box on the enlarged screen to the original screen. It rounds outwards to
// whole pixels; the result is at least 1x1.
func shrinkBox(r image.Rectangle) image.Rectangle {
	up := func(n int) int { return (n*againLess + againMore - 1) / againMore }
	from := image.Pt(r.Min.X*againLess/againMore, r.Min.Y*againLess/againMore)
	return image.Rectangle{Min: from, Max: image.Pt(max(up(r.Max.X), from.X+1), max(up(r.Max.Y), from.Y+1))}
}

// Limits of a stroke below a letter, in pixels unless noted.
const (
	strokeDeep = 4  // maximum depth below the feet of the letters
	strokeWide = 3  // minimum width
	strokeLong = 24 // maximum width; a longer stroke underlines a word
	inkStep    = 40 // minimum difference between ink and background in one channel, 0..255
)

// eraseStrokes erases flat strokes below single letters of a row. Menus draw them below the letter
// of an access key, where they make an F look like an E. A stroke is a rectangle of one colour on
// the background that begins below the feet of most letters.
func eraseStrokes(screen *image.NRGBA, row image.Rectangle) {
	area := image.Rect(row.Min.X-2, row.Min.Y-2, row.Max.X+2, row.Max.Y+strokeDeep).Intersect(screen.Rect)
	if area.Empty() {
		return
	}
	s := strokes{screen, area, backgroundOf(screen, area)}
	foot := s.foot()
	for y := foot + 1; y <= foot+2 && y < area.Max.Y-1; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			to := s.run(x, y)
			if to-x >= strokeWide && to-x <= strokeLong && (y == foot+1 || s.isGround(x, to, y-1)) && s.isStroke(x, to, y) {
				s.erase(x, to, y)
			}
			x = max(x, to-1)
		}
	}
}

// strokes finds strokes in one area of a screen.
type strokes struct {
	screen *image.NRGBA
	area   image.Rectangle
	ground [3]uint8
}

// at returns the red, green and blue of a pixel.
func (s strokes) at(x, y int) [3]uint8 {
	i := s.screen.PixOffset(x, y)
	return [3]uint8(s.screen.Pix[i : i+3])
}

// backgroundOf returns the commonest colour of an area.
func backgroundOf(screen *image.NRGBA, area image.Rectangle) (commonest [3]uint8) {
	count := map[[3]uint8]int{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			i := screen.PixOffset(x, y)
			c := [3]uint8(screen.Pix[i : i+3])
			if count[c]++; count[c] > count[commonest] {
				commonest = c
			}
		}
	}
	return commonest
}

// isInk reports whether a colour differs from the background by at least inkStep in one channel.
func (s strokes) isInk(c [3]uint8) bool {
	for i := range c {
		if d := int(c[i]) - int(s.ground[i]); d >= inkStep || d <= -inkStep {
			return true
		}
	}
	return false
}

// foot returns the y at which the most columns have their lowest ink. If several are equal, it returns
// the lowest of them on the screen. Without ink it returns area.Max.Y.
func (s strokes) foot() (y int) {
	ends := map[int]int{}
	for x := s.area.Min.X; x < s.area.Max.X; x++ {
		for y := s.area.Max.Y - 1; y >= s.area.Min.Y; y-- {
			if s.isInk(s.at(x, y)) {
				ends[y]++
				break
			}
		}
	}
	y = s.area.Max.Y // no stroke can lie below this
	for at, n := range ends {
		if n > ends[y] || n == ends[y] && at > y {
			y = at
		}
	}
	return y
}

// run returns the end of the run of one colour that begins at (x, y). It returns x if the pixel is
// background, or if the run touches ink of another colour.
func (s strokes) run(x, y int) int {
	c := s.at(x, y)
	if !s.isInk(c) || x > s.area.Min.X && s.at(x-1, y) != s.ground {
		return x
	}
	to := x
	for to < s.area.Max.X && s.at(to, y) == c {
		to++
	}
	if to < s.area.Max.X && s.at(to, y) != s.ground {
		return x
	}
	return to
}

// isStroke reports whether the run from x to to in line y is one or two lines high, and has background
// below it.
func (s strokes) isStroke(x, to, y int) bool {
	c := s.at(x, y)
	below := y + 1
	if s.at(x, below) == c && s.run(x, below) == to {
		below++
	}
	return below < s.area.Max.Y && s.isGround(x, to, below)
}

// isGround reports whether all pixels from x to to, exclusive, are background.
func (s strokes) isGround(x, to, y int) bool {
	for ; x < to; x++ {
		if s.at(x, y) != s.ground {
			return false
		}
	}
	return true
}

// erase fills the stroke that spans x to to, from y downwards, with the background.
func (s strokes) erase(x, to, y int) {
	c := s.at(x, y)
	for ; y < s.area.Max.Y && s.at(x, y) == c; y++ {
		for i := x; i < to; i++ {
			copy(s.screen.Pix[s.screen.PixOffset(i, y):], s.ground[:])
		}
	}
}
