package locate

import (
	"math"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// term is one condition of a description, and how well an element meets it.
type term struct {
	what, about string  // its name, in two parts
	met         float64 // 0 to 1
	need        float64 // minimum of met for a match
	by          byKind  // the property of the element that meets it
}

const (
	floor       = 0.05 // minimum factor of an unmet term, so that near misses keep an order
	inColumnOf  = 0.8  // how well the head of a column matches its cells
	besides     = 0.72 // factor for a text beside a control
	sameMeaning = 0.75 // how well a synonym matches a label
	unsaid      = 0.45 // how well a noun such as "file", with a relation, matches an element with a text
	otherName   = 0.65 // factor for a second name of a color, for example one between green and teal
)

// terms calls yield for each term of a query except its relations.
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
		need := needRole // with a text, people use the names of kinds loosely
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
		// "menu dots"
		if e.Role == elements.IconButton && len(q.all.icons) > 0 && s.showsIcon(i, q, &q.all) > needText {
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

// prior returns how likely an element is meant by a query before its terms, 0 to 1.
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

// fits returns how well a text matches the label of an element, or the text beside it, 0 to 1.
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

// isHead reports whether a text has at least two similar texts on its line, as heads of columns do.
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

// isUnder reports whether an element is a cell of the column with a head of this text.
func (s *screen) isUnder(i int, head string) bool {
	c := s.list[i].Box
	return slices.Contains([]elements.Role{elements.Text, elements.Link, elements.Badge}, s.list[i].Role) &&
		slices.ContainsFunc(s.byLabel[head], func(j int) bool {
			h := &s.list[j]
			return (h.Role == elements.Text || h.Role == elements.Heading) && h.Box.Max.Y <= c.Min.Y &&
				(s.near(h.Box.Min.X-c.Min.X, 12) || s.near(h.Box.Max.X-c.Max.X, 12)) && s.isHead(j)
		})
}

// isInColumn reports whether an element is a cell of the table column with this name.
func (s *screen) isInColumn(i int, name string) bool {
	h := s.headCell(i)
	return h >= 0 && fit(s.labels[h], name) >= needText
}

// isGroundKind has the kinds of containers. Headings name them.
var isGroundKind = expand(map[string]bool{"panel|card|box|column|row|toolbar|bubble": true})

// isControl reports whether the text that names an element of a kind is beside it.
func isControl(kind string) bool {
	return slices.Contains([]string{"checkbox", "radio", "toggle", "slider", "field", "dropdown", "text area", "dot"}, kind)
}

// whole returns how well an element matches all words at once, 0 to 1: by its label or by its icon.
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

// saidBy yields one term for all words if these match as a whole, or else one for each unit that is
// not soft.
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
		least = 0 // a heading alone matches everything below it
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

// softWorth is the weight of a soft unit beside 1 for another unit.
const softWorth = 0.1

// only returns a factor, 0.5 to 1, that is lower for a label with many words that the query does
// not say.
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

// means reports whether a unit of a query means one of the concepts.
func (q *query) means(ids []int) bool {
	return slices.ContainsFunc(q.units, func(u unit) bool {
		return slices.ContainsFunc(u.means, func(id int) bool { return slices.Contains(ids, id) })
	})
}

// isSort returns how well an element matches a noun, 0 to 1.
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

// hasColor returns how well an element has a color, 0 to 1, and where. The face counts most, then
// the ink, then the border.
func (s *screen) hasColor(i int, asked shade, button bool) (best float64, how byKind) {
	e := &s.list[i]
	fill := e.Fill
	if p := e.Parent; fill == nil && p >= 0 && 2*geo.Area(e.Box) >= geo.Area(s.list[p].Box) {
		fill = s.list[p].Fill
	}
	ink := 0.9
	switch {
	case fill != nil: // with a face, people mean its color
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

// ofTone returns how well a tone describes a color, 0 to 1.
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

// isIn returns how well a state describes an element, 0 to 1.
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

// preferred returns how likely an element is the object of the description's verb, 0 to 1.
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

// untyped is how likely an element is meant that its verb cannot apply to, for example a text with
// "type".
const untyped = 0.3

// candidate is an element that a query may mean.
type candidate struct {
	element int
	score   float64 // the product of how well it meets the terms
	misses  int     // number of terms that it does not meet
}

// add adds a term to the score: met, but at least floor. It counts a miss if met is less than need.
func (c *candidate) add(met, need float64) {
	c.score *= max(met, floor)
	if met < need {
		c.misses++
	}
}
