package locate

import (
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

const (
	partInside  = 0.75 // of a thing that is in another one
	mostOfThing = 40   // times the box of its part that a control is at most
)

// controls are the roles of what is one thing with all that is on it.
var controls = []elements.Role{
	elements.Button, elements.IconButton, elements.MenuItem, elements.Tab, elements.Field, elements.SearchBox, elements.TextArea, elements.Dropdown,
	elements.Checkbox, elements.Radio, elements.Toggle, elements.Slider, elements.Badge, elements.Avatar, elements.Link,
}

// findThings sets what is one thing each: a control with the text and the icon on it, or a text of its own.
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

// thingOf returns the thing that an element is a part of, or the element.
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
