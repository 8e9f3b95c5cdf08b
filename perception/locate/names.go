package locate

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/windieos/windie/perception/elements"
)

// A naming is how a description uses the words of a label.
type naming int

const (
	unnamed naming = iota // it means the element by other things: an icon, a place, what it is for
	named                 // it says the whole label
	nearly                // it says a label with a word more or less, which is another command
)

const (
	sameWord     = 0.8 // how alike a word and one of a label are at least, if it says that one
	namedOnly    = 0.6 // the score of what is known by its name alone, and not of the kind that is asked for
	lessOfKind   = 0.1 // how much less of a kind something may be than another thing of its name, if both may be meant
	leastPressed = 0.9 // how much an element is of a kind at least that is the object of its verb otherwise
)

// byName returns an answer in which nothing is meant by a name that is nearly its label: "Save as" is not "Save", and "Delete" is
// not "Delete all". That does not depend on what else is on the screen: the right one may have been misread. Elements with the
// very name go before those.
func (s *screen) byName(list []token, found Answer) Answer {
	words := spread(list)
	if only := s.onlyNamed(list, words); len(only) > 0 {
		return Answer{Matches: only}
	}
	is := func(n naming) func(Match) bool {
		return func(m Match) bool { how, _ := s.naming(words, m.Element); return how == n }
	}
	if rest := slices.DeleteFunc(slices.Clone(found.Matches), is(nearly)); slices.ContainsFunc(rest, is(named)) && !asksForText(list) {
		return Answer{Matches: rest}
	}
	if len(found.Matches) == 1 && is(nearly)(found.Matches[0]) {
		_, word := s.naming(words, found.Matches[0].Element)
		return Answer{Unmet: []string{word}, Nearest: &found.Matches[0]}
	}
	return found
}

// asksForText reports whether a word is asked for, which may stand in a longer text.
func asksForText(list []token) bool { return slices.Equal(parse(list, 0).kinds, []string{"text"}) }

// Nearly returns a word by which text differs from the label of an element, if the difference makes
// the label another command: "all" for the text "Delete" on "Delete all". It returns "" if there is
// no such word. It also returns "" if the element is a Text or a Panel, because text may mean a word
// of a longer text.
func Nearly(on *elements.Screen, element int, text string) string {
	s := newScreen(on)
	if element >= len(s.list) || s.list[element].Role == elements.Text || s.list[element].Role == elements.Panel {
		return ""
	}
	how, word := s.naming(spread([]token{{text: text, quoted: true}}), element)
	if how != nearly {
		return ""
	}
	return word
}

// onlyNamed returns the elements whose whole label a description says, if it says nothing else but what kind of thing they are. If none
// is of this kind, they are meant all the same: people call what they press many things.
func (s *screen) onlyNamed(list, words []token) []Match {
	var names []candidate
	size, best, kinds := 0, 0.0, []string(nil)
	for i := range s.list {
		how, _ := s.naming(words, i)
		if how != named || len(s.words[i]) < size {
			continue
		}
		of, only := s.saysOnly(list, i)
		if !only {
			continue
		}
		like := 1.0
		if len(of) > 0 {
			like, _ = s.likeKinds(i, of)
		}
		if len(s.words[i]) > size {
			names, size, best, kinds = nil, len(s.words[i]), 0, of
		}
		best = max(best, like)
		if !slices.ContainsFunc(names, func(c candidate) bool { return s.same(c.element, i) }) {
			names = append(names, candidate{element: i, score: like})
		}
	}
	if best < mostUnlike && (slices.Contains(kinds, "icon") || slices.ContainsFunc(kinds, isControl)) {
		return nil
	}
	names = slices.DeleteFunc(names, func(c candidate) bool { return c.score < best-lessOfKind })
	for n, c := range names {
		if len(kinds) == 0 {
			names[n].score = plain[s.list[c.element].Role]
		}
		names[n].score = max(names[n].score, namedOnly)
	}
	slices.SortStableFunc(names, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	q := query{texts: []token{{text: joined(list), quoted: true}}, kinds: kinds}
	return s.explained(&q, names)
}

// saysOnly reports whether a description says the label of an element, what to do with it, of which kinds it is, and nothing else.
func (s *screen) saysOnly(list []token, i int) (kinds []string, ok bool) {
	if kinds, ok = s.saysNoMore(list, i); ok {
		return kinds, ok
	}
	rest, to, _ := withoutVerb(list)
	if to != nil {
		return nil, false
	}
	return s.saysNoMore(rest, i)
}

// saysNoMore is saysOnly without a verb.
func (s *screen) saysNoMore(list []token, i int) (kinds []string, ok bool) {
	words := spread(list)
	at, from, end := s.longestSaid(s.words[i], words)
	if at > 0 {
		return nil, false
	}
	for _, words := range [][]token{words[:from], words[end:]} {
		for len(words) > 0 {
			kind, n := longest(words, asked)
			if n > 0 {
				kinds = []string{kind}
			} else if n = max(meaning(words, noise), meaning(words, beforeName)); n == 0 {
				return nil, false
			}
			words = words[n:]
		}
	}
	return kinds, !slices.Contains(kinds, "text")
}

// naming returns how a description names an element, and the word by which the name and the label differ.
func (s *screen) naming(words []token, i int) (how naming, word string) {
	label := s.words[i]
	if !isCommand[s.list[i].Role] || len(label) == 0 {
		return unnamed, ""
	}
	at, from, to := s.longestSaid(label, words)
	if to == from && !isSentence(words) {
		return s.namingByMeaning(words, i)
	}
	if to == from || meaning(words[from:], asked) > to-from || to-from < len(label) && !slices.ContainsFunc(words[from:to], func(t token) bool { return !isSmallWord[t.text] }) {
		return unnamed, ""
	}
	for l, w := range label {
		if l >= at && l < at+to-from || isMark(w) || isArticle[w] && l+1 < len(label) || s.isSaid(i, l, words) {
			continue
		}
		return nearly, w
	}
	if word = s.more(i, words, from, to); word != "" {
		return nearly, word
	}
	return named, ""
}

// namingByMeaning is naming where no word of the label is said. A name of several words is another command's then, whatever its words
// mean: "Stop instance" is not "Terminate server". One word may be another for it, as "songs" for "Music".
func (s *screen) namingByMeaning(words []token, i int) (how naming, word string) {
	if role := s.list[i].Role; role != elements.Button && role != elements.MenuItem {
		return unnamed, ""
	}
	rest, _, _ := withoutVerb(words)
	rest = rest[:headOf(rest)]
	if len(rest) > 0 && isArticle[rest[0].text] {
		rest = rest[1:]
	}
	var name []token
	for len(rest) > 0 {
		kind, n := longest(rest, asked)
		_, place := placeOf(rest)
		other := max(meaning(rest, positionWords), meaning(rest, stateWords), meaning(rest, colorWords), meaning(rest, ordinalWords), meaning(rest, relationWords), place)
		if n > 0 && isPressed[kind] {
			break
		}
		if other > 0 {
			return unnamed, ""
		}
		name, rest = append(name, rest[0]), rest[1:]
	}
	if said := synonyms[joined(name)]; len(name) < 2 || said != "" && said == synonyms[s.labels[i]] {
		return unnamed, ""
	}
	return nearly, name[len(name)-1].text
}

// isSentence reports whether a description says what a thing is for, and not its name.
func isSentence(words []token) bool {
	rest, _, _ := withoutVerb(words)
	if len(rest) > 0 && isArticle[rest[0].text] {
		rest = rest[1:]
	}
	return slices.ContainsFunc(rest[:headOf(rest)], func(t token) bool { return isArticle[t.text] || isPerson[t.text] })
}

// isPerson holds the pronouns and question words of sentences.
var isPerson = expand(map[string]bool{"i|i'd|i'm|i've|me|we|us|our|you|what|where|how|who|when|something|someone|anything": true})

// isWord reports whether a word of a label is one of a description, but for a slip of who read or wrote it.
func (s *screen) isWord(l, w string) bool {
	l, w = strings.Trim(l, "?!.…"), strings.Trim(w, "?!.…")
	return l == w || len(l) > 3 && utf8.RuneCountInString(l) == utf8.RuneCountInString(w) && s.likes.of(l, w) >= sameWord
}

// isSaid reports whether a description says the word of a label that is at a place, or, in a sentence, one that means the same.
func (s *screen) isSaid(i, at int, words []token) bool {
	if slices.ContainsFunc(words, func(t token) bool { return s.isWord(s.words[i][at], t.text) || s.meanings[i].stems[at] == stem(t.text) }) {
		return true
	}
	if !isSentence(words) {
		return false
	}
	texts := make([]string, len(words))
	for n, t := range words {
		texts[n] = t.text
	}
	said := spansOf(texts, lexicons().said)
	return slices.ContainsFunc(s.spans[i], func(sp span) bool {
		return sp.from <= at && at < sp.to && slices.ContainsFunc(said, func(o span) bool {
			return (sp.to-sp.from == 1 || o.to-o.from > 1) && slices.ContainsFunc(o.ids, func(id int) bool { return slices.Contains(sp.ids, id) })
		})
	})
}

// longestSaid returns the most words of a label that follow each other in a description, from words[from] to words[to].
func (s *screen) longestSaid(label []string, words []token) (at, from, to int) {
	best, head := 0, headOf(words)
	for l := range label {
		for w := range words[:head] {
			n, weight := 0, 0
			for l+n < len(label) && w+n < len(words) && s.isWord(label[l+n], words[w+n].text) {
				weight++
				if !isSmallWord[words[w+n].text] {
					weight += len(label)
				}
				n++
			}
			if weight > best {
				best, at, from, to = weight, l, w, w+n
			}
		}
	}
	return at, from, to
}

// headOf returns how many words come before what a thing is said to be near, in or of.
func headOf(words []token) int {
	rest, _, _ := withoutVerb(words)
	for i := len(words) - len(rest) + 1; i < len(words); i++ {
		if n := meaning(words[i:], relationWords); n > 0 && i+n < len(words) && (isArticle[words[i+n].text] || words[i+n].quoted) {
			return i
		}
	}
	return len(words)
}

// more returns a word beside words[from:to] that belongs to the same name, or nothing.
func (s *screen) more(i int, words []token, from, to int) string {
	isOf := func(t token) bool {
		return slices.ContainsFunc(s.words[i], func(l string) bool { return s.isWord(l, t.text) })
	}
	for to < len(words) && isOf(words[to]) { // "don't show again" of "Don't show this again"
		to++
	}
	for from > 0 && isOf(words[from-1]) {
		from--
	}
	if to < len(words) {
		if next := words[to]; next.quote == words[to-1].quote && (next.quote > 0 || !s.ends(i, words[from:to], words[to:])) {
			return next.text
		}
	}
	if from > 0 {
		if last := words[from-1]; last.quote == words[from].quote && (last.quote > 0 || !s.shows(i, last) && !begins(words[:from])) {
			return last.text
		}
	}
	return ""
}

// ends reports whether a name ends before the words rest, with which something else begins.
func (s *screen) ends(i int, name, rest []token) bool {
	for isPronoun[rest[0].text] { // "save it"
		if rest = rest[1:]; len(rest) == 0 {
			return true
		}
	}
	if isArticle[rest[0].text] && len(rest) > 1 { // the object of a verb: "save the file"
		rest = rest[1:]
		if _, n := longest(rest, nouns); n > 0 || soft[rest[0].text] {
			return true
		}
		if kind, n := longest(rest, asked); n > 0 {
			return !isPressed[kind]
		}
		return s.shows(i, rest[0])
	}
	if s.shows(i, rest[0]) {
		return true
	}
	_, place := placeOf(rest)
	if place+meaning(rest, positionWords)+meaning(rest, stateWords)+meaning(rest, colorWords)+meaning(rest, fromWords) > 0 {
		return true
	}
	if kind, n := longest(rest, asked); n > 0 {
		return isPressed[kind] || s.like(i, kind) >= leastPressed || !s.takesObject(i, name)
	}
	if meaning(rest, nouns) > 0 {
		return isPressed[rest[0].text] || !s.takesObject(i, name)
	}
	if n := meaning(rest, relationWords); n > 0 && n < len(rest) {
		if kind, _ := longest(rest[n:], asked); isPressed[kind] { // "the Open with button"
			return false
		}
		if n == 1 && !isArticle[rest[1].text] && !rest[1].quoted && s.span(rest[1:]) == 0 && !s.known(rest[1:2]) { // "Sign out of all accounts"
			return false
		}
		anchor := parse(rest[n:], 1)
		return !anchor.empty() && meaning(rest[n:], relationWords) == 0
	}
	return opensClause[rest[0].text] && len(rest) > 1
}

// begins reports whether a name begins after words, with which something else ends.
func begins(words []token) bool {
	last := words[len(words)-1].text
	if isArticle[last] || opensClause[last] || new(query).takeOrdinal(words[len(words)-1:]) > 0 {
		return true
	}
	for n := 1; n <= min(len(words), maxPhrase); n++ {
		tail := words[len(words)-n:]
		_, place := placeOf(tail)
		if n == max(place, meaning(tail, asked), meaning(tail, nouns), meaning(tail, positionWords), meaning(tail, stateWords), meaning(tail, colorWords), meaning(tail, ordinalWords),
			meaning(tail, outermost), meaning(tail, sides), meaning(tail, tones), meaning(tail, sizes), meaning(tail, beforeName)) || meaning(tail, relationWords) == n && n < len(words) {
			return true
		}
	}
	rest, _, ok := withoutVerb(append(slices.Clone(words), token{quoted: true}))
	return ok && len(rest) == 1
}

// shows reports whether an element shows a word that says something.
func (s *screen) shows(i int, t token) bool {
	if !says(t) {
		return false
	}
	met, _ := s.showsUnit(i, &query{}, &unitsOf([]string{t.text})[0])
	return met >= leastUnit
}

// says reports whether a word says something of its own.
func says(t token) bool {
	one := []token{t}
	return meaning(one, noise)+meaning(one, nouns) == 0 && !soft[t.text] && !isSmallWord[t.text]
}

// isMark reports whether a word of a label is a number, a count, a key or a drawing.
func isMark(w string) bool {
	return !strings.ContainsFunc(w, unicode.IsLetter) || strings.ContainsFunc(w, unicode.IsDigit) || strings.Contains(w, "+")
}

// beforeName holds phrases that come before a name.
var beforeName = expand(map[string]bool{calledSo + "|to|about|for|please": true})

// isArticle holds the words before a thing.
var isArticle = expand(map[string]bool{"the|a|an|this|that|my|your|its": true})

// isPronoun holds the objects of verbs that name nothing.
var isPronoun = expand(map[string]bool{"it|me|them|us|him|her": true})

// opensClause holds the words that begin a clause.
var opensClause = expand(map[string]bool{"that|which|where|who|whose|so": true})

// isPressed holds the kinds and the names of what is pressed, whatever it says: no verb has them for its object.
var isPressed = expand(map[string]bool{"button|icon|menu item|entry|option|choice|element|control|widget|" + filledButton: true})

// takesObject reports whether a noun behind a name makes it another command's: "Close tab". That of a button or an entry of a menu
// does, as these are called by verbs, and that of a text which is a verb.
func (s *screen) takesObject(i int, name []token) bool {
	role := s.list[i].Role
	return role == elements.Button || role == elements.MenuItem || makes[name[len(name)-1].text] || meaning(name[len(name)-1:], verbs) > 0
}

// isCommand holds the roles of what may do something.
var isCommand = map[elements.Role]bool{
	elements.Button: true, elements.IconButton: true, elements.Link: true, elements.MenuItem: true, elements.Tab: true, elements.Text: true, elements.Panel: true,
	elements.Dropdown: true, elements.Badge: true, elements.Icon: true, elements.Checkbox: true, elements.Radio: true, elements.Toggle: true,
}

// spread returns the words of a description as labels have them, with the number of the text that they are quoted in.
func spread(list []token) (words []token) {
	quote := 0
	for _, t := range withoutCount(list) {
		in := 0
		if t.quoted {
			quote++
			in = quote
		}
		for _, w := range labelWords(strings.ToLower(t.text)) {
			words = append(words, token{text: w, quoted: t.quoted, quote: in})
		}
	}
	return words
}
