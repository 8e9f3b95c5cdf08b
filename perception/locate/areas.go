package locate

import (
	"image"
	"math"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// at returns how well a position describes a point of the screen, 0 to 1.
func (s *screen) at(p image.Point, where position) float64 {
	x := float64(p.X-s.bounds.Min.X) / float64(max(1, s.bounds.Dx()))
	y := float64(p.Y-s.bounds.Min.Y) / float64(max(1, s.bounds.Dy()))
	score := 1.0
	for part := range strings.FieldsSeq(string(where)) {
		switch part {
		case "left":
			score *= step(x, 0.3, 0.6)
		case "right":
			score *= step(1-x, 0.3, 0.6)
		case "top":
			score *= step(y, 0.2, 0.5)
		case "bottom":
			score *= step(1-y, 0.2, 0.5)
		case "centre":
			score *= step(math.Hypot(x-0.5, y-0.5), 0.2, 0.5)
		}
	}
	return score
}

// inPlace returns how well an element is in a place, 0 to 1.
func (s *screen) inPlace(i int, p place) float64 {
	box := s.list[i].Box
	m := geo.Center(box)
	x, y := float64(m.X)/float64(max(1, s.bounds.Dx())), float64(m.Y)/float64(max(1, s.bounds.Dy()))
	switch p {
	case topBar:
		return s.inBar(i, step(y, 0.1, 0.35), func(b image.Rectangle) bool { return b.Min.Y <= s.bounds.Min.Y+2 })
	case toolbar:
		return max(0.8*step(y, 0.16, 0.45), s.inRole(i, elements.Toolbar))
	case bottomBar:
		return s.inBar(i, step(1-y, 0.12, 0.35), func(b image.Rectangle) bool { return b.Max.Y >= s.bounds.Max.Y-2 })
	case leftBar:
		if slices.ContainsFunc(s.list, func(e elements.Element) bool {
			return e.Role == elements.Sidebar && geo.Center(e.Box).X < geo.Center(s.bounds).X
		}) {
			return max(0.2, s.inRole(i, elements.Sidebar)*step(x, 0.5, 0.5001))
		}
		return step(float64(box.Min.X)/float64(max(1, s.bounds.Dx())), 0.18, 0.3) * step(x, 0.27, 0.4)
	case rightBar:
		return step(1-x, 0.3, 0.45)
	case content:
		return step(1-x, 0.75, 0.95) * step(1-y, 0.85, 0.95)
	case window:
		if !slices.ContainsFunc(s.list, func(e elements.Element) bool { return e.Role == elements.Dialog }) {
			// the parts of a window that people name are at its top
			return titleBar + (1-titleBar)*step(y, 0.1, 0.35)
		}
		return s.inAny(i, p, s.isDialogPart)
	case dialog:
		return s.inAny(i, p, s.isDialogPart)
	case popup:
		in := s.inAny(i, p, s.isPopup)
		if role := s.list[i].Role; role == elements.MenuItem || role != elements.Sidebar && s.inRole(i, elements.Sidebar) > 0 {
			if in = max(in, inMenu); len(s.areas[popup]) > 0 && in == inMenu {
				in = besideMenu
			}
		}
		return in
	case submenu:
		return s.inAny(i, p, s.isSubmenu)
	case aCard:
		return s.inAny(i, p, s.isCard)
	case aTable, aList, aForm:
		return s.inGroup(i, p)
	}
	return 0
}

// inAny returns 1 if an element is in a place for which is accepts an element, and otherwise 0. It
// returns unseen if the screen has no such place.
func (s *screen) inAny(i int, p place, is func(*elements.Element) bool) float64 {
	areas, known := s.areas[p]
	if !known {
		for j := range s.list {
			if is(&s.list[j]) {
				areas = append(areas, s.list[j].Box)
			}
		}
		if p == popup {
			areas = s.joined(areas)
		}
		s.areas[p] = areas
	}
	if len(areas) == 0 {
		return unseen
	}
	if slices.ContainsFunc(areas, func(area image.Rectangle) bool { return area != s.list[i].Box && isIn(s.list[i].Box, area) > 0.9 }) {
		return 1
	}
	return 0
}

// inGroup returns 1 if an element is in a table, list or form, and otherwise 0. It returns
// unseenGroup if the screen has no such group, and also for an element outside of all lists.
func (s *screen) inGroup(i int, p place) float64 {
	areas, known := s.areas[p]
	if !known {
		areas = s.groups(p)
		s.areas[p] = areas
	}
	if len(areas) == 0 {
		return unseenGroup
	}
	m := geo.Center(s.list[i].Box)
	switch {
	case slices.ContainsFunc(areas, m.In):
		return 1
	case p == aList: // groups does not find every list
		return unseenGroup
	}
	return 0
}

// unseenGroup is how well an element is in a table, list or form that the screen does not show.
const unseenGroup = 0.75

// groups returns the boxes of the tables of a screen, which also serve as its lists. For aForm it
// returns the boxes around the fields of each panel.
func (s *screen) groups(p place) (areas []image.Rectangle) {
	if p == aForm {
		byPanel := map[int]image.Rectangle{}
		n := map[int]int{}
		for i, e := range s.list {
			if e.Role == elements.Field || e.Role == elements.Dropdown || e.Role == elements.TextArea || e.Role == elements.Checkbox {
				on := s.panelOf(i)
				byPanel[on], n[on] = byPanel[on].Union(e.Box), n[on]+1
			}
		}
		for on, b := range byPanel {
			if n[on] > 1 && on >= 0 {
				areas = append(areas, s.list[on].Box)
			} else if n[on] > 1 {
				areas = append(areas, geo.Pad(b, int(60*s.unit), int(60*s.unit)))
			}
		}
		return areas
	}
	for _, t := range s.findTables() {
		b := t.box
		if on := s.panelOf(t.rows[0].cells[0]); on >= 0 {
			b.Min.X, b.Max.X = s.list[on].Box.Min.X, s.list[on].Box.Max.X
		}
		areas = append(areas, b)
	}
	return areas
}

// joined unites boxes of equal width that are close below each other, such as the groups of a menu.
func (s *screen) joined(boxes []image.Rectangle) (whole []image.Rectangle) {
	slices.SortStableFunc(boxes, func(a, b image.Rectangle) int { return a.Min.Y - b.Min.Y })
	for _, b := range boxes {
		at := slices.IndexFunc(whole, func(w image.Rectangle) bool {
			return s.near(w.Min.X-b.Min.X, 3) && s.near(w.Max.X-b.Max.X, 3) && s.near(max(0, b.Min.Y-w.Max.Y), 80)
		})
		if at < 0 {
			whole = append(whole, b)
		} else {
			whole[at] = whole[at].Union(b)
		}
	}
	return whole
}

// inBar returns how well an element is in the bar at an edge of the screen. atEdge accepts the box
// of such a bar. Without a bar it returns near, which is how near the element is to the edge, 0 to
// 1.
func (s *screen) inBar(i int, near float64, atEdge func(image.Rectangle) bool) float64 {
	for j := range s.list {
		e := &s.list[j]
		if e.Fill != nil && atEdge(e.Box) && 10*e.Box.Dx() >= 9*s.bounds.Dx() && s.near(e.Box.Dy(), 90) {
			if j != i && isIn(s.list[i].Box, e.Box) > 0.8 {
				return max(near, 0.95)
			}
			return outOfBar * near
		}
	}
	return near
}

const (
	titleBar   = 0.6  // how well an element far from the top of the window is in it
	outOfBar   = 0.7  // factor for an element near a bar but outside of it
	inMenu     = 0.85 // how well an entry of a sidebar, or an element in one, is in a menu
	besideMenu = 0.7  // the same if another menu is open
	unseen     = 0.6  // how well an element is in a place that the screen does not show
)

// inRole returns 1 if an element is inside an element of a role, and otherwise 0.
func (s *screen) inRole(i int, role elements.Role) float64 {
	for p := s.list[i].Parent; p >= 0; p = s.list[p].Parent {
		if s.list[p].Role == role {
			return 1
		}
	}
	return 0
}

// isDialog reports whether an element looks like a window in the middle of the screen.
func (s *screen) isDialog(e *elements.Element) bool {
	if e.Role == elements.Dialog {
		return true
	}
	off := geo.Center(e.Box).Sub(geo.Center(s.bounds))
	part := s.part(e.Box)
	return e.Fill != nil && part >= 0.04 && part <= 0.65 && geo.Abs(off.X)*8 <= s.bounds.Dx() && geo.Abs(off.Y)*5 <= s.bounds.Dy() &&
		e.Box.Dx()*10 <= s.bounds.Dx()*9 && e.Box.Dy()*10 <= s.bounds.Dy()*9 && float64(e.Box.Dy()) > 90*s.unit
}

// isDialogPart reports whether an element is a dialog, or the head or foot of one.
func (s *screen) isDialogPart(e *elements.Element) bool {
	return s.isDialog(e) || e.Fill != nil && slices.ContainsFunc(s.list, func(o elements.Element) bool {
		return s.near(e.Box.Min.X-o.Box.Min.X, 3) && s.near(e.Box.Max.X-o.Box.Max.X, 3) &&
			(s.near(e.Box.Min.Y-o.Box.Max.Y, 3) || s.near(o.Box.Min.Y-e.Box.Max.Y, 3)) && s.isDialog(&o)
	})
}

// isPopup reports whether an element looks like an open menu: a box with a border, of medium size.
func (s *screen) isPopup(e *elements.Element) bool {
	part := s.part(e.Box)
	return e.Fill != nil && e.Border != nil && part <= 0.25 && float64(e.Box.Dy()) > 50*s.unit && float64(e.Box.Dx()) > 60*s.unit && float64(e.Box.Dx()) < 500*s.unit
}

// isSubmenu reports whether an element looks like a menu right beside another menu.
func (s *screen) isSubmenu(e *elements.Element) bool {
	return s.isPopup(e) && slices.ContainsFunc(s.list, func(o elements.Element) bool {
		gap := float64(geo.Abs(e.Box.Min.X - o.Box.Max.X))
		return s.isPopup(&o) && o.Box.Min.X < e.Box.Min.X && gap < 12*s.unit && o.Box.Min.Y < e.Box.Max.Y && e.Box.Min.Y < o.Box.Max.Y
	})
}

// isCard reports whether an element looks like a card: a filled box of medium size, away from the
// edges of the screen.
func (s *screen) isCard(e *elements.Element) bool {
	part := s.part(e.Box)
	inset := e.Box.Min.X > s.bounds.Min.X+2 && e.Box.Max.X < s.bounds.Max.X-2 && e.Box.Max.Y < s.bounds.Max.Y-2
	return e.Fill != nil && inset && part >= 0.005 && part <= 0.4 && float64(e.Box.Dy()) > 70*s.unit && float64(e.Box.Dx()) > 90*s.unit
}

// sectionOf returns the nearest heading above an element, or nil if there is none. It keeps the
// result in s.under.
func (s *screen) sectionOf(i int) *section {
	if x, known := s.under[i]; known {
		return x
	}
	best, near := -1, s.bounds.Dy()
	a := s.list[i].Box
	for j := range s.list {
		h := &s.list[j]
		if j == i || h.Role != elements.Heading && !s.isTitle(j) || h.Box.Max.Y > a.Min.Y || h.Box.Min.X > a.Max.X || s.headOf(j).Max.X < a.Min.X {
			continue
		}
		if gap := a.Min.Y - h.Box.Max.Y; gap < near {
			best, near = j, gap
		}
	}
	var x *section
	if best >= 0 {
		x = &section{s.meanings[best], s.words[best]}
	}
	s.under[i] = x
	return x
}

// isTitle reports whether a text is the topmost element on a card or dialog.
func (s *screen) isTitle(i int) bool {
	e := &s.list[i]
	if e.Role != elements.Text || e.Parent < 0 || !s.isCard(&s.list[e.Parent]) {
		return false
	}
	for j := e.Parent + 1; j < len(s.list); j++ {
		if s.list[j].Parent == e.Parent && s.list[j].Box.Max.Y <= e.Box.Min.Y {
			return false
		}
	}
	return true
}

// headOf returns the box of a heading, widened to the panel that it is the heading of.
func (s *screen) headOf(heading int) image.Rectangle {
	b := s.list[heading].Box
	for p := s.list[heading].Parent; p >= 0 && s.part(s.list[p].Box) < 0.5; p = s.list[p].Parent {
		if o := s.list[p].Box; o.Dx() > 2*b.Dx() {
			return image.Rect(o.Min.X, b.Min.Y, o.Max.X, b.Max.Y)
		}
	}
	return image.Rect(b.Min.X, b.Min.Y, min(s.bounds.Max.X, b.Max.X+int(500*s.unit)), b.Max.Y)
}
