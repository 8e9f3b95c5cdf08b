package locate

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// A group is things of one kind in a row or a column, which people count: the entries of a menu, the
// buttons of a bar, the cells of a table's column.
type group struct {
	members []int // in order
	row     bool  // beside each other, and not below
	above   int   // the text that stands over it, or before it; -1 if there is none
}

const (
	mostOnScreen = 60   // groups that are kept, the largest first
	stepsApart   = 2.4  // how many times the usual step a step of a group is at most
	mostStep     = 260  // the largest step, in usual pixels
	unlikeHigh   = 1.6  // how many times as high as the next a member is at most
	titleGap     = 70   // how far above a group its title is at most, in usual pixels
	partInside   = 0.75 // of a thing that is in another one
	mostOfThing  = 40   // times the box of its part that a control is at most
)

// holders are the roles of what holds other things and is not counted itself.
var holders = []elements.Role{elements.Panel, elements.Toolbar, elements.Sidebar, elements.Dialog}

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

// things returns all that can be counted but rows.
func (s *screen) things() (list []int) {
	s.findThings()
	for i := range s.list {
		role := s.list[i].Role
		if s.thing[i] == i && !slices.Contains(holders, role) && role != elements.Row && s.part(s.list[i].Box) < maxCellArea {
			list = append(list, i)
		}
	}
	return list
}

// class says what is counted together.
func class(role elements.Role) string {
	switch role {
	case elements.Text, elements.Link, elements.Heading, elements.Badge, elements.MenuItem:
		return "text"
	case elements.Icon, elements.IconButton, elements.Picture, elements.Avatar:
		return "icon"
	case elements.Field, elements.SearchBox, elements.TextArea, elements.Dropdown:
		return "field"
	}
	return string(role)
}

// findGroups returns the groups of a screen, found at first use.
func (s *screen) findGroups() []group {
	if s.groupsKnown {
		return s.grouped
	}
	s.groupsKnown = true
	byClass := map[string][]int{}
	var order []string
	add := func(c string, i int) {
		if byClass[c] == nil {
			order = append(order, c)
		}
		byClass[c] = append(byClass[c], i)
	}
	for _, i := range s.things() {
		add(class(s.list[i].Role), i)
	}
	for i := range s.list {
		if s.list[i].Role == elements.Row {
			add("row", i)
		}
	}
	for _, c := range order {
		s.grouped = append(s.grouped, s.groupsOf(byClass[c], false)...)
		if c != "row" {
			s.grouped = append(s.grouped, s.groupsOf(byClass[c], true)...)
		}
	}
	slices.SortStableFunc(s.grouped, func(a, b group) int { return len(b.members) - len(a.members) })
	s.grouped = s.grouped[:min(len(s.grouped), mostOnScreen)]
	for g := range s.grouped {
		s.grouped[g].above = s.titleOf(&s.grouped[g])
	}
	return s.grouped
}

// groupsOf returns the rows, or the columns, that things of a class stand in.
func (s *screen) groupsOf(list []int, row bool) (groups []group) {
	at := func(b image.Rectangle) int {
		if row {
			return geo.Center(b).X
		}
		return geo.Center(b).Y
	}
	slices.SortStableFunc(list, func(a, b int) int { return at(s.list[a].Box) - at(s.list[b].Box) })
	used := map[int]bool{}
	for n, first := range list {
		if used[first] {
			continue
		}
		members := []int{first}
		for _, i := range list[n+1:] {
			last := s.list[members[len(members)-1]].Box
			if b := s.list[i].Box; !used[i] && s.inOneLine(s.list[first].Box, b, row) && at(b) > at(last) && s.asHigh(last, b) {
				members = append(members, i)
			}
		}
		for _, part := range s.even(members, at) {
			if len(part) > 1 {
				groups = append(groups, group{members: part, row: row, above: -1})
				for _, i := range part {
					used[i] = true
				}
			}
		}
	}
	return groups
}

// inOneLine reports whether boxes stand in one row, or else in one column.
func (s *screen) inOneLine(a, b image.Rectangle, row bool) bool {
	if row {
		return geo.SameLine(a, b)
	}
	return s.inOneColumn(a, b)
}

func (s *screen) asHigh(a, b image.Rectangle) bool {
	return float64(max(a.Dy(), b.Dy())) <= unlikeHigh*float64(min(a.Dy(), b.Dy()))
}

// even parts members where a step is much larger than the usual one.
func (s *screen) even(members []int, at func(image.Rectangle) int) (parts [][]int) {
	var steps []int
	for i := 1; i < len(members); i++ {
		steps = append(steps, at(s.list[members[i]].Box)-at(s.list[members[i-1]].Box))
	}
	if len(steps) == 0 {
		return [][]int{members}
	}
	sorted := slices.Clone(steps)
	slices.Sort(sorted)
	most := min(stepsApart*float64(sorted[len(sorted)/2]), mostStep*s.unit)
	from := 0
	for i, d := range steps {
		if float64(d) > most {
			parts = append(parts, members[from:i+1])
			from = i + 1
		}
	}
	return append(parts, members[from:])
}

// titleOf returns the text that stands over a group, or before a row; -1 if there is none.
func (s *screen) titleOf(g *group) int {
	first := s.list[g.members[0]].Box
	best, near := -1, int(titleGap*s.unit)
	for j := range s.list {
		h := &s.list[j]
		if h.Label == "" || h.Role != elements.Text && h.Role != elements.Heading && h.Role != elements.Link || slices.Contains(g.members, j) {
			continue
		}
		gap := first.Min.Y - h.Box.Max.Y
		over := gap >= -2 && h.Box.Min.X <= first.Max.X && s.headOf(j).Max.X >= first.Min.X
		if before := first.Min.X - h.Box.Max.X; g.row && before >= 0 && geo.SameLine(h.Box, first) {
			gap, over = before, true
		}
		if over && gap < near {
			best, near = j, gap
		}
	}
	return best
}
