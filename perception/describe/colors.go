package describe

import (
	"cmp"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// leastShare is the minimum share of the screen of a listed color.
const leastShare = 0.01

// addColors measures the share of each color by name. A face counts without the faces on it.
func (d *describer) addColors() {
	whole := float64(d.out.Size.X) * float64(d.out.Size.Y)
	left := make([]int, len(d.screen.Elements))
	for i := len(left) - 1; i >= 0; i-- {
		e := &d.screen.Elements[i]
		if e.Fill == nil {
			continue
		}
		left[i] += geo.Area(e.Box)
		if p, _ := elements.GroundOf(d.screen.Elements, i); p >= 0 {
			left[p] -= geo.Area(e.Box)
		}
	}
	largest := map[string]int{} // largest area of one color, by name
	var shades []Shade
	bright, seen := 0.0, 0.0
	for i, e := range d.screen.Elements {
		if e.Fill == nil || left[i] <= 0 {
			continue
		}
		share, name := float64(left[i])/whole, e.Fill.Name()
		bright, seen = bright+share*brightness(*e.Fill), seen+share
		at := slices.IndexFunc(shades, func(s Shade) bool { return s.Name == name })
		if at < 0 {
			at, shades = len(shades), append(shades, Shade{Name: name})
		}
		shades[at].Share += share
		if left[i] > largest[name] {
			largest[name], shades[at].Color = left[i], *e.Fill
		}
	}
	slices.SortStableFunc(shades, func(a, b Shade) int { return cmp.Compare(b.Share, a.Share) })
	shades = slices.DeleteFunc(shades, func(s Shade) bool { return s.Share < leastShare })
	d.out.Colors = shades[:min(len(shades), MaxColors)]
	if seen > 0 {
		d.out.Theme = Light
		if bright < seen/2 {
			d.out.Theme = Dark
		}
	}
}

// brightness returns the perceived brightness of a color, from 0 for black to 1 for white.
func brightness(c elements.Color) float64 {
	return (2*float64(c.R) + 5*float64(c.G) + float64(c.B)) / (8 * 255)
}
