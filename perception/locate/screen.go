package locate

import (
	"image"
	"math"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// screen is the elements with everything that terms are compared with, and caches of results.
type screen struct {
	bounds    image.Rectangle
	list      []elements.Element
	labels    []string // lower case
	icons     [][]icons.Candidate
	words     [][]string // words of the labels
	meanings  []saying   // meanings of the labels
	besides   []saying   // meanings of beside
	spans     [][]span   // phrases of the labels in the lexicon
	under     map[int]*section
	byLabel   map[string][]int
	beside    []string // texts beside controls, lower case; "" for none
	texts     map[string]bool
	unit      float64 // pixels of this screen per usual pixel; see usualText
	found     map[*query][]scored
	relations map[*relation][]float64
	areas     map[place][]image.Rectangle // boxes of the places, by place
	sections  map[int]int                 // for each heading, the y at which its part ends; see endOf
	// likelihood of being the selected one of its peers; nil until selected needs it
	standouts map[int]float64

	likes       wordLikes // likeness of words on the screen to words of descriptions
	thing       []int     // the control that each element is part of; nil until thingOf needs it
	tables      []table
	tablesKnown bool
	heads       map[int]int     // heads of cells; see headOfCell
	onScreen    map[string]bool // the stems of all words on the screen
	present     map[string]bool // see isPresent
}

const (
	// maximum elements that Find searches, in the order of the list; a dense screen has 500
	maxElements = 2500
	usualText   = 18  // pixels of a text box's height on a usual screen; this defines a usual pixel
	farBeside   = 600 // maximum distance between a control and its text, in usual pixels
	leastFree   = 0.2 // minimum free share of an element for a click beside its middle
)

// newScreen prepares a screen for descriptions. It ignores the elements after the first maxElements.
func newScreen(on *elements.Screen) *screen {
	list := on.Elements[:min(len(on.Elements), maxElements)]
	s := &screen{
		bounds: image.Rect(0, 0, on.Width, on.Height), list: list, unit: unitOf(list), texts: map[string]bool{}, onScreen: map[string]bool{}, byLabel: map[string][]int{},
		found: map[*query][]scored{}, relations: map[*relation][]float64{}, areas: map[place][]image.Rectangle{}, sections: map[int]int{},
	}
	for i, e := range list {
		label := strings.ToLower(strings.TrimSpace(s.labelOf(i)))
		s.icons = append(s.icons, e.Icons)
		s.labels = append(s.labels, label)
		s.words = append(s.words, labelWords(label))
		s.meanings = append(s.meanings, meaningOf(s.words[i], &s.likes))
		s.spans = append(s.spans, spansOf(s.words[i][:min(len(s.words[i]), mostMeant)], lexicons().written))
		for _, w := range s.meanings[i].stems {
			s.onScreen[w] = true
		}
		s.texts[letters(label)] = true
		s.byLabel[label] = append(s.byLabel[label], i)
	}
	s.beside, s.besides, s.under = make([]string, len(s.list)), make([]saying, len(s.list)), map[int]*section{}
	s.heads, s.present = map[int]int{}, map[string]bool{}
	for i := range s.list {
		s.beside[i] = s.besideOf(i)
		s.besides[i] = meaningOf(strings.Fields(s.beside[i]), &s.likes)
		if role := s.list[i].Role; role == elements.Slider || role == elements.Progress {
			s.icons[i] = s.iconBefore(i)
		}
	}
	return s
}

// labelWords splits a label into words.
func labelWords(label string) []string {
	return strings.FieldsFunc(label, func(r rune) bool { return strings.ContainsRune(" ,;:()[]{}|\"'“”", r) })
}

// labelOf returns the label of an element. For a low panel without a label it joins the labels of
// its parts.
func (s *screen) labelOf(i int) string {
	e := &s.list[i]
	if e.Label != "" || e.Role != elements.Panel || float64(e.Box.Dy()) > 64*s.unit || float64(e.Box.Dx()) > 400*s.unit {
		return e.Label
	}
	var words []string
	for j := i + 1; j < len(s.list); j++ {
		if s.list[j].Parent == i && s.list[j].Label != "" {
			words = append(words, s.list[j].Label)
		}
	}
	return strings.Join(words, " ")
}

// unitOf returns the pixels of a screen per usual pixel, by the heights of its texts.
func unitOf(list []elements.Element) float64 {
	var heights []int
	for _, e := range list {
		if e.Role == elements.Text {
			heights = append(heights, e.Box.Dy())
		}
	}
	return geo.Unit(heights, 1, usualText)
}

// besideOf returns the text, in lower case, that names a control: on its line, right of a checkbox
// or radio button, or else on the left. It returns "" if there is none, or if the element names
// itself.
func (s *screen) besideOf(i int) string {
	e := &s.list[i]
	checked := e.Role == elements.Checkbox || e.Role == elements.Radio
	switch e.Role {
	case elements.Checkbox, elements.Radio, elements.Toggle, elements.Field, elements.Dropdown, elements.TextArea, elements.SearchBox, elements.Slider:
	case elements.Button:
		if e.Label != "" { // else it is a color to choose
			return ""
		}
	default:
		return ""
	}
	if e.Caption != "" && e.Role != elements.Dropdown {
		return strings.ToLower(e.Caption)
	}
	behind := "" // the text after a dropdown, for example "entries" in "Show 10 entries"
	text, near := "", int(farBeside*s.unit)
	for j := range s.list {
		t := &s.list[j]
		if t.Role != elements.Text && t.Role != elements.Heading || !geo.SameLine(t.Box, e.Box) || t.Box.Overlaps(e.Box) {
			continue
		}
		gap := e.Box.Min.X - t.Box.Max.X
		if checked && t.Box.Min.X >= e.Box.Max.X && float64(t.Box.Min.X-e.Box.Max.X) < 40*s.unit {
			return s.labels[j]
		}
		if gap >= 0 && gap < near {
			text, near = s.labels[j], gap
		}
		if after := t.Box.Min.X - e.Box.Max.X; e.Role == elements.Dropdown && after >= 0 && float64(after) < 24*s.unit {
			behind = s.labels[j]
		}
	}
	if e.Caption != "" {
		text = strings.ToLower(e.Caption)
	}
	if behind != "" && behind != text {
		text = strings.TrimSpace(text + " " + behind)
	}
	return text
}

// iconBefore returns the candidates of the icon just before a slider, or nil.
func (s *screen) iconBefore(i int) []icons.Candidate {
	for j := range s.list {
		e := &s.list[j]
		gap := s.list[i].Box.Min.X - e.Box.Max.X
		if e.Role == elements.Icon && geo.SameLine(e.Box, s.list[i].Box) && gap >= 0 && float64(gap) < 30*s.unit {
			return e.Icons
		}
	}
	return nil
}

// gapOf returns the distance between two boxes in pixels, 0 if they touch.
func gapOf(a, b image.Rectangle) float64 {
	return math.Hypot(float64(max(0, a.Min.X-b.Max.X, b.Min.X-a.Max.X)), float64(max(0, a.Min.Y-b.Max.Y, b.Min.Y-a.Max.Y)))
}

// same reports whether two elements are one target, for example a checkbox and its text, or an icon
// and the text after it.
func (s *screen) same(i, j int) bool {
	a, b := s.list[i].Box, s.list[j].Box
	if s.list[i].Role.IsChecked() != s.list[j].Role.IsChecked() && s.labels[i] == s.labels[j] && s.labels[i] != "" && geo.SameLine(a, b) {
		return true // a checkbox, and its text
	}
	if (s.list[i].Role == elements.Icon) != (s.list[j].Role == elements.Icon) && isLeaf(s.list[i].Role) && isLeaf(s.list[j].Role) && geo.SameLine(a, b) &&
		s.near(max(b.Min.X-a.Max.X, a.Min.X-b.Max.X), 12) {
		return true // an icon, and the text after it
	}
	if isIn(b, a) < 0.8 && isIn(a, b) < 0.8 {
		return false
	}
	return geo.Center(a).In(b) || geo.Center(b).In(a) && !s.isGround(i) && !s.isGround(j)
}

// isGround reports whether an element is a panel without a label.
func (s *screen) isGround(i int) bool { return s.list[i].Role == elements.Panel && s.labels[i] == "" }

// isEmptyGround reports whether an element is a container without a label, while the query asks
// neither for a container nor for a color.
func (s *screen) isEmptyGround(q *query, i int) bool {
	holders := []string{"panel", "box", "column", "menu item", "card", "row", "toolbar", "bubble", "image", "avatar", "dot", "field", "text area", "button", "badge", "checkbox", "chip", "filled button"}
	return (s.list[i].Role.Holds() && s.list[i].Label == "" || s.list[i].Role == elements.Row) && len(q.colors) == 0 && !slices.ContainsFunc(q.kinds, func(k string) bool { return slices.Contains(holders, k) })
}

// onlyLeaf returns the text or icon on a panel if it is the panel's only child, for example in a
// cell of a table. Otherwise it returns the panel.
func (s *screen) onlyLeaf(i int) int {
	leaf := i
	for j := i + 1; j < len(s.list); j++ {
		switch {
		case s.list[j].Parent != i:
		case !isLeaf(s.list[j].Role) || leaf != i:
			return i
		default:
			leaf = j
		}
	}
	return leaf
}

// ClickPoint returns the point to click on an element: see Match.Point.
func ClickPoint(on *elements.Screen, element int) image.Point {
	return (&screen{list: on.Elements, unit: unitOf(on.Elements)}).clickPoint(element)
}

// clickPoint returns the middle of an element. If other targets on it cover the middle, it returns
// the middle of the largest free part.
func (s *screen) clickPoint(i int) image.Point {
	free := s.list[i].Box
	for j := i + 1; j < len(s.list); j++ {
		e := &s.list[j]
		if e.Parent != i || !isTarget(e.Role) || !geo.Center(free).In(e.Box) || s.isCore(j, i) {
			continue
		}
		best := image.Rectangle{}
		for _, part := range []image.Rectangle{
			{free.Min, image.Pt(e.Box.Min.X, free.Max.Y)}, {image.Pt(e.Box.Max.X, free.Min.Y), free.Max},
			{free.Min, image.Pt(free.Max.X, e.Box.Min.Y)}, {image.Pt(free.Min.X, e.Box.Max.Y), free.Max},
		} {
			if part.Dx() > 0 && part.Dy() > 0 && geo.Area(part) > geo.Area(best) {
				best = part
			}
		}
		if float64(geo.Area(best)) >= leastFree*float64(geo.Area(s.list[i].Box)) {
			free = best
		}
	}
	return geo.Center(free)
}

// isCore reports whether element j in the middle of control i has the same label.
func (s *screen) isCore(j, i int) bool {
	off := geo.Center(s.list[j].Box).Sub(geo.Center(s.list[i].Box))
	return plain[s.list[i].Role] >= 0.9 && strings.EqualFold(strings.TrimSpace(s.list[j].Label), strings.TrimSpace(s.list[i].Label)) && s.near(off.X, 4) && s.near(off.Y, 4)
}

// isTarget reports whether a click on an element of a role does something of its own.
func isTarget(role elements.Role) bool {
	return plain[role] >= 0.9 && role != elements.MenuItem && role != elements.Link || role.IsChecked()
}

// sizeOf returns how large an element looks, in pixels: by the height of its letters for a text,
// and by its box otherwise.
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

// isIn returns the share of c that is inside a, 0 to 1. It returns 0 unless a is larger.
func isIn(c, a image.Rectangle) float64 {
	if geo.Area(c) >= geo.Area(a) {
		return 0
	}
	return float64(geo.Area(c.Intersect(a))) / float64(max(1, geo.Area(c)))
}

type scored struct {
	element int
	score   float64
}

// step returns 1 for v up to full, 0 for v from none on, and a linear value between them.
func step(v, full, none float64) float64 { return min(1, max(0, (none-v)/(none-full))) }

// part returns the share of the screen that a box covers.
func (s *screen) part(b image.Rectangle) float64 {
	return float64(b.Dx()*b.Dy()) / float64(max(1, s.bounds.Dx()*s.bounds.Dy()))
}

// isLeaf reports whether elements of a role contain no other elements: texts, links and icons.
func isLeaf(role elements.Role) bool {
	return role == elements.Text || role == elements.Link || role == elements.Icon
}

// near reports whether a distance is at most most usual pixels.
func (s *screen) near(d, most int) bool { return float64(geo.Abs(d)) <= float64(most)*s.unit }
