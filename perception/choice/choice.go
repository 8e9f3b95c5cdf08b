// Package choice describes elements of a screen in one line each, so that a reader can choose among
// them without the image.
//
//	lines := choice.New(screen).Among([]int{12, 15})
//	// icon button, trash, in the row of "Anna"
//	// icon button, trash, in the row of "Boris"
//
// A line has the role, color, label or icon, value and states of the element, then what it is in or
// under, its place on the screen, and its number among elements with the same line. Parts that say
// nothing about the choice are missing. A reader may be a person, a program or a language model.
package choice

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// Limits of a line.
const (
	MaxLine  = 120 // maximum characters; longer lines lose their place, what they are in, or their value
	maxLabel = 36  // characters of a label
	maxOther = 24  // characters of a value, and of the title or text of what the element is in

	maxSearched = 2500 // elements that are searched for the surroundings of one; a dense screen has 500
)

// leastIcon is the minimum score of an icon's name that a line has as a guess, with "perhaps".
const leastIcon = 0.3

// Lines describes the elements of one screen. Its methods are safe for concurrent use.
type Lines struct {
	list   []elements.Element
	bounds image.Rectangle
	unit   float64
	texts  []int            // texts that are not on a button or another control
	heads  []int            // headings
	same   map[string][]int // elements by name
}

// New returns the lines of a screen.
func New(on *elements.Screen) *Lines {
	l := &Lines{list: on.Elements, bounds: image.Rect(0, 0, on.Width, on.Height), same: map[string][]int{}}
	var heights []int
	for i, e := range on.Elements {
		if i >= maxSearched {
			break
		}
		l.same[name(&e)] = append(l.same[name(&e)], i)
		if e.Label == "" {
			continue
		}
		switch e.Role {
		case elements.Heading:
			l.heads = append(l.heads, i)
		case elements.Text, elements.Link:
			if e.Parent < 0 || !isFace(on.Elements[e.Parent].Role) {
				l.texts = append(l.texts, i)
			}
			heights = append(heights, e.Box.Dy())
		}
	}
	l.unit = geo.Unit(heights, 1, usualText)
	return l
}

const (
	usualText = 18  // height of a text's box in pixels, which defines a usual pixel
	mostBelow = 400 // how far below a heading an element is still under it, in usual pixels
)

// isFace reports whether a text on an element of the role is the element's own.
func isFace(r elements.Role) bool {
	return r.IsActedOn() && r != elements.MenuItem && r != elements.Link
}

// name returns what an element is called: its role, and its label or icon.
func name(e *elements.Element) string {
	return string(e.Role) + " " + cmp.Or(e.Caption, e.Label, e.Icon())
}

// parts are the parts of a line, in its order. All but the first may be empty.
type parts struct{ head, value, states, in, place, number string }

// String joins the parts. If the line is too long, it omits parts.
func (p parts) String() string {
	for _, part := range []*string{new(string), &p.place, &p.in, &p.value} {
		*part = ""
		line := p.head + p.value + p.states + p.in + p.place + p.number
		if len([]rune(line)) <= MaxLine {
			return line
		}
	}
	return p.head + p.states + p.number
}

// Of returns the line of element i among all elements of the screen. It has the place only if other
// elements have the same name.
func (l *Lines) Of(i int) string {
	p := l.parts(i)
	if l.list[i].Label != "" && len(l.same[name(&l.list[i])]) <= 1 {
		p.place = ""
	}
	return p.String()
}

// Among returns the lines of elements, in the same order. They omit the place if it is the same for
// all elements. Lines that would be equal have numbers, such as "the second of 3 from the left".
func (l *Lines) Among(list []int) []string {
	all, alike := make([]parts, len(list)), map[parts][]int{}
	places := map[string]bool{}
	for n, i := range list {
		all[n] = l.parts(i)
		places[all[n].place] = true
	}
	for n := range all {
		if len(places) == 1 {
			all[n].place = ""
		}
		alike[all[n]] = append(alike[all[n]], n)
	}
	for _, group := range alike {
		if len(group) < 2 {
			continue
		}
		of := make([]int, len(group))
		for k, n := range group {
			of[k] = list[n]
		}
		ranks, side := l.ranks(of)
		for k, n := range group {
			all[n].number = fmt.Sprintf(", the %s of %d%s", nth(ranks[k]), len(group), side)
		}
	}
	lines := make([]string, len(list))
	for n, p := range all {
		lines[n] = p.String()
	}
	return lines
}

// parts returns the parts of the line of element i, without a number.
func (l *Lines) parts(i int) (p parts) {
	e := &l.list[i]
	p.head = strings.TrimSpace(color(l.list, i) + " " + string(e.Role))
	switch label := cmp.Or(e.Caption, e.Label); {
	case label != "":
		p.head += " " + quoted(label, maxLabel)
	case e.Icon() != "":
		p.head += ", " + e.Icon()
	case len(e.Icons) > 0 && e.Icons[0].Score >= leastIcon:
		p.head += ", perhaps " + e.Icons[0].Name
	}
	if e.Caption != "" && e.Label != "" && e.Label != e.Caption {
		p.value = " with " + quoted(e.Label, maxOther)
	}
	for _, state := range e.States {
		p.states += ", " + string(state)
	}
	p.in = l.in(i)
	p.place = ", " + l.place(e.Box)
	return p
}

// quoted returns a text in quotes, on one line of at most limit characters.
func quoted(text string, limit int) string {
	r := []rune(plain.OneLine(text, 4*limit))
	if len(r) > limit {
		return `"` + strings.TrimSpace(string(r[:limit-1])) + `…"`
	}
	return `"` + string(r) + `"`
}

// color returns the name of an element's color if it stands out: it is neither grey nor the color
// of what the element is on. A text has no color.
func color(list []elements.Element, i int) string {
	e := &list[i]
	of := e.Fill
	if e.Role == elements.Icon || e.Role == elements.IconButton && isPlain(e.Fill) {
		of = e.Ink
	}
	if isPlain(of) || e.Role.Holds() {
		return ""
	}
	if _, ground := elements.GroundOf(list, i); ground != nil && ground.Name() == of.Name() {
		return ""
	}
	return of.Name()
}

// isPlain reports whether a color is white, black or grey, or unknown.
func isPlain(c *elements.Color) bool {
	if c == nil {
		return true
	}
	name := c.Name()
	return name == "white" || name == "black" || strings.HasSuffix(name, "grey")
}

// in returns what an element is in: a dialog, else the row of a text if its name is not unique on the
// screen but on its line, else the part of the screen under a heading.
func (l *Lines) in(i int) string {
	for p := l.list[i].Parent; p >= 0; p = l.list[p].Parent {
		if l.list[p].Role == elements.Dialog {
			return strings.TrimSuffix(", in dialog "+l.title(i, p), " ")
		}
	}
	if e := &l.list[i]; e.Caption == "" && (e.Label == "" || len(l.same[name(e)]) > 1) && !l.hasTwin(i) {
		if text := l.rowText([]int{i}, i); text != "" {
			return ", in the row of " + quoted(text, maxOther)
		}
	}
	if h := l.heading(i); h >= 0 {
		return ", under " + quoted(l.list[h].Label, maxOther)
	}
	return ""
}

// hasTwin reports whether another element on the line of element i has its name: the row does not
// distinguish them.
func (l *Lines) hasTwin(i int) bool {
	return slices.ContainsFunc(l.same[name(&l.list[i])], func(j int) bool { return j != i && geo.SameLine(l.list[j].Box, l.list[i].Box) })
}

// title returns the quoted title of the dialog that contains element i. It returns "" if there is
// none, or if i is the title.
func (l *Lines) title(i, dialog int) string {
	if label := l.list[dialog].Label; label != "" {
		return quoted(label, maxOther)
	}
	best := -1
	for _, list := range [][]int{l.heads, l.texts} {
		for _, j := range list {
			if l.list[j].Box.In(l.list[dialog].Box) && (best < 0 || geo.Order("", l.list[j].Box, l.list[best].Box) < 0) {
				best = j
			}
		}
		if best >= 0 {
			break
		}
	}
	if best < 0 || best == i {
		return ""
	}
	return quoted(l.list[best].Label, maxOther)
}

// heading returns the nearest heading above an element, or -1. The heading must be over the
// element, or begin left of it.
func (l *Lines) heading(i int) int {
	box, best := l.list[i].Box, -1
	near := int(mostBelow * l.unit)
	for _, h := range l.heads {
		b := l.list[h].Box
		if gap := box.Min.Y - b.Max.Y; h != i && gap >= 0 && gap < near && b.Min.X <= box.Max.X && l.reach(h) > box.Min.X {
			best, near = h, gap
		}
	}
	return best
}

// reach returns the right end of the part that a heading is the heading of: of its container, or of
// the screen.
func (l *Lines) reach(h int) int {
	for p := l.list[h].Parent; p >= 0; p = l.list[p].Parent {
		if l.list[p].Box.Dx() > 2*l.list[h].Box.Dx() {
			return l.list[p].Box.Max.X
		}
	}
	return l.bounds.Max.X
}

// place returns the place of a box on the screen, such as "top right".
func (l *Lines) place(box image.Rectangle) string {
	third := func(at, side int) int { return min(2, max(0, 3*at/max(1, side))) }
	m := geo.Center(box)
	row := [...]string{"top", "", "bottom"}[third(m.Y, l.bounds.Dy())]
	column := [...]string{"left", "", "right"}[third(m.X, l.bounds.Dx())]
	return cmp.Or(strings.TrimSpace(row+" "+column), "center")
}

// rowText returns the leftmost text on the line of element i that is left of it and outside of the
// elements of list: in its container, or else in the nearest container that has such a text.
func (l *Lines) rowText(list []int, i int) (text string) {
	box := l.list[i].Box
	for p := l.list[i].Parent; ; p = l.list[p].Parent {
		first := box.Min.X
		for _, j := range l.texts {
			b := l.list[j].Box
			if geo.SameLine(b, box) && b.Min.X < first && (p < 0 || geo.Center(b).In(l.list[p].Box)) &&
				!slices.ContainsFunc(list, func(k int) bool { return b.Overlaps(l.list[k].Box) }) {
				text, first = l.list[j].Label, b.Min.X
			}
		}
		if text != "" || p < 0 {
			return text
		}
	}
}

// maxHints is the maximum number of elements with a hint.
const maxHints = 20

// Hints returns words for each of several elements that match one description. Added to the
// description, they select the element: the text on its line if these differ, and otherwise its
// number. Elements after the first maxHints have no hint.
func (l *Lines) Hints(list []int) []string {
	hints := make([]string, len(list))
	if len(list) < 2 {
		return hints
	}
	list = list[:min(len(list), maxHints)]
	seen := map[string]bool{}
	for n, i := range list {
		if text := l.rowText(list, i); text != "" {
			hints[n] = `in the row of "` + text + `"`
		}
		seen[hints[n]] = true
	}
	if len(seen) == len(list) && !seen[""] {
		return hints
	}
	ranks, side := l.ranks(list)
	for n, rank := range ranks {
		hints[n] = "the " + nth(rank) + side
	}
	return hints
}

// ranks numbers elements from 1: along a row, along a column, or else in reading order. side says
// from which side, with a space before it; it is "" for reading order.
func (l *Lines) ranks(list []int) (ranks []int, side string) {
	row, column := true, true
	first := l.list[list[0]].Box
	for _, i := range list[1:] {
		row = row && geo.SameLine(first, l.list[i].Box)
		column = column && geo.SameColumn(first, l.list[i].Box)
	}
	from := ""
	switch {
	case row:
		from, side = "left", " from the left"
	case column:
		from, side = "top", " from the top"
	}
	order := make([]int, len(list))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return geo.Order(from, l.list[list[a]].Box, l.list[list[b]].Box) })
	ranks = make([]int, len(list))
	for rank, n := range order {
		ranks[n] = rank + 1
	}
	return ranks, side
}

// nth returns the ordinal of n, which must be positive.
func nth(n int) string {
	if n <= 3 {
		return [...]string{"first", "second", "third"}[n-1]
	}
	ending := "th"
	if n%100/10 != 1 && n%10 >= 1 && n%10 <= 3 {
		ending = [...]string{"st", "nd", "rd"}[n%10-1]
	}
	return strconv.Itoa(n) + ending
}
