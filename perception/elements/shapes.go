package elements

import (
	"image"
	"math"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// shape is a small figure on a ground of one color. It touches all four sides of its box, and is
// completely inside the box.
type shape struct {
	f      *finder
	box    image.Rectangle
	ground Color
}

const (
	distinct    = 36 // minimum difference between two colors of a control, less one, 0 to 765
	ringSamples = 16 // points of a ring that are compared
)

// shapeAt returns the shape around a box. It grows the box while ink is just beside it, because a
// region lacks other colors and smoothed edges. ok is false if it grows too far.
func (f *finder) shapeAt(seed image.Rectangle, ground Color) (s shape, ok bool) {
	s = shape{f, seed, ground}
	for range f.px(10) {
		b := s.box
		grown := b
		if s.touches(image.Rect(b.Min.X-1, b.Min.Y, b.Min.X, b.Max.Y)) {
			grown.Min.X--
		}
		if s.touches(image.Rect(b.Max.X, b.Min.Y, b.Max.X+1, b.Max.Y)) {
			grown.Max.X++
		}
		if s.touches(image.Rect(b.Min.X, b.Min.Y-1, b.Max.X, b.Min.Y)) {
			grown.Min.Y--
		}
		if s.touches(image.Rect(b.Min.X, b.Max.Y, b.Max.X, b.Max.Y+1)) {
			grown.Max.Y++
		}
		if grown == b {
			return s, b.In(f.img.Rect)
		}
		s.box = grown
	}
	return s, false
}

// touches reports whether a strip contains a color other than the ground's.
func (s *shape) touches(strip image.Rectangle) bool {
	if !strip.In(s.f.img.Rect) {
		return false
	}
	for y := strip.Min.Y; y < strip.Max.Y; y++ {
		for x := strip.Min.X; x < strip.Max.X; x++ {
			if Apart(s.f.at(x, y), s.ground) > distinct {
				return true
			}
		}
	}
	return false
}

// roundEnds reports whether the left and right ends of a shape are half circles: near its top and
// bottom it is narrower by as much as a circle.
func (s *shape) roundEnds() bool {
	in := max(1, int(0.08*float64(s.box.Dy())+0.5))
	depth := (float64(in) + 0.5) / float64(s.box.Dy()) // of the middle of row in, as a share of the height
	chord := 1 - 2*math.Sqrt(depth*(1-depth))          // how much narrower a circle is there, in diameters
	missing := 0.0
	for _, y := range []int{s.box.Min.Y + in, s.box.Max.Y - 1 - in} {
		from, to := s.chord(y)
		missing += float64(s.box.Dx()-(to-from)) / float64(s.box.Dy())
	}
	return missing/2 > 0.62*chord && missing/2 < 1.6*chord
}

// chord returns where the ink of a row of a shape begins and ends.
func (s *shape) chord(y int) (from, to int) {
	for from = s.box.Min.X; from < s.box.Max.X && Apart(s.f.at(from, y), s.ground) <= distinct; from++ {
	}
	for to = s.box.Max.X; to > from && Apart(s.f.at(to-1, y), s.ground) <= distinct; to-- {
	}
	return from, to
}

// middle returns the middle of the shape's box in pixels. It is between two pixels if a side is even.
func (s *shape) middle() (x, y float64) {
	return float64(s.box.Min.X+s.box.Max.X-1) / 2, float64(s.box.Min.Y+s.box.Max.Y-1) / 2
}

// ring returns the color of a ring in a shape, and whether at least seven of eight points have it.
// part is the radius of the ring, 0 to 1.
func (s *shape) ring(part float64) (c Color, even bool) {
	cx, cy := s.middle()
	var points [ringSamples]Color
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / ringSamples)
		points[i] = s.f.at(int(cx+cos*part*float64(s.box.Dx())/2+0.5), int(cy+sin*part*float64(s.box.Dy())/2+0.5))
	}
	return mode(points[:])
}

// mode returns the commonest of a few colors, and whether at least seven of eight are like it.
func mode(colors []Color) (c Color, even bool) {
	most := 0
	for _, k := range colors {
		n := 0
		for _, other := range colors {
			if Apart(k, other) <= 2*distinct {
				n++
			}
		}
		if n > most {
			c, most = k, n
		}
	}
	return c, 8*most >= 7*len(colors)
}

// hasRim reports whether a line surrounds a round shape. inner is the color inside it.
func (s *shape) hasRim(inner Color) bool {
	cx, cy := s.middle()
	for i := range ringSamples {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / ringSamples)
		seen := false
		for back := 0.0; back <= 2*s.f.unit && !seen; back++ {
			c := s.f.at(int(cx+cos*(float64(s.box.Dx())/2-0.5-back)+0.5), int(cy+sin*(float64(s.box.Dy())/2-0.5-back)+0.5))
			seen = Apart(c, s.ground) > distinct && Apart(c, inner) > distinct
		}
		if !seen {
			return false
		}
	}
	return true
}

// frame returns the color of the line around a square, and whether it runs along all sides.
func (s *shape) frame() (c Color, ok bool) {
	b := s.box
	var points []Color
	for i := b.Dx() / 4; i <= b.Dx()*3/4; i++ {
		points = append(points, s.strongest(b.Min.X+i, b.Min.Y, 0, 1), s.strongest(b.Min.X+i, b.Max.Y-1, 0, -1))
	}
	for i := b.Dy() / 4; i <= b.Dy()*3/4; i++ {
		points = append(points, s.strongest(b.Min.X, b.Min.Y+i, 1, 0), s.strongest(b.Max.X-1, b.Min.Y+i, -1, 0))
	}
	if slices.ContainsFunc(points, func(p Color) bool { return Apart(p, s.ground) <= distinct }) {
		return c, false
	}
	return mode(points)
}

// strongest returns the color of two adjacent pixels that differs more from the ground.
func (s *shape) strongest(x, y, dx, dy int) Color {
	a, b := s.f.at(x, y), s.f.at(x+dx, y+dy)
	if Apart(b, s.ground) > Apart(a, s.ground) {
		return b
	}
	return a
}

// inside returns the color of a square within its line, and the share of it that differs from that
// color, 0 to 1.
func (s *shape) inside() (fill Color, other float64) {
	in := s.box.Inset(max(3, s.box.Dx()/6))
	var rim []Color
	for i := 0; i < in.Dx(); i++ {
		rim = append(rim, s.f.at(in.Min.X+i, in.Min.Y), s.f.at(in.Min.X+i, in.Max.Y-1))
	}
	fill, _ = mode(rim)
	n := s.f.countIn(in, func(c Color) bool { return Apart(c, fill) > distinct })
	return fill, float64(n) / float64(max(1, geo.Area(in)))
}
