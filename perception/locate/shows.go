package locate

import (
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/elements/icons"
)

// showsUnit returns how well an element shows a unit, 0 to 1, and the property that shows it.
func (s *screen) showsUnit(i int, q *query, u *unit) (best float64, how byKind) {
	take := func(v float64, b byKind) {
		if v == byMeaning && (s.isWritten(u) || len(u.icons) > 0 && s.isDrawn(u)) {
			v *= elsewhere
		}
		if v > best {
			best, how = v, b
		}
	}
	take(s.meanings[i].shows(u, s.words[i]), byLabel)
	take(s.showsIcon(i, q, u), byIcon)
	if s.beside[i] != "" {
		take(byCaption*s.besides[i].shows(u, strings.Fields(s.beside[i])), byBeside)
	}
	if u.text == "search" && s.list[i].Role == elements.SearchBox {
		take(0.9, byRole)
	}
	if best < byColumn && (q.ordinal != 0 || len(q.relations) > 0) {
		if h := s.headCell(i); h >= 0 {
			take(byColumn*s.meanings[h].shows(u, s.words[h]), byPlace)
		}
	}
	if best < bySection && len(q.units) > 1 {
		take(bySection*s.sectionOf(i).shows(u), byUnder)
	}
	return best, how
}

// isWritten reports whether all words of a unit are on the screen, in any form.
func (s *screen) isWritten(u *unit) bool {
	return !slices.ContainsFunc(u.words, func(w string) bool { return !s.onScreen[stem(w)] })
}

// isDrawn reports whether an icon on the screen surely means a unit.
func (s *screen) isDrawn(u *unit) bool {
	return slices.ContainsFunc(s.icons, func(list []icons.Candidate) bool {
		return len(list) > 0 && list[0].Score >= icons.Sure && u.icons[list[0].Name] > 0
	})
}

// showsIcon returns how well the icon of an element shows a unit, 0 to 1.
func (s *screen) showsIcon(i int, q *query, u *unit) (best float64) {
	for _, c := range s.icons[i] {
		if c.Score < leastIcon {
			continue
		}
		if meant := u.icons[c.Name]; meant > 0 {
			best = max(best, meant*min(1, c.Score+0.1))
		} else if len(u.means) > 0 && c.Score >= icons.Sure && slices.ContainsFunc(u.means, func(id int) bool { return slices.Contains(iconMeans(c.Name), id) }) {
			best = max(best, 0.75*min(1, c.Score+0.1))
		}
	}
	if len(q.kinds) == 0 || !slices.Contains(q.kinds, "icon") && !slices.Contains(q.kinds, "button") {
		best *= 0.78 // without "icon" the description may mean a text
	}
	if s.labels[i] != "" {
		best *= 0.9
	}
	return best
}

// byKind is the property of an element that meets a term.
type byKind string

// What meets terms.
const (
	byLabel  byKind = "label"
	byIcon   byKind = "icon"
	byRole   byKind = "role"
	byFill   byKind = "fill"
	byInk    byKind = "ink"
	byBorder byKind = "border"
	byBeside byKind = "caption"
	byUnder  byKind = "heading"
	byState  byKind = "state"
	byPlace  byKind = "place"
)
