package locate

import (
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

const (
	partInside  = 0.75 // minimum share of an element inside the control that it is part of
	mostOfThing = 40   // maximum area of a control, as a multiple of its part's
)

// controls are the roles of elements that form one target with everything on them.
var controls = []elements.Role{
	elements.Button, elements.IconButton, elements.MenuItem, elements.Tab, elements.Field, elements.SearchBox, elements.TextArea, elements.Dropdown,
	elements.Checkbox, elements.Radio, elements.Toggle, elements.Slider, elements.Badge, elements.Avatar, elements.Link,
}

// findThings sets s.thing: for each element the control that it is part of, or the element itself.
func (s *screen) findThings() {
	if s.thing != nil {
		return
	}
	s.thing = make([]int, len(s.list))
	var list []int
	for i := range s.list {
		if s.thing[i] = i; slices.Contains(controls, s.list[i].Role) {
			list = append(list, i)
		}
	}
	for i := range s.list {
		b, own := s.list[i].Box, geo.Area(s.list[i].Box)
		best, isControl := own, slices.Contains(controls, s.list[i].Role)
		for _, j := range list {
			o := s.list[j].Box
			if j == i || !geo.Center(b).In(o) || geo.Area(o) <= best || geo.Area(o) > mostOfThing*own && s.labels[j] != s.labels[i] {
				continue
			}
			if isIn(b, o) > partInside && (!isControl || s.labels[i] == s.labels[j] || s.labels[i] == "") {
				s.thing[i], best = j, geo.Area(o)
			}
		}
	}
}

// thingOf returns the control that an element is part of, or the element itself. It follows at most
// four steps.
func (s *screen) thingOf(i int) int {
	s.findThings()
	for range 4 {
		if s.thing[i] == i {
			break
		}
		i = s.thing[i]
	}
	return i
}
