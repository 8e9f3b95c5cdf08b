package locate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/match"
)

// A term is one thing that a description says, and how well an element meets it.
type term struct {
	what, about string  // its name, in two parts
	met         float64 // 0 to 1
	need        float64 // below it the element is not meant
	by          byKind  // what of the element meets it
}

// by is what of an element meets a term.
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

// How well an element that is meant meets each term at least.
const (
	needText     = 0.5
	needWords    = 0.4
	needRole     = 0.45
	needCalled   = 0.2 // a role, of what is known by its text
	needColor    = 0.38
	needState    = 0.5
	needPlace    = 0.25
	needRelation = 0.2

	present    = 0.95 // how well something is of a kind that is clearly there
	mostUnlike = 0.7  // how well what is meant is of a kind that is clearly there, against it
)

const (
	floor       = 0.05 // the least factor of an unmet term, so that near misses are in order
	nearMiss    = 0.45 // how well a label matches a text at most that says another thing: less than needText
	inColumnOf  = 0.8  // how well the head of a column matches what stands in the column
	besides     = 0.72 // how much a text beside a control counts
	sameMeaning = 0.75 // how well a synonym matches a label
	unsaid      = 0.45 // how well "file" or "message", known by its place, matches what has a text
	otherName   = 0.65 // how much a second name of a color counts, as of one between green and teal
)

// terms calls yield for each term of a query but its relations.
func (s *screen) terms(i int, q *query, yield func(term)) {
	e := &s.list[i]
	for _, t := range q.texts {
		yield(term{"the text", t.text, s.fits(i, q, t.text), needText, byLabel})
	}
	if len(q.words) > 0 {
		s.saidBy(i, q, yield)
	}
	for _, n := range q.nouns {
		if n != unsure {
			yield(term{"", string(n), s.isSort(i, n), needPlace, byLabel})
		}
	}
	if len(q.kinds) > 0 {
		need := needRole // people call things what they like, if they say their text
		if len(q.texts)+len(q.words) > 0 && q.kinds[0] != "icon" {
			need = needCalled
		}
		met, kind := s.likeKinds(i, q.kinds)
		if isControl(kind) {
			need = needRole
		}
		if need == needRole && !isGroundKind[kind] && s.isPresent(kind) {
			need = mostUnlike
		}
		if e.Role == elements.IconButton && len(q.all.icons) > 0 && s.showsIcon(i, q, &q.all) > needText { // "menu dots"
			need = needCalled
		}
		yield(term{"", kind, met, need, byRole})
	}
	for _, c := range q.colors {
		met, by := s.hasColor(i, c, slices.Contains(q.kinds, "button"))
		yield(term{"", c.String(), met, needColor, by})
	}
	for _, state := range q.states {
		yield(term{"", state, s.isIn(i, state), needState, byState})
	}
	for _, p := range q.positions {
		yield(term{"", string(p), s.at(geo.Center(e.Box), p), needPlace, byPlace})
	}
	for _, p := range q.places {
		yield(term{"in the", string(p), s.inPlace(i, p), needPlace, byPlace})
	}
}

// plain is how likely a thing is meant by a query without a kind.
var plain = map[elements.Role]float64{
	elements.Button: 1, elements.IconButton: 1, elements.Link: 1, elements.MenuItem: 1, elements.Tab: 1, elements.Field: 0.9, elements.SearchBox: 0.9,
	elements.TextArea: 0.9, elements.Dropdown: 0.9, elements.Checkbox: 1, elements.Radio: 1, elements.Toggle: 1, elements.Slider: 1, elements.Avatar: 0.9,
	elements.Badge: 0.85, elements.Heading: 0.82, elements.Text: 0.82, elements.Icon: 0.8, elements.Picture: 0.6, elements.Panel: 0.2,
	elements.Row: 0.6, elements.Toolbar: 0.1, elements.Sidebar: 0.1, elements.Dialog: 0.1, elements.Progress: 0.6,
}

// prior is how likely an element is meant by a query that does not say what it is.
func (s *screen) prior(i int, q *query) float64 {
	switch {
	case len(q.kinds) > 0:
		return 1
	case s.list[i].Role.IsChecked(): // its text may be meant as well
		return 0.8
	case len(q.icons) > 0 && s.list[i].Role == elements.Icon:
		return 0.95
	case len(q.nouns) > 0 && s.part(s.list[i].Box) < 0.1:
		return max(0.9, plain[s.list[i].Role])
	}
	return plain[s.list[i].Role]
}

// fits returns how well a text matches what stands on an element.
func (s *screen) fits(i int, q *query, text string) float64 {
	text = strings.ToLower(text)
	best := fit(s.labels[i], text)
	if s.beside[i] != "" && slices.ContainsFunc(q.kinds, isControl) {
		best = max(best, besides*fit(s.beside[i], text))
	}
	if (len(q.relations) > 0 || q.ordinal != 0) && best < inColumnOf && (s.isUnder(i, text) || s.isInColumn(i, text)) {
		best = inColumnOf
	}
	return best
}

// isHead reports whether a text has others like it on its line, as heads of columns do.
func (s *screen) isHead(i int) bool {
	n := 0
	for j := range s.list {
		a, b := &s.list[i], &s.list[j]
		if i != j && a.Role == b.Role && geo.SameLine(a.Box, b.Box) && s.near(a.Box.Dy()-b.Box.Dy(), 5) && apart(a.Ink, b.Ink) <= inksApart {
			n++
		}
	}
	return n >= 2
}

// isUnder reports whether an element is a cell of the column with a head.
func (s *screen) isUnder(i int, head string) bool {
	c := s.list[i].Box
	return slices.Contains([]elements.Role{elements.Text, elements.Link, elements.Badge}, s.list[i].Role) &&
		slices.ContainsFunc(s.byLabel[head], func(j int) bool {
			h := &s.list[j]
			return (h.Role == elements.Text || h.Role == elements.Heading) && h.Box.Max.Y <= c.Min.Y &&
				(s.near(h.Box.Min.X-c.Min.X, 12) || s.near(h.Box.Max.X-c.Max.X, 12)) && s.isHead(j)
		})
}

// isInColumn reports whether an element is a cell of a table's column of this name.
func (s *screen) isInColumn(i int, name string) bool {
	h := s.headCell(i)
	return h >= 0 && fit(s.labels[h], name) >= needText
}

// isGroundKind holds the kinds of things that hold others, which headings are named for.
var isGroundKind = expand(map[string]bool{"panel|card|box|column|row|toolbar|bubble": true})

// isControl reports whether what things of a kind are for stands beside them.
func isControl(kind string) bool {
	return slices.Contains([]string{"checkbox", "radio", "toggle", "slider", "field", "dropdown", "text area", "dot"}, kind)
}

// fit returns how well a text matches a label. Both are in lower case.
func fit(label, text string) float64 {
	switch {
	case label == "" || text == "":
		return 0
	case label == text:
		return 1
	}
	l, t := letters(label), letters(text)
	if at := strings.Index(label, text); at >= 0 {
		part := float64(len(text)) / float64(len(label))
		if isWhole(label, at, at+len(text)) && !match.Negated(strings.Fields(label[:at]), text) {
			return 0.55 + 0.35*part
		}
		return min(0.3+0.4*part, nearMiss)
	}
	most := max(2, len(t)/6)
	if geo.Abs(len(l)-len(t)) > most {
		return 0
	}
	far := 0
	if l != t {
		far = fuzzy.LevenshteinDistance(l, t)
	}
	switch {
	case far > most:
		return 0
	case !match.Same(text, label):
		return max(0, nearMiss-0.1*float64(far))
	case far == 0:
		return 0.97
	}
	return 0.85 - 0.1*float64(min(far, 2))
}

// isWhole reports whether words begin and end at these places of a text.
func isWhole(text string, from, to int) bool {
	return (from == 0 || !isLetter(text[from-1])) && (to == len(text) || !isLetter(text[to])) &&
		!isWithinNumber(text, from) && !isWithinNumber(text, to)
}

// isWithinNumber reports whether a place of a text is before or after a mark between two digits.
func isWithinNumber(text string, at int) bool {
	isNumber := func(i int) bool {
		return i > 0 && i+1 < len(text) && isDigit(text[i-1]) && strings.IndexByte(".,:/-", text[i]) >= 0 && isDigit(text[i+1])
	}
	return isNumber(at) || isNumber(at-1)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isLetter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80
}

// letters returns what readers distinguish well of a text.
func letters(text string) string {
	return cmp.Or(strings.Map(func(r rune) rune {
		switch r {
		case ' ', '.', ',', ':', ';', '\'', '"', '`', '…', '-', '_', '*', '’', '‘', '+', '#':
			return -1
		}
		return r
	}, text), text)
}

// whole returns how well an element matches all words at once: by its text, or an icon's name.
func (s *screen) whole(i int, q *query) (best float64, how byKind) {
	text := strings.Join(q.words, " ")
	best, how = s.fits(i, q, text), byLabel
	if also := synonyms[text]; also != "" && synonyms[s.labels[i]] == also && best < sameMeaning {
		best, how = sameMeaning, byLabel
	}
	if icon := s.showsIcon(i, q, &q.all); len(q.all.icons) > 0 && icon > best {
		best, how = icon, byIcon
	}
	if best < unsaid && len(q.words) <= len(q.nouns) && len(q.relations) > 0 && len(q.kinds) == 0 && s.labels[i] != "" {
		return unsaid, byLabel
	}
	return best, how
}

// saidBy yields a term for each unit of the words: none may be unmet.
func (s *screen) saidBy(i int, q *query, yield func(term)) {
	met, by := s.whole(i, q)
	fits, bys := make([]float64, len(q.units)), make([]byKind, len(q.units))
	least, sum, hard := 1.0, 0.0, 0
	for k := range q.units {
		fits[k], bys[k] = s.showsUnit(i, q, &q.units[k])
		if q.units[k].soft {
			sum += softWorth * fits[k]
			continue
		}
		least, sum, hard = min(least, fits[k]), sum+fits[k], hard+1
	}
	if !slices.ContainsFunc(bys, func(b byKind) bool { return b != byUnder && b != "" }) {
		least = 0 // a heading alone says what all is about that is under it
	}
	each := min(1, sum/float64(hard))
	if slices.Contains(bys, byLabel) {
		each *= s.only(i, q)
	}
	if met >= needText && met >= each || least < leastUnit && met >= needWords {
		yield(term{"", strings.Join(q.words, " "), met, needWords, by})
		return
	}
	for k, u := range q.units { // together as good as their mean
		if u.soft {
			continue
		}
		m := fits[k]
		if least >= leastUnit {
			m = math.Pow(each, 1/float64(hard))
		}
		yield(term{"", u.text, m, leastUnit, bys[k]})
	}
}

// softWorth is how much a word counts that need not be met.
const softWorth = 0.1

// only is less than 1 for an element that says much else.
func (s *screen) only(i int, q *query) float64 {
	label := s.words[i]
	if len(label) == 0 {
		return 1
	}
	on := 0
	for k, l := range label {
		if isSmallWord[l] || slices.ContainsFunc(q.words, func(w string) bool { return s.likes.of(l, w) > 0 || s.meanings[i].stems[k] == stem(w) }) ||
			slices.ContainsFunc(s.spans[i], func(sp span) bool { return k >= sp.from && k < sp.to && q.means(sp.ids) }) {
			on++
		}
	}
	return 0.5 + 0.5*float64(on)/float64(len(label))
}

// means reports whether one of the units means one of some concepts.
func (q *query) means(ids []int) bool {
	return slices.ContainsFunc(q.units, func(u unit) bool {
		return slices.ContainsFunc(u.means, func(id int) bool { return slices.Contains(ids, id) })
	})
}

// isSmallWord holds words of labels that say nothing of their own.
var isSmallWord = expand(map[string]bool{"the|a|an|to|of|in|on|for|your|my|with|and|by|&|-|–|from|is|as|me|its|it|this|that|their|our": true})

// wordLikes keeps how well words match: each pair is compared once.
type wordLikes struct {
	by    map[string]map[string]float64
	words map[string]float64 // by[last]
	last  string
}

// of returns how well a word l of the screen matches a word w of a description.
func (t *wordLikes) of(l, w string) float64 {
	if t.by == nil {
		t.by = map[string]map[string]float64{}
	}
	if t.words == nil || t.last != w {
		if t.by[w] == nil {
			t.by[w] = map[string]float64{}
		}
		t.words, t.last = t.by[w], w
	}
	v, known := t.words[l]
	if !known {
		v = likeWord(l, w)
		t.words[l] = v
	}
	return v
}

// likeWord returns how well two words match.
func likeWord(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case len(a) == 1 && abbreviations[b] == a:
		return 0.95
	case strings.ContainsAny(b, "0123456789"): // another number is another thing
		return 0
	case len(a) < 4 || len(b) < 4:
		return 0
	case strings.HasPrefix(a, b) || strings.HasPrefix(b, a):
		return 0.8 * float64(min(len(a), len(b))) / float64(max(len(a), len(b)))
	case len(b) >= 6 && geo.Abs(len(a)-len(b)) <= 1 && match.Same(b, a):
		return 0.8
	}
	return 0
}

// isSort returns how well an element matches a noun.
func (s *screen) isSort(i int, n sort) float64 {
	label := s.labels[i]
	switch {
	case looks[n] == nil && (n != written || label != ""):
		return 0.9
	case n == written:
		return 0.3
	case looks[n].MatchString(label):
		return 0.95
	case strings.ContainsAny(label, "0123456789"):
		return 0.4
	}
	return 0.2
}

// hasColor returns how well a term names an element's color, most of all its face's.
func (s *screen) hasColor(i int, asked shade, button bool) (best float64, how byKind) {
	e := &s.list[i]
	fill := e.Fill
	if p := e.Parent; fill == nil && p >= 0 && 2*geo.Area(e.Box) >= geo.Area(s.list[p].Box) {
		fill = s.list[p].Fill
	}
	ink := 0.9
	switch {
	case fill != nil: // people mean what it is written on
		ink = 0.6
	case button:
		ink = 0.7
	}
	for _, c := range []struct {
		color  *elements.Color
		weight float64
		by     byKind
	}{{fill, 1, byFill}, {e.Ink, ink, byInk}, {e.Border, 0.65, byBorder}} {
		weight := c.weight
		if asked.border {
			weight = map[byKind]float64{byBorder: 1}[c.by]
		}
		if c.color == nil || weight == 0 {
			continue
		}
		is := c.color.Is(asked.name)
		if !strings.HasSuffix(c.color.Name(), asked.name) { // it has another name too
			is *= otherName
		}
		if is *= weight * ofTone(c.color, asked.tone); is > best {
			best, how = is, c.by
		}
	}
	return best, how
}

// ofTone returns how well a tone describes a color.
func ofTone(c *elements.Color, t tone) float64 {
	luma := (0.3*float64(c.R) + 0.59*float64(c.G) + 0.11*float64(c.B)) / 255
	switch t {
	case light:
		return step(-luma, -0.65, -0.4)
	case dark:
		return step(luma, 0.45, 0.7)
	}
	return 1
}

// isIn returns how well a state describes an element.
func (s *screen) isIn(i int, state string) float64 {
	e := &s.list[i]
	switch {
	case slices.Contains(e.States, elements.State(state)) && (state != "selected" || e.Border == nil || e.Role != elements.MenuItem),
		state == "selected" && e.Role.IsChecked() && slices.Contains(e.States, elements.Checked):
		return 1
	case slices.Contains(s.words[i], state) || slices.Contains(strings.Fields(s.beside[i]), "("+state+")"): // it says so
		return 0.9
	case state == "selected":
		return s.selected(i)
	case state == "unselected" && (e.Role.IsChecked() || slices.Contains(e.States, elements.Disabled)):
		return max(s.isIn(i, "unchecked"), s.isIn(i, "disabled"))
	case state == "unselected":
		return 1 - s.isIn(i, "selected")
	}
	return 0
}
