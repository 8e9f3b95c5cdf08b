package locate

import (
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// sizes are words for how large something is, before its kind.
var sizes = expand(map[string]float64{
	"big|large|wide|huge|biggest|largest|widest|tall|broad|main": 1, "small|little|tiny|smallest|tiniest|littlest|narrow": -1,
})

// sizeAsked returns 1 if a description asks first for something large, -1 for something small, and 0 for neither.
func sizeAsked(list []token) float64 {
	for _, t := range list {
		if size := sizes[t.text]; size != 0 && !t.quoted && !t.stands {
			return size
		}
		if meaning([]token{t}, relationWords) > 0 && !t.quoted {
			break
		}
	}
	return 0
}

// sizeOf returns how large an element looks: a text by its letters, anything else by its box.
func (s *screen) sizeOf(i int) int {
	e := &s.list[i]
	if e.Role != elements.Text && e.Role != elements.Heading && e.Role != elements.Link {
		return geo.Area(e.Box)
	}
	h := e.Box.Dy()
	if lines := len(e.Label) * h / 2 / max(1, e.Box.Dx()); lines > 1 {
		h /= lines
	}
	return h * h
}
