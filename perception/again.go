package perception

import (
	"image"

	"golang.org/x/image/draw"
)

// Bounds of a second look.
const (
	againPixels = 8 << 20 // of a screen that is looked at again; a larger one has large letters
	againMore   = 3       // how much larger it is made, in
	againLess   = 2       // parts of its size
)

// larger is how much memory a second look takes besides the engine's, in bytes.
func larger(size image.Point) int64 {
	return int64(size.X) * int64(size.Y) * 4 * againMore * againMore / (againLess * againLess)
}

// MayLookAgain reports whether a screen of a size is looked at a second time.
func MayLookAgain(size image.Point) bool { return size.X*size.Y <= againPixels }

// enlarge returns a screen as a second look reads it: larger, and without the strokes that mark access keys, below letters
// of the rows that the first look found. Small letters that were taken for nothing or for others are often read then.
func enlarge(screen *image.NRGBA, rows []Row) *image.NRGBA {
	for _, r := range rows {
		eraseStrokes(screen, r.Box)
	}
	size := screen.Rect.Size()
	out := image.NewNRGBA(image.Rect(0, 0, size.X*againMore/againLess, size.Y*againMore/againLess))
	// As RGBA, which opaque pixels are too, they are scaled several times as fast.
	from, to := &image.RGBA{Pix: screen.Pix, Stride: screen.Stride, Rect: screen.Rect}, &image.RGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}
	draw.BiLinear.Scale(to, to.Rect, from, from.Rect, draw.Src, nil)
	return out
}

// shrink takes the places of rows of an enlarged screen back to the screen.
func shrink(rows []Row) {
	for i := range rows {
		rows[i].Box = smaller(rows[i].Box)
		for n := range rows[i].Words {
			rows[i].Words[n].Box = smaller(rows[i].Words[n].Box)
		}
	}
}

// smaller returns a box of an enlarged screen on the screen: whole pixels, and one at least.
func smaller(r image.Rectangle) image.Rectangle {
	up := func(n int) int { return (n*againLess + againMore - 1) / againMore }
	from := image.Pt(r.Min.X*againLess/againMore, r.Min.Y*againLess/againMore)
	return image.Rectangle{Min: from, Max: image.Pt(max(up(r.Max.X), from.X+1), max(up(r.Max.Y), from.Y+1))}
}

// Sizes of a stroke below a letter, in pixels.
const (
	strokeDeep = 4  // below the letters' feet, at most
	strokeWide = 3  // at least
	strokeLong = 24 // at most: longer ones are below words
	inkStep    = 40 // by which ink differs from its background, of 255
)

// eraseStrokes erases flat strokes below single letters of a row, as menus have below the letter of an access key: there F
// looks like E. A stroke is a rectangle of one colour that begins below the feet of most letters, on the background.
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

// strokes are looked for in an area of a screen.
type strokes struct {
	screen *image.NRGBA
	area   image.Rectangle
	ground [3]uint8
}

func (s strokes) at(x, y int) [3]uint8 {
	i := s.screen.PixOffset(x, y)
	return [3]uint8(s.screen.Pix[i : i+3])
}

// backgroundOf returns the commonest colour of an area.
func backgroundOf(screen *image.NRGBA, area image.Rectangle) (most [3]uint8) {
	count := map[[3]uint8]int{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			i := screen.PixOffset(x, y)
			c := [3]uint8(screen.Pix[i : i+3])
			if count[c]++; count[c] > count[most] {
				most = c
			}
		}
	}
	return most
}

// isInk reports whether a colour differs from the background.
func (s strokes) isInk(c [3]uint8) bool {
	for i := range c {
		if d := int(c[i]) - int(s.ground[i]); d >= inkStep || d <= -inkStep {
			return true
		}
	}
	return false
}

// foot returns the row of pixels in which the ink of most columns ends.
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
	y = s.area.Max.Y // nothing is below
	for at, n := range ends {
		if n > ends[y] || n == ends[y] && at > y {
			y = at
		}
	}
	return y
}

// run returns where the run of one colour ends that begins at x: x itself on the background.
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

// isStroke reports whether below a run there is at most one more like it, and then the background.
func (s strokes) isStroke(x, to, y int) bool {
	c := s.at(x, y)
	below := y + 1
	if s.at(x, below) == c && s.run(x, below) == to {
		below++
	}
	return below < s.area.Max.Y && s.isGround(x, to, below)
}

// isGround reports whether from x to to there is the background alone.
func (s strokes) isGround(x, to, y int) bool {
	for ; x < to; x++ {
		if s.at(x, y) != s.ground {
			return false
		}
	}
	return true
}

// erase puts the background in the place of a stroke.
func (s strokes) erase(x, to, y int) {
	c := s.at(x, y)
	for ; y < s.area.Max.Y && s.at(x, y) == c; y++ {
		for i := x; i < to; i++ {
			copy(s.screen.Pix[s.screen.PixOffset(i, y):], s.ground[:])
		}
	}
}
