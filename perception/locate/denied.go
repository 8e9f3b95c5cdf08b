package locate

import (
	"slices"
	"strings"
)

// negations has phrases that exclude what follows.
var negations = expand(map[string]bool{
	"not|isn't|aren't|don't|dont|anything but|everything but|all but|other than|except|apart from|rather than|instead of": true,
})

// saysNo has negative words of labels. A description of such an element may contain a negation, for
// example "Do not disturb".
var saysNo = expand(map[string]bool{"not|don't|dont|no|never|without|can't|won't|isn't": true})

// withoutDenied returns an answer without matches if one of them is what the description excludes:
// a wrong point is worse than no point.
func (s *screen) withoutDenied(list []token, a Answer) Answer {
	said, words := s.denied(list)
	if said == "" {
		return a
	}
	at := slices.IndexFunc(a.Matches, func(m Match) bool { return s.isDenied(m.Element, words) })
	if at < 0 {
		return a
	}
	return Answer{Unmet: []string{said}, Nearest: a.Matches[at : at+1]}
}

// denied returns the part of a description from its first negation on, and the words after the
// negation; "" and nil if there is none. It ignores negations in four cases: in a text that is
// quoted or on the screen, in a state such as "not checked", in a phrase for a purpose such as "not
// log in again", and after "so" as in "so that it does not ask".
func (s *screen) denied(list []token) (said string, words []token) {
	list = s.grounded(list)
	texts := make([]string, len(list))
	for i, t := range list {
		texts[i] = t.text
	}
	purposes := spansOf(texts, lexicons().said)
	for i := 0; i < len(list); i++ {
		if n := meaning(list[i:], stateWords); n > 0 {
			i += n - 1
			continue
		}
		if list[i].text == "so" && !list[i].quoted {
			return "", nil
		}
		n := meaning(list[i:], negations)
		if n > 0 && !slices.ContainsFunc(purposes, func(p span) bool { return p.from <= i && i < p.to && p.to-p.from > 1 }) {
			return joined(list[i:]), slices.DeleteFunc(tokens(joined(list[i+n:])), func(t token) bool { return soft[t.text] })
		}
	}
	return "", nil
}

// isDenied reports whether an element is what words say, or may be. If the words contain nothing
// known, they may mean it.
func (s *screen) isDenied(i int, words []token) bool {
	if slices.ContainsFunc(slices.Concat(strings.Fields(strings.ToLower(s.list[i].Label)), strings.Fields(strings.ToLower(s.beside[i]))), func(w string) bool { return saysNo[w] }) {
		return false
	}
	q := parse(words, 0)
	named := len(q.texts)+len(q.units) > 0
	if named && !slices.ContainsFunc(q.texts, func(t token) bool { return s.fits(i, &q, t.text) >= needText }) &&
		!slices.ContainsFunc(q.units, func(u unit) bool { met, _ := s.showsUnit(i, &q, &u); return met >= leastUnit }) {
		return false
	}
	for _, c := range q.colors {
		if met, _ := s.hasColor(i, c, slices.Contains(q.kinds, "button")); met < needColor {
			return false
		}
	}
	if slices.ContainsFunc(q.states, func(state string) bool { return s.isIn(i, state) < needState }) {
		return false
	}
	if len(q.kinds) > 0 && !named && len(q.colors)+len(q.states) == 0 {
		like, _ := s.likeKinds(i, q.kinds)
		return like >= needRole
	}
	return true
}
