package locate

import (
	"image"
	"math"
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/windieos/windie/perception/elements"
)

// A screen is elements with what they are matched by.
type screen struct {
	bounds image.Rectangle
	list   []elements.Element
	labels []string // in lower case
	unit   float64
	known  map[*query]map[int]float64 // anchors
}

// A term is one thing that a description says, and how well an element fits
// it, 0 to 1. An element that does not fit at all keeps at least of its score.
type term struct {
	name         string
	score, least float64
}

// What an element is left with that does not fit a term.
const (
	hard = 0.0  // what must hold: a quoted text
	soft = 0.12 // most
	some = 0.35 // what people often get wrong

	named = 0.45 // a role, of what is called by its text
)

// score tells how well an element fits a query, 0 to 1, without its ordinal.
func (s *screen) score(i int, q *query) float64 {
	score := 1.0
	for _, t := range s.terms(i, q) {
		score *= max(t.score, t.least)
	}
	return score
}

// terms tells how well an element fits each term of a query.
func (s *screen) terms(i int, q *query) (list []term) {
	e := &s.list[i]
	add := func(name string, score, least float64) { list = append(list, term{name, score, least}) }
	for _, text := range q.quoted {
		add(`the text "`+text+`"`, s.fits(i, strings.ToLower(text)), hard)
	}
	if len(q.words) > 0 {
		add(strings.Join(q.words, " "), s.means(i, q), soft)
	}
	if len(q.roles) > 0 {
		least := soft // people call things what they like, if they say their text
		if len(q.quoted)+len(q.words) > 0 {
			least = named
		}
		add(string(q.roles[0]), likeRole(e.Role, q.roles), least)
	} else {
		add("something to click on", plain[e.Role], 0.6)
	}
	for _, c := range q.colors {
		add(c, hasColor(e, c), soft)
	}
	for _, state := range q.states {
		is := 0.0
		if slices.Contains(e.States, state) {
			is = 1
		}
		add(string(state), is, some)
	}
	for _, p := range q.positions {
		add(string(p), s.at(middle(e.Box), p), some)
	}
	for _, r := range q.relations {
		add(string(r.kind), s.related(i, r), soft)
	}
	return list
}

// plain is how likely a thing is meant when nobody says what kind it is.
var plain = map[elements.Role]float64{
	elements.Button: 1, elements.IconButton: 1, elements.Link: 1, elements.MenuItem: 1, elements.Tab: 1, elements.Field: 0.9, elements.SearchBox: 0.9,
	elements.TextArea: 0.9, elements.Dropdown: 0.9, elements.Checkbox: 1, elements.Radio: 1, elements.Toggle: 1,
	elements.Badge: 0.5, elements.Heading: 0.6, elements.Text: 0.6, elements.Icon: 0.8, elements.Picture: 0.6, elements.Panel: 0.1,
}

// likeRole tells how well a role fits those that are asked for, the first of
// which is meant most.
func likeRole(role elements.Role, asked []elements.Role) float64 {
	switch at := slices.Index(asked, role); {
	case at == 0:
		return 1
	case at > 0:
		return 0.92
	}
	return 0
}

// fits tells how well a text is what stands on an element.
func (s *screen) fits(i int, text string) float64 {
	label := s.labels[i]
	switch {
	case label == "":
		return 0
	case label == text:
		return 1
	case strings.Contains(label, text):
		return 0.45 + 0.45*float64(len(text))/float64(len(label))
	case letters(label) == letters(text):
		return 0.95
	}
	far := fuzzy.LevenshteinDistance(letters(label), letters(text))
	if most := len(text) / 5; far <= most {
		return 0.8 - 0.1*float64(far)
	}
	return 0
}

// letters leaves of a text what readers tell apart well.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '.', ',', ':', ';', '\'', '"', '`', '…', '-', '_', '*':
			return -1
		}
		return r
	}, text)
}

// means tells how well an element is what words say that are no role: its
// text, or its purpose.
func (s *screen) means(i int, q *query) float64 {
	words := q.words
	best := s.fits(i, strings.Join(words, " "))
	for _, c := range s.list[i].Icons {
		if slices.Contains(q.icons, c.Name) {
			sure := min(1, c.Score+0.1)
			if !slices.Contains(q.roles, elements.Icon) { // who does not say "icon" may mean a text
				sure *= 0.78
			}
			best = max(best, sure)
		}
	}
	found := 0.0
	for _, w := range words {
		switch {
		case slices.Contains(strings.Fields(s.labels[i]), w):
			found += 0.9
		case strings.Contains(s.labels[i], w):
			found += 0.6
		case w == "search" && s.list[i].Role == elements.SearchBox:
			found += 0.8
		}
	}
	return max(best, found/float64(len(words)))
}

// hasColor tells how well a term names an element's color: of its face most
// of all.
func hasColor(e *elements.Element, term string) float64 {
	best := 0.0
	for _, c := range []struct {
		color  *elements.Color
		weight float64
	}{{e.Fill, 1}, {e.Ink, 0.7}, {e.Border, 0.6}} {
		if c.color != nil {
			best = max(best, c.weight*c.color.Is(term))
		}
	}
	return best
}

// at tells how well a point is where on the screen somebody says.
func (s *screen) at(p image.Point, where position) float64 {
	x := float64(p.X-s.bounds.Min.X) / float64(s.bounds.Dx())
	y := float64(p.Y-s.bounds.Min.Y) / float64(s.bounds.Dy())
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

// step is 1 up to full and 0 from none on.
func step(v, full, none float64) float64 { return min(1, max(0, (none-v)/(none-full))) }

func middle(r image.Rectangle) image.Point { return r.Min.Add(r.Max).Div(2) }
