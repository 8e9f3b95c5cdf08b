// Package locate finds the one place on a screen that matches a description, without a model.
//
//	screen, err := screens.Screen(ctx, perception.SourceOf(png))
//	answer := locate.Find(screen, "orange search button on the right side of the search bar")
//	if m, ok := answer.One(); ok { click(m.Point) }
//
// Lexicons contain the words for kinds, colors, states, places and relations. Any other word of a
// description means text on the screen or the name of an icon. An element meets each term of the
// description more or less well; the product of these values is its rank. Find returns one match
// only if the match meets each term well enough and is clearly better than all others, because a
// wrong point is worse than no point. If several elements are equally good, all are matches. If no
// element is good enough, Unmet lists the missing terms. Shortlist lists elements for a reader that
// can choose one.
//
// The files in the order of reading; each builds on those before it:
//
//	the words of a sentence   lexicon, tokens, concepts, iconnames, places, verbs, query
//	the content of a screen   sayings, screen, things, peers, tables, areas, grounded
//	how well terms are met    kinds, shows, terms
//	the meant elements        relate, series, candidates, which also find the other element of a relation
//	the decision              explain, names, denied, locate, shortlist
package locate

import "github.com/windieos/windie/perception/elements"

// MaxDescription is the maximum length of a description, in bytes. Find ignores the text after it.
const MaxDescription = 1000

const (
	leastScore  = 0.52 // minimum score of a match
	mostUnnamed = 0.79 // maximum score of a match that the description knows by kind, place or state alone
)

// Find returns the elements that match a description. It takes less than 5 ms for a screen with 300
// elements.
func Find(on *elements.Screen, description string) Answer {
	said := tokens(description[:min(len(description), MaxDescription)])
	s := newScreen(on)
	list := s.marked(s.withoutNot(said))
	return s.withoutDenied(list, s.byName(said, s.answer(list)))
}

// answer returns what words mean. If nothing matches, it tries again without the verb at their
// start.
func (s *screen) answer(list []token) Answer {
	q := parse(s.grounded(list), 0)
	a := s.read(&q)
	thing, prefer, isVerb := withoutVerb(list)
	if len(a.Matches) > 0 || !isVerb {
		return a
	}
	q = parse(s.grounded(thing), 0)
	q.prefer = prefer
	return s.read(&q)
}

// read finds the elements that a query means.
func (s *screen) read(q *query) Answer {
	if q.empty() {
		return Answer{Unmet: []string{"a description"}}
	}
	all := s.candidates(q)
	if len(all) == 0 {
		return Answer{Unmet: s.unmet(q, nil)}
	}
	chosen, missing := s.chosen(q, s.inColumn(q, s.rivals(q, all)))
	if len(chosen) == 0 {
		return Answer{Unmet: append(s.unmet(q, &all[0]), missing...), Nearest: s.nearest(q, all[0], all)}
	}
	best := &chosen[0]
	if len(chosen) == 1 && s.isEmptyGround(q, best.element) {
		best.element = s.onlyLeaf(best.element)
	}
	if best.score < leastScore || s.isEmptyGround(q, best.element) { // a wrong point is worse than none
		return Answer{Unmet: s.weakest(q, best.element), Nearest: s.nearest(q, *best, all)}
	}
	if len(q.texts)+len(q.words) == 0 { // only a kind, place or state describes it
		for i := range chosen {
			chosen[i].score = min(chosen[i].score, mostUnnamed)
		}
	}
	return Answer{Matches: s.explained(q, chosen)}
}
