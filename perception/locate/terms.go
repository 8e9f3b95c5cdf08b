package locate

import (
	"math"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// A term is one thing that a description says, and how well an element meets it.
type term struct {
	what, about string  // its name, in two parts
	met         float64 // 0 to 1
	need        float64 // below it the element is not meant
	by          byKind  // what of the element meets it
}

const (
	floor       = 0.05 // the least factor of an unmet term, so that near misses are in order
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

// preferred is how likely a thing is meant that something is done to.
func (s *screen) preferred(i int, q *query) float64 {
	if len(q.prefer) == 0 || len(q.kinds) > 0 {
		return 1
	}
	like := 0.0
	for _, k := range q.prefer {
		like = max(like, s.like(i, k))
	}
	if slices.Contains(q.prefer, "column header") && isLeaf(s.list[i].Role) && s.list[i].Label != "" && s.isHead(i) {
		return 1
	}
	if like < needRole {
		return untyped
	}
	return 0.6 + 0.4*like
}

// untyped is how likely something is meant that cannot be typed into, or ticked, where that is asked.
const untyped = 0.3

// candidate is an element that a query may mean.
type candidate struct {
	element int
	score   float64 // of how well it meets all terms
	misses  int     // the terms it does not meet
}

func (c *candidate) add(met, need float64) {
	c.score *= max(met, floor)
	if met < need {
		c.misses++
	}
}
