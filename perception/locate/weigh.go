package locate

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// A clue is a word or phrase of a description with how well each element shows it. What a thing is
// related to has clues too: where a relation is not understood, they still count.
type clue struct {
	unit
	head    bool // of the thing itself
	quoted  bool // must stand there as it is
	proper  bool // begins with a capital
	shown   []float64
	by      []byKind
	literal []float64 // by its own words
	most    float64   // that any element shows of it
}

const (
	softClue    = 0.15 // the weight of a clue that need not be met
	leastShown  = 0.4  // of a clue that is met
	maxClues    = 12   // of a description
	maxWeighed  = 48   // elements that are weighed, the likeliest
	nearFade    = 90   // the distance, in usual pixels, at which a clue counts for a third
	maxCardPart = 0.3  // of the screen that a card around an element takes
)

func (c *clue) weight() float64 {
	if c.soft {
		return softClue
	}
	return 1
}

// scales is what the elements of a screen are weighed with for one description.
type scales struct {
	s         *screen
	q         *query
	clues     []clue
	strict    Answer
	scores    map[int]candidate // how well elements meet all terms
	best      float64           // of scores
	counted   map[int]share
	own       []float64 // how well elements show the clues of the head
	all       []float64 // of all clues
	mostOwn   float64
	mostAll   float64
	bag       *bag
	bagged    []bagged
	cover     float64 // the most of any element
	phrase    float64
	tail      []float64 // how many clues of relations stand on an element's line, or in its column
	size      float64
	soft      []float64 // how well all that is asked is met, where none need be
	order     []int     // the elements by that
	mostSoft  float64
	captions  map[int]bool // texts that say what a control is for
	cells     map[int]float64
	near      *nearness
	structure *structure
	under     map[int]float64 // what has the number asked for below a heading
}

// share is how much of what is counted stands in the row or column in which an element has the number asked for.
type share struct{ part, size float64 }

// newScales prepares to weigh what fits a description that the rules read as q.
func (s *screen) newScales(q *query, list []candidate, said []token, strict Answer) *scales {
	w := &scales{s: s, q: q, strict: strict, scores: map[int]candidate{}, cells: map[int]float64{}, under: map[int]float64{}, bag: newBag(said), size: sizeAsked(said)}
	for i := range s.list {
		b := s.bag(i, w.bag)
		w.bagged = append(w.bagged, b)
		w.cover, w.phrase = max(w.cover, b.cover), max(w.phrase, b.phrase)
	}
	for _, c := range list {
		w.scores[c.element] = c
		if c.misses == 0 {
			w.best = max(w.best, c.score)
		}
	}
	w.addClues(q, true)
	w.sum()
	w.addTail()
	w.count(list)
	w.near = w.nearTo()
	w.structure = w.structured()
	w.soften()
	return w
}

// soften finds how well each element meets all that is asked, softly.
func (w *scales) soften() {
	s := w.s
	w.captions = map[int]bool{}
	for i := range s.list {
		if s.beside[i] != "" {
			for _, j := range s.byLabel[s.beside[i]] {
				if s.list[j].Role == elements.Text || s.list[j].Role == elements.Heading {
					w.captions[j] = true
				}
			}
		}
	}
	w.soft = make([]float64, len(s.list))
	for i := range s.list {
		w.soft[i] = w.softly(i)
		w.mostSoft = max(w.mostSoft, w.soft[i])
		w.order = append(w.order, i)
	}
	slices.SortStableFunc(w.order, func(a, b int) int { return cmp.Compare(w.soft[b], w.soft[a]) })
}

// cell returns how well an element is where a column that is named and a row that is named meet.
func (w *scales) cell(i int) float64 {
	if known, ok := w.cells[i]; ok {
		return known
	}
	v := 0.0
	if w.tail[i] > 0 || w.under[i] > 0 {
		if h := w.s.headCell(i); h >= 0 {
			v = min(w.bagged[h].best(), w.tail[i])
		}
	}
	w.cells[i] = v
	return v
}

// best returns how well the word is shown that is shown best.
func (b *bagged) best() (best float64) {
	for _, v := range b.shown {
		best = max(best, v)
	}
	return best
}

// softly returns how well an element meets all that is asked; what is unmet lowers it and leaves something.
func (w *scales) softly(i int) float64 {
	s, q := w.s, w.q
	score := 0.4 + 0.6*plain[s.list[i].Role]
	meet := func(met, least float64) { score *= least + (1-least)*met }
	if w.bag.total > 0 {
		meet(max(w.bagged[i].cover, 0.9*w.own[i], w.cell(i)), 0.08)
		if e := w.bagged[i].explained; e != none {
			meet(e, 0.6)
		}
	}
	if len(q.kinds) > 0 {
		like, _ := s.likeKinds(i, q.kinds)
		meet(like, 0.12)
	}
	for _, c := range q.colors {
		met, _ := s.hasColor(i, c, slices.Contains(q.kinds, "button"))
		meet(met, 0.15)
	}
	for _, st := range q.states {
		meet(s.isIn(i, st), 0.15)
	}
	for _, p := range q.positions {
		meet(s.at(geo.Center(s.list[i].Box), p), 0.25)
	}
	for _, p := range q.places {
		meet(s.inPlace(i, p), 0.35)
	}
	for r := range q.relations {
		if met := s.relations[&q.relations[r]]; met != nil {
			meet(max(met[i], 0.7*w.tail[i]), 0.2)
		}
	}
	if q.ordinal != 0 {
		meet(max(w.counted[i].part, 0.8*w.under[i]), 0.15)
	}
	for _, n := range q.nouns {
		if n != unsure && n != anything {
			meet(s.isSort(i, n), 0.4)
		}
	}
	if w.size != 0 {
		r := s.sizeRank(i)
		if w.size < 0 {
			r = 1 - r
		}
		meet(r, 0.5)
	}
	return score * s.preferred(i, q)
}

// addClues adds the words of a thing, and of what it is related to.
func (w *scales) addClues(q *query, head bool) {
	for _, t := range q.texts {
		words := fieldsOf(t.text)
		u := unit{text: t.text, words: words, means: concepts()[stems(words)], icons: lookup(t.text)}
		w.add(clue{unit: u, head: head, quoted: t.quoted && !t.seen, proper: t.proper}, q)
	}
	for _, u := range q.units {
		w.add(clue{unit: u, head: head}, q)
	}
	for r := range q.relations {
		for a := range q.relations[r].anchors {
			w.addClues(&q.relations[r].anchors[a], false)
		}
	}
}

// add has each element show a clue.
func (w *scales) add(c clue, q *query) {
	if len(w.clues) == maxClues {
		return
	}
	s := w.s
	c.shown, c.by, c.literal = make([]float64, len(s.list)), make([]byKind, len(s.list)), make([]float64, len(s.list))
	for i := range s.list {
		c.shown[i], c.by[i], c.literal[i] = s.showsClue(i, q, &c)
		c.most = max(c.most, c.shown[i])
	}
	w.clues = append(w.clues, c)
}

// showsClue returns how well an element shows a clue, by what, and how well by its very words.
func (s *screen) showsClue(i int, q *query, c *clue) (best float64, how byKind, literal float64) {
	take := func(v float64, b byKind) {
		if v > best {
			best, how = v, b
		}
	}
	if c.quoted {
		v := s.fits(i, q, c.text)
		return v, byLabel, v
	}
	said := s.meanings[i].shows(&c.unit, s.words[i])
	if said != byMeaning {
		literal = said
	}
	take(said, byLabel)
	take(s.iconShows(i, &c.unit), byIcon)
	if s.beside[i] != "" {
		v := s.besides[i].shows(&c.unit, fieldsOf(s.beside[i]))
		if v != byMeaning {
			literal = max(literal, byCaption*v)
		}
		take(byCaption*v, byBeside)
	}
	if s.list[i].Role == elements.SearchBox && slices.ContainsFunc(c.means, func(id int) bool { return slices.Contains(iconMeans("search"), id) }) {
		take(0.9, byRole)
	}
	return best, how, literal
}

// iconShows returns how well the icon of an element shows a unit, as sure as the icon is known.
func (s *screen) iconShows(i int, u *unit) (best float64) {
	for n, c := range s.icons[i] {
		if n > 2 || c.Score < 0.15 {
			break
		}
		sure := min(1, c.Score+0.1)
		if meant := u.icons[c.Name]; meant > 0 {
			best = max(best, meant*sure)
		} else if len(u.means) > 0 && slices.ContainsFunc(u.means, func(id int) bool { return slices.Contains(iconMeans(c.Name), id) }) {
			best = max(best, 0.8*sure)
		}
	}
	return best
}

// sum adds up the clues of each element.
func (w *scales) sum() {
	w.own, w.all = make([]float64, len(w.s.list)), make([]float64, len(w.s.list))
	for i := range w.s.list {
		head, rest, heads, rests := 0.0, 0.0, 0.0, 0.0
		for k := range w.clues {
			c := &w.clues[k]
			if c.head {
				head, heads = head+c.weight()*c.shown[i], heads+c.weight()
			} else {
				rest, rests = rest+c.weight()*c.shown[i], rests+c.weight()
			}
		}
		w.own[i] = ratioOf(head, heads)
		w.all[i] = ratioOf(head+rest, heads+rests)
		w.mostOwn, w.mostAll = max(w.mostOwn, w.own[i]), max(w.mostAll, w.all[i])
	}
}

func ratioOf(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// addTail finds what stands on the lines, or in the columns, of what shows the clues of relations.
func (w *scales) addTail() {
	s := w.s
	w.tail = make([]float64, len(s.list))
	n := 0.0
	for k := range w.clues {
		c := &w.clues[k]
		if c.head || c.soft {
			continue
		}
		n++
		var at []int
		for i, v := range c.shown {
			if v >= needText && v >= 0.9*c.most && len(at) < maxAnchors {
				at = append(at, i)
			}
		}
		for i := range s.list {
			box := s.list[i].Box
			for _, j := range at {
				b := s.list[j].Box
				if i != j && (geo.SameLine(b, box) || b.Max.Y <= box.Min.Y && s.inOneColumn(b, box)) {
					w.tail[i] += c.shown[j]
					break
				}
			}
		}
	}
	for i := range w.tail {
		w.tail[i] = ratioOf(w.tail[i], n)
	}
}

// weighed returns the elements worth weighing, the likeliest first.
func (w *scales) weighed() []int {
	type ranked struct {
		element int
		score   float64
	}
	var list []ranked
	for i := range w.s.list {
		c := w.scores[i]
		score := w.own[i] + w.all[i] + 2*ratioOf(w.soft[i], w.mostSoft) + 1.5*w.bagged[i].cover + 0.5*w.bagged[i].phrase + 0.8*w.tail[i] + ratioOf(w.near.all[i], w.near.mostAll) + ratioOf(w.structure.nth[i], w.structure.mostNth) + ratioOf(w.structure.related[i], w.structure.mostRelated) + 0.5*w.structure.value[i] + 0.3*plain[w.s.list[i].Role]
		switch c.misses {
		case 0:
			score += 1 + ratioOf(c.score, w.best)
		case 1:
			score += 0.4
		}
		if len(w.q.kinds) > 0 {
			like, _ := w.s.likeKinds(i, w.q.kinds)
			score += like
		}
		score += w.counted[i].part
		list = append(list, ranked{i, score})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	out := make([]int, 0, maxWeighed)
	for _, r := range list[:min(len(list), maxWeighed)] {
		out = append(out, r.element)
	}
	return out
}

// around is what stands with an element.
type around struct {
	line, card, near []int
	section          *section
	heading          int // the element of the section; -1 if there is none
	head             int
}

// aroundOf finds what stands with an element: on its line, on its card, and near.
func (w *scales) aroundOf(i int) (a around) {
	s := w.s
	box, panel := s.list[i].Box, s.panelOf(i)
	card := -1
	for p := s.list[i].Parent; p >= 0 && card < 0 && s.part(s.list[p].Box) < maxCardPart; p = s.list[p].Parent {
		if s.list[p].Role == elements.Row || s.isCard(&s.list[p]) {
			card = p
		}
	}
	for j := range s.list {
		if j == i {
			continue
		}
		b := s.list[j].Box
		if geo.SameLine(b, box) && s.panelOf(j) == panel {
			a.line = append(a.line, j)
		}
		if card >= 0 && (j == card || isIn(b, s.list[card].Box) > 0.8) {
			a.card = append(a.card, j)
		}
		if gapOf(box, b) < 3*nearFade*s.unit {
			a.near = append(a.near, j)
		}
	}
	a.section, a.heading, a.head = s.sectionOf(i), -1, s.headCell(i)
	if a.section != nil {
		a.heading = a.section.at
	}
	return a
}

// gapOf returns the distance between two boxes, 0 if they touch.
func gapOf(a, b image.Rectangle) float64 {
	return math.Hypot(float64(max(0, a.Min.X-b.Max.X, b.Min.X-a.Max.X)), float64(max(0, a.Min.Y-b.Max.Y, b.Min.Y-a.Max.Y)))
}

// shownAround returns how well what stands with an element shows a clue: on its line, on its card, above
// it as a heading or the name of its column, and near.
func (w *scales) shownAround(i int, a *around, c *clue) (line, card, head, near float64) {
	for _, j := range a.line {
		line = max(line, c.shown[j])
	}
	for _, j := range a.card {
		card = max(card, c.shown[j])
	}
	if a.section != nil {
		head = a.section.shows(&c.unit)
	}
	if a.head >= 0 {
		head = max(head, c.shown[a.head])
	}
	box := w.s.list[i].Box
	for _, j := range a.near {
		if c.shown[j] > near {
			near = max(near, c.shown[j]*math.Exp(-gapOf(box, w.s.list[j].Box)/(nearFade*w.s.unit)))
		}
	}
	return line, card, head, near
}
