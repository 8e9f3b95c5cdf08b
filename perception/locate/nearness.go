package locate

import (
	"cmp"
	"slices"
	"strings"
)

// How words count that are near in meaning.
const (
	leastNear   = 0.15 // below it words are not related
	leastWeight = 0.3  // of words of a description that are compared: other ones are in every sentence
	iconWords   = 3    // names that an icon may have, which are compared
	nearWords   = 14   // words of a text that are compared
	aroundNear  = 0.75 // how much what stands around an element counts
)

// meant is what an element says as words of the table of vectors, and as concepts.
type meant struct {
	words []int     // of its label and caption
	signs []signed  // of its icon
	ids   []int     // concepts of its label, caption and icon
	sure  []float64 // of the concepts
}

type signed struct {
	word int
	sure float64
}

// meantBy returns what an element says.
func (s *screen) meantBy(i int) (m meant) {
	t := wordVectors()
	for n, w := range append(slices.Clone(s.words[i][:min(len(s.words[i]), nearWords)]), fieldsOf(s.beside[i])...) {
		if k := t.find(w); n < nearWords && k >= 0 && t.weight[k] >= leastWeight {
			m.words = append(m.words, k)
		}
	}
	for n, c := range s.icons[i] {
		if n == iconWords || c.Score < 0.15 {
			break
		}
		sure := min(1, c.Score+0.1)
		for _, w := range strings.Fields(c.Name) {
			if k := t.find(w); k >= 0 {
				m.signs = append(m.signs, signed{k, sure})
			}
		}
		for _, id := range iconMeans(c.Name) {
			m.ids, m.sure = append(m.ids, id), append(m.sure, sure)
		}
	}
	for _, spans := range [][]span{s.spans[i], s.besideSpans[i]} {
		for _, sp := range spans {
			if sp.whole {
				for _, id := range sp.ids {
					m.ids, m.sure = append(m.ids, id), append(m.sure, 1)
				}
			}
		}
	}
	return m
}

// nearness is how near in meaning the elements of a screen are to the words of a description.
type nearness struct {
	words   []int // of the table
	weight  []float64
	head    []bool      // of the thing itself
	total   float64     // of the weights
	heads   float64     // of those of the thing itself
	shown   [][]float64 // by element and word: by what it says
	signed  [][]float64 // by its icon and concepts
	all     []float64   // by element, of all words
	own     []float64   // of those of the thing itself
	mostAll float64
	mostOwn float64
	order   []int // the elements, the nearest first
	rank    []int
	byWord  [][]float32 // by word and word of the table, 2 more than it is; 0 if not asked for
	byThing [][]float32 // the same by word and concept
}

// nearTo compares all elements with a description.
func (w *scales) nearTo() *nearness {
	s, t := w.s, wordVectors()
	n := &nearness{}
	own := map[string]bool{}
	for k := range w.clues {
		if c := &w.clues[k]; c.head {
			for _, word := range c.words {
				own[word] = true
			}
		}
	}
	for k, word := range w.bag.words {
		at := t.find(word)
		if at < 0 || t.weight[at] < leastWeight || w.bag.weight[k] == 0 {
			continue
		}
		v := min(w.bag.weight[k]+0.2, 1) * float64(t.weight[at])
		n.words, n.weight, n.head = append(n.words, at), append(n.weight, v), append(n.head, own[word])
		n.total += v
		if own[word] {
			n.heads += v
		}
	}
	for range n.words {
		n.byWord = append(n.byWord, make([]float32, len(t.words)))
		n.byThing = append(n.byThing, make([]float32, len(lexicons().names)))
	}
	n.rank = make([]int, len(s.list))
	same := map[string]int{} // a text is often on a control that says the same
	for i := range s.list {
		n.order = append(n.order, i)
		isText := len(s.icons[i]) == 0 && s.beside[i] == ""
		if o, known := same[s.labels[i]]; known && isText {
			n.shown, n.signed, n.all, n.own = append(n.shown, n.shown[o]), append(n.signed, n.signed[o]), append(n.all, n.all[o]), append(n.own, n.own[o])
			continue
		}
		if n.add(s.meantOf(i)); isText {
			same[s.labels[i]] = i
		}
	}
	slices.SortStableFunc(n.order, func(a, b int) int { return cmp.Compare(n.all[b], n.all[a]) })
	for place, i := range n.order {
		n.rank[i] = place
	}
	return n
}

// meantOf is meantBy, found once.
func (s *screen) meantOf(i int) *meant {
	if s.meants == nil {
		s.meants = make([]*meant, len(s.list))
	}
	if s.meants[i] == nil {
		m := s.meantBy(i)
		s.meants[i] = &m
	}
	return s.meants[i]
}

// add compares the next element.
func (n *nearness) add(m *meant) {
	shown, signs := make([]float64, len(n.words)), make([]float64, len(n.words))
	all, own := 0.0, 0.0
	for k := range n.words {
		for _, o := range m.words {
			shown[k] = max(shown[k], n.of(k, o))
		}
		for _, o := range m.signs {
			signs[k] = max(signs[k], o.sure*n.of(k, o.word))
		}
		for j, id := range m.ids {
			signs[k] = max(signs[k], m.sure[j]*n.ofConcept(k, id))
		}
		v := n.weight[k] * max(shown[k], signs[k])
		all += v
		if n.head[k] {
			own += v
		}
	}
	all, own = ratioOf(all, n.total), ratioOf(own, n.heads)
	n.shown, n.signed, n.all, n.own = append(n.shown, shown), append(n.signed, signs), append(n.all, all), append(n.own, own)
	n.mostAll, n.mostOwn = max(n.mostAll, all), max(n.mostOwn, own)
}

// of returns how near the word of a description and a word of the table are, 0 if they are not related.
func (n *nearness) of(k, b int) float64 {
	if n.words[k] == b {
		return 1
	}
	known := &n.byWord[k][b]
	if *known == 0 {
		v := wordVectors().near(n.words[k], b)
		if v < leastNear {
			v = 0
		}
		*known = float32(v) + 2
	}
	return float64(*known) - 2
}

// ofConcept returns how near the word of a description is to what people call a concept.
func (n *nearness) ofConcept(k, id int) float64 {
	known := &n.byThing[k][id]
	if *known == 0 {
		best, next := 0.0, 0.0 // one word may be near by chance
		for _, o := range lexicons().words[id] {
			switch v := n.of(k, o); {
			case v > best:
				best, next = v, best
			case v > next:
				next = v
			}
		}
		*known = float32(best+next)/2 + 2
	}
	return float64(*known) - 2
}

// ofNearness returns how near an element is to a description in meaning.
func (w *scales) ofNearness(i int, a *around) []float64 {
	n := w.near
	text, sign, most, with, rest, rests := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for k := range n.words {
		v, by := n.shown[i][k], n.signed[i][k]
		text, sign = text+n.weight[k]*v, sign+n.weight[k]*by
		most = max(most, v, by)
		here, there := max(v, by), 0.0
		for _, j := range a.line {
			there = max(there, n.shown[j][k], n.signed[j][k])
		}
		for _, j := range a.card {
			there = max(there, n.shown[j][k], n.signed[j][k])
		}
		if a.head >= 0 {
			there = max(there, n.shown[a.head][k])
		}
		if a.heading >= 0 {
			there = max(there, n.shown[a.heading][k])
		}
		with += n.weight[k] * max(here, aroundNear*there)
		if !n.head[k] {
			rest, rests = rest+n.weight[k]*there, rests+n.weight[k]
		}
	}
	return []float64{
		ratioOf(text, n.total), ratioOf(sign, n.total), n.all[i], n.own[i], ratioOf(n.all[i], n.mostAll), ratioOf(n.own[i], n.mostOwn),
		most, ratioOf(with, n.total), ratioOf(rest, rests), float64(min(n.rank[i], 30)),
	}
}
