package locate

import (
	"regexp"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// likeKinds returns how well an element fits the best of the kinds, 0 to 1, and that kind. kinds
// must not be empty.
func (s *screen) likeKinds(i int, kinds []string) (best float64, kind string) {
	kind = kinds[0]
	for _, k := range kinds {
		if like := s.like(i, k); like > best {
			best, kind = like, k
		}
		for _, j := range s.twins(i) { // a kind does not distinguish twins
			if like := twinLike * s.like(j, k); like > best {
				best, kind = like, k
			}
		}
	}
	return best, kind
}

const (
	twinLike  = 0.95 // factor for a twin's likeness to a kind
	leastIcon = 0.3  // minimum score of an icon that counts
)

// twins returns the elements with the same label and a similar size. They are of one kind, even if
// elements gave them different roles.
func (s *screen) twins(i int) (list []int) {
	if s.labels[i] == "" {
		return nil
	}
	for _, j := range s.byLabel[s.labels[i]] {
		a, b := &s.list[i], &s.list[j]
		asLarge := s.near(a.Box.Dx()-b.Box.Dx(), 3) && s.near(a.Box.Dy()-b.Box.Dy(), 3)
		if i != j && (asLarge || a.Role == b.Role && s.near(a.Box.Dy()-b.Box.Dy(), 6)) && !a.Box.Overlaps(b.Box) {
			list = append(list, j)
		}
	}
	return list
}

// like returns how well an element fits a kind, 0 to 1.
func (s *screen) like(i int, kind string) float64 {
	e := &s.list[i]
	like := likeness[kind][e.Role]
	if kind == filledButton {
		like = likeness["button"][e.Role]
	}
	if p := e.Parent; kind != "text" && e.Role == elements.Text && p >= 0 && plain[s.list[p].Role] == 1 && s.labels[p] == s.labels[i] {
		like = min(like, 0.9*likeness[kind][s.list[p].Role])
	}
	return s.likeByLook(i, kind, like)
}

// form reports whether an element is as small as an icon, and whether it is about square.
func (s *screen) form(e *elements.Element) (small, square bool) {
	return float64(max(e.Box.Dx(), e.Box.Dy())) <= 30*s.unit, 4*geo.Abs(e.Box.Dx()-e.Box.Dy()) <= max(e.Box.Dx(), e.Box.Dy())
}

// likeByLook adjusts the likeness of an element to a kind by its form, colors and text.
func (s *screen) likeByLook(i int, kind string, like float64) float64 {
	e := &s.list[i]
	small, square := s.form(e)
	switch kind {
	case filledButton:
		like = s.likeByLook(i, "button", like)
		if !isVivid(e.Fill) {
			like *= 0.4
		}
		return like
	case "button":
		if (e.Role == elements.Field && isVivid(e.Fill) || e.Role == elements.Panel && (e.Border != nil || isVivid(e.Fill))) && s.labels[i] != "" {
			return max(like, 0.85)
		}
		if icons := s.icons[i]; e.Role == elements.Icon && (len(icons) == 0 || icons[0].Score < leastIcon) {
			return 0.4
		}
	case "checkbox":
		if small && square && e.Shows(leastIcon, "check", "checkbox") {
			return max(like, 0.75)
		}
	case "field", "text area":
		if e.Role == elements.Panel && e.Border != nil && !small && s.isBare(i) {
			return max(like, needRole)
		}
	case "icon":
		if e.Role == elements.Text && len(s.labels[i]) == 1 { // for example "B" for bold
			return 0.7
		}
	}
	return s.likeRest(i, kind, like)
}

// likeRest is likeByLook for the kinds that likeByLook does not handle.
func (s *screen) likeRest(i int, kind string, like float64) float64 {
	e := &s.list[i]
	small, square := s.form(e)
	switch kind {
	case "link":
		if e.Label == "" {
			return like / 3
		}
		if e.Role == elements.Text && isVivid(e.Ink) {
			return 0.95
		}
	case "search box":
		if (e.Role == elements.Field || e.Role == elements.Dropdown) && (s.holdsIcon(i, "search") || s.isBeforeSearch(i)) {
			return 0.95
		}
		if (e.Role == elements.Panel || e.Role == elements.Field || e.Role == elements.Button) && strings.HasPrefix(s.labels[i], "search") && e.Box.Dx() > 3*e.Box.Dy() {
			return 0.9
		}
	case "dot", "badge":
		if kind == "dot" && e.Role == elements.Button && s.labels[i] == "" && square {
			return 0.9
		}
		if !small && e.Role != elements.Badge && kind == "dot" {
			return 0.6 * like
		}
	case "error":
		if e.Ink != nil && strings.HasSuffix(e.Ink.Name(), "red") {
			return min(1, 2*like)
		}
	case "avatar":
		if square && initials.MatchString(e.Label) {
			return max(like, 0.92)
		}
		if e.Role == elements.Button && (len(s.labels[i]) > 3 || !square) {
			return 0.2
		}
		if icon := e.Icon(); e.Role == elements.IconButton && icon != "" && icon != "user" {
			return 0.3
		} else if e.Role == elements.IconButton && icon == "" {
			return 0.5
		}
	case "column header":
		if s.namesColumn(i) {
			return 1
		}
		if s.hasHeads() {
			return like / 2
		}
	case "panel":
		if small {
			return like / 3
		}
	case "card":
		if e.Fill != nil && !s.isCard(e) {
			return like / 2
		}
	}
	return like
}

// initials matches the text on the picture of a person.
var initials = regexp.MustCompile(`^\p{Lu}{2}$`)

// isBare reports whether an element contains at most one text and nothing else.
func (s *screen) isBare(i int) bool {
	parts := 0
	for j := i + 1; j < len(s.list); j++ {
		if s.list[j].Parent == i {
			parts++
			if s.list[j].Role != elements.Text {
				return false
			}
		}
	}
	return parts <= 1
}

// isBeforeSearch reports whether a search button is just right of an element.
func (s *screen) isBeforeSearch(i int) bool {
	a := s.list[i].Box
	for j := range s.list {
		b := s.list[j].Box
		if gap := b.Min.X - a.Max.X; s.near(gap, 20) && gap > -4 && geo.SameLine(a, b) && isTarget(s.list[j].Role) && (s.labels[j] == "search" || s.list[j].Shows(leastIcon, "search")) {
			return true
		}
	}
	return false
}

// holdsIcon reports whether an element is or contains an icon with a name.
func (s *screen) holdsIcon(i int, name string) bool {
	for j := i; j < len(s.list); j++ {
		if s.list[j].Shows(leastIcon, name) && (j == i || isIn(s.list[j].Box, s.list[i].Box) > 0.9) {
			return true
		}
	}
	return false
}

// isPresent reports whether an element of the screen clearly is of a kind. It keeps the result in
// s.present.
func (s *screen) isPresent(kind string) bool {
	is, known := s.present[kind]
	if !known {
		for i := range s.list {
			if is = is || s.like(i, kind) >= present; is {
				break
			}
		}
		s.present[kind] = is
	}
	return is
}

// The minimum for each term of a matching element, 0 to 1.
const (
	needText     = 0.5
	needWords    = 0.4
	needRole     = 0.45
	needCalled   = 0.2 // a role, if the description also says the text
	needColor    = 0.38
	needState    = 0.5
	needPlace    = 0.25
	needRelation = 0.2

	present    = 0.95 // minimum likeness of an element that clearly is of a kind
	mostUnlike = 0.7  // minimum likeness of a match if another element clearly is of the kind
)
