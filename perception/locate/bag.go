package locate

import (
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// A bag is all that a description says in the order of its words, however its grammar is read: purposes,
// as "what I type in to find a page", have little.
type bag struct {
	words  []string
	stems  []string
	weight []float64 // of each word: 0 for what says nothing, or says what other terms do
	spans  []span    // phrases of the lexicon
	total  float64
	most   []float64 // how well any element shows each word
}

// span is a phrase that stands in the lexicon.
type span struct {
	from, to int
	ids      []int
	whole    bool // no longer phrase holds it
	heavy    int  // its words that say something
}

// What words weigh.
const (
	kindWeight = 0.25
	softWeight = 0.15
	spanShown  = 0.85 // how much a word counts that is met by what a phrase means
	partShown  = 0.6  // the same of a phrase in a longer one
	inCompound = 0.6  // the same of a word with which a longer one begins
)

// isFunction holds words that say nothing of what a thing is for.
var isFunction = expand(map[string]bool{
	"a|an|the|this|that|these|those|to|of|in|on|at|by|for|with|from|into|onto|up|off|out|as|and|or|but|so|if|then|than|is|are|be|it|its|i|i'm|me|my|we|our|you|your|he|she|they|them|their|his|her|one|ones|who|which|what|whose|where|when|how|here|there|s|do|does|did|can|could|will|would|won't|has|have|had|was|were|been|am|get|gets|go|goes|let|lets|make|makes|please|just|now|only|right|away|another|any|some|something|someone|somebody|thing|things|way|want|need|so that|used|use|using|uses|click|press|hit|tap|choose|select|pick|leads|lead|brings|bring|takes|take|gives|give|shows|show|opens|open|see": true,
})

// newBag reads the words of a description.
func newBag(list []token) *bag {
	b := &bag{}
	for i := 0; i < len(list); i++ {
		t := list[i]
		w := 1.0
		one := list[i : i+1]
		switch {
		case t.quoted || isFunction[t.text]:
			w = 0
		case meaning(one, asked) > 0 || meaning(one, nouns) > 0:
			w = kindWeight
		case !t.stands && meaning(one, colorWords)+meaning(one, relationWords)+meaning(one, ordinalWords)+meaning(one, outermost)+meaning(one, sides)+meaning(one, tones)+meaning(one, noise) > 0:
			w = 0
		case soft[t.text]:
			w = softWeight
		}
		b.words, b.stems, b.weight = append(b.words, t.text), append(b.stems, stem(t.text)), append(b.weight, w)
	}
	said := lexicons().said
	b.spans = spansOf(b.words, said)
	for k := range b.spans {
		sp := &b.spans[k]
		for n := sp.from; n < sp.to; n++ {
			if b.weight[n] >= softWeight {
				sp.heavy++
			}
		}
		if sp.whole && sp.to-sp.from > 1 { // "sign in" says something though "in" does not
			for n := sp.from; n < sp.to; n++ {
				if !isSmallWord[b.words[n]] {
					b.weight[n] = max(b.weight[n], 0.5)
				}
			}
		}
	}
	for _, w := range b.weight {
		b.total += w
	}
	b.most = make([]float64, len(b.words))
	return b
}

// spansOf returns the phrases of words that are in a lexicon.
func spansOf(words []string, in map[string][]int) (list []span) {
	for i := range words {
		if isSmallWord[words[i]] && len(words) > 1 {
			continue
		}
		for n := 1; n <= maxConcept && i+n <= len(words); n++ {
			if isSmallWord[words[i+n-1]] && n > 1 {
				continue
			}
			if ids := in[stems(words[i:i+n])]; len(ids) > 0 {
				list = append(list, span{from: i, to: i + n, ids: ids})
			}
		}
	}
	for k := range list {
		list[k].whole = !slices.ContainsFunc(list, func(o span) bool {
			return o.from <= list[k].from && o.to >= list[k].to && o.to-o.from > list[k].to-list[k].from
		})
	}
	return list
}

// bagged is how well an element shows a bag.
type bagged struct {
	cover     float64 // the part of the words' weight that it shows
	literal   float64 // the same, by its own words
	phrase    float64 // the words of the longest phrase that it means
	explained float64 // the part of its label that the description says
	shown     []float64
}

// bag returns how well an element shows a description's words.
func (s *screen) bag(i int, b *bag) (r bagged) {
	r.shown = make([]float64, len(b.words))
	label, beside := s.words[i], fieldsOf(s.beside[i])
	own := make([]float64, len(b.words))
	for n, w := range b.words {
		if b.weight[n] == 0 {
			continue
		}
		for k, l := range label {
			own[n] = max(own[n], s.wordShown(l, w, s.meanings[i].stems[k], b.stems[n]))
		}
		for k, l := range beside {
			own[n] = max(own[n], byCaption*s.wordShown(l, w, s.besides[i].stems[k], b.stems[n]))
		}
		r.shown[n] = own[n]
	}
	for k := range b.spans {
		sp := &b.spans[k]
		v := s.means(i, sp.ids)
		if !sp.whole {
			v *= partShown
		}
		if v < leastUnit {
			continue
		}
		for n := sp.from; n < sp.to; n++ {
			r.shown[n] = max(r.shown[n], v)
		}
		if sp.whole {
			r.phrase = max(r.phrase, float64(sp.heavy)*v)
		}
	}
	for n, w := range b.weight {
		r.cover, r.literal = r.cover+w*r.shown[n], r.literal+w*own[n]
		b.most[n] = max(b.most[n], r.shown[n])
	}
	if b.total > 0 {
		r.cover, r.literal = r.cover/b.total, r.literal/b.total
	}
	r.explained = s.explainedBy(i, b)
	return r
}

func (s *screen) wordShown(l, w, ls, ws string) float64 {
	v := s.likes.of(l, w)
	switch {
	case v < otherForm && len(w) > 2 && ls == ws:
		return otherForm
	case v < inCompound && len(ws) >= 4 && strings.HasPrefix(l, ws): // "mails" in "mailbox"
		return inCompound
	}
	return v
}

// means returns how well an element means one of some concepts: by its icon, or by the longest phrases of
// its text or caption.
func (s *screen) means(i int, ids []int) (best float64) {
	in := func(list []int) bool {
		return slices.ContainsFunc(ids, func(id int) bool { return slices.Contains(list, id) })
	}
	for n, c := range s.icons[i] {
		if n > 2 || c.Score < 0.15 {
			break
		}
		if in(iconMeans(c.Name)) {
			best = max(best, spanShown*min(1, c.Score+0.1))
		}
	}
	for _, sp := range s.spans[i] {
		if in(sp.ids) {
			best = max(best, weightOf(sp, spanShown))
		}
	}
	for _, sp := range s.besideSpans[i] {
		if in(sp.ids) {
			best = max(best, byCaption*weightOf(sp, spanShown))
		}
	}
	if s.list[i].Role == elements.SearchBox && in(iconMeans("search")) {
		best = max(best, spanShown)
	}
	return best
}

func weightOf(sp span, v float64) float64 {
	if !sp.whole {
		return v * partShown
	}
	return v
}

// explainedBy returns the part of an element's label that a description says or means.
func (s *screen) explainedBy(i int, b *bag) float64 {
	label := s.words[i]
	if len(label) == 0 {
		return none
	}
	said, all := 0.0, 0.0
	for k, l := range label {
		if isSmallWord[l] {
			continue
		}
		all++
		best := 0.0
		for n, w := range b.words {
			best = max(best, s.wordShown(l, w, s.meanings[i].stems[k], b.stems[n]))
		}
		for _, sp := range s.spans[i] {
			if best < spanShown && k >= sp.from && k < sp.to && slices.ContainsFunc(b.spans, func(o span) bool {
				return slices.ContainsFunc(o.ids, func(id int) bool { return slices.Contains(sp.ids, id) })
			}) {
				best = max(best, weightOf(sp, spanShown))
			}
		}
		said += best
	}
	return ratioOf(said, all)
}

// sizes are words for how large something is, before its kind.
var sizes = expand(map[string]float64{
	"big|large|wide|huge|biggest|largest|widest|tall|broad|main": 1, "small|little|tiny|smallest|tiniest|littlest|narrow": -1,
})

// sizeAsked returns 1 if a description asks first for something large, -1 for something small, and 0 for neither.
func sizeAsked(list []token) float64 {
	for _, t := range list {
		if size := sizes[t.text]; size != 0 && !t.quoted && !t.stands {
			return size
		}
		if meaning([]token{t}, relationWords) > 0 && !t.quoted {
			break
		}
	}
	return 0
}

// sizeOf returns how large an element looks: a text by its letters, anything else by its box.
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

// sizeRank returns which part of the elements of a role are smaller than an element.
func (s *screen) sizeRank(i int) float64 {
	smaller, all := 0.0, 0.0
	for j := range s.list {
		if s.list[j].Role == s.list[i].Role && j != i {
			all++
			if s.sizeOf(j) < s.sizeOf(i) {
				smaller++
			}
		}
	}
	if all == 0 {
		return 0.5
	}
	return smaller / all
}
