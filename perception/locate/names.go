package locate

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/windieos/windie/perception/elements"
)

// naming is how a description names an element by its label.
type naming int

const (
	unnamed naming = iota // by something else: an icon, a place, its purpose
	named                 // by the whole label
	nearly                // by the label with a word more or less, which is another command
)

const (
	sameWord  = 0.8 // minimum likeness of a word and a word of a label that count as the same
	namedOnly = 0.6 // minimum score of an element that has the name but not the kind
	// maximum difference in likeness to the kind between elements with the name that both may be
	// meant
	lessOfKind = 0.1
	// minimum likeness of an element to the kind that would otherwise be the object of its verb
	leastPressed = 0.9
)

// byName returns an answer without elements whose label nearly is the name: "Save as" is not
// "Save", and "Delete" is not "Delete all". This does not depend on the other elements, because OCR
// may have misread the right one. Elements with exactly the name come first.
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
		return Answer{Unmet: []string{word}, Nearest: found.Matches[:1]}
	}
	return found
}

// asksForText reports whether a description asks for a word, which may be part of a longer text.
func asksForText(list []token) bool { return slices.Equal(parse(list, 0).kinds, []string{"text"}) }

// Nearly compares text with the label of an element. If one word makes them different commands,
// Nearly returns this word, for example "all" for the text "Delete" and the label "Delete all".
// Otherwise it returns "". It also returns "" for an element with the role Text or Panel, because
// text may be one word of a longer text.
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

// onlyNamed returns the elements whose whole label a description says, if it says nothing else but
// a kind. If none of them is of this kind, it returns them anyway, because people call buttons many
// things. An icon or a control must be of the kind.
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

// saysOnly reports whether a description consists of an element's label, perhaps with a verb and
// kinds. It returns the kinds.
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

// saysNoMore is saysOnly without verbs.
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

// naming returns how a description names an element, and for nearly the word by which the name and
// the label differ.
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

// namingByMeaning is naming for a description without a word of the label. A name of several words
// is then another command, whatever its words mean: "Stop instance" is not "Terminate server". A
// single word may be a synonym, such as "songs" for "Music".
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

// isSentence reports whether a description says the purpose of an element in a sentence, and not
// its name.
func isSentence(words []token) bool {
	rest, _, _ := withoutVerb(words)
	if len(rest) > 0 && isArticle[rest[0].text] {
		rest = rest[1:]
	}
	return slices.ContainsFunc(rest[:headOf(rest)], func(t token) bool { return isArticle[t.text] || isPerson[t.text] })
}

// isPerson has the pronouns and question words of sentences.
var isPerson = expand(map[string]bool{"i|i'd|i'm|i've|me|we|us|our|you|what|where|how|who|when|something|someone|anything": true})

// isWord reports whether two words are the same, except for a typing or OCR error in a longer word.
func (s *screen) isWord(l, w string) bool {
	l, w = strings.Trim(l, "?!.…"), strings.Trim(w, "?!.…")
	return l == w || len(l) > 3 && utf8.RuneCountInString(l) == utf8.RuneCountInString(w) && s.likes.of(l, w) >= sameWord
}

// isSaid reports whether a description says word at of a label, or, in a sentence, a phrase with
// the same meaning.
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

// longestSaid finds the longest sequence of a label's words in a description. It is words[from:to],
// and begins at word at of the label. Words with a meaning count more than small words.
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

// headOf returns the number of words before the first relation to another element.
func headOf(words []token) int {
	rest, _, _ := withoutVerb(words)
	for i := len(words) - len(rest) + 1; i < len(words); i++ {
		if n := meaning(words[i:], relationWords); n > 0 && i+n < len(words) && (isArticle[words[i+n].text] || words[i+n].quoted) {
			return i
		}
	}
	return len(words)
}

// more returns a word beside words[from:to] that belongs to the same name, or "".
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

// ends reports whether a name ends before the words rest, so that something else begins there.
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
		// "Sign out of all accounts"
		if n == 1 && !isArticle[rest[1].text] && !rest[1].quoted && s.span(rest[1:]) == 0 && !s.known(rest[1:2]) {
			return false
		}
		anchor := parse(rest[n:], 1)
		return !anchor.empty() && meaning(rest[n:], relationWords) == 0
	}
	return opensClause[rest[0].text] && len(rest) > 1
}

// begins reports whether a name begins after words, so that something else ends there.
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

// shows reports whether an element shows a word that has a meaning of its own.
func (s *screen) shows(i int, t token) bool {
	if !says(t) {
		return false
	}
	met, _ := s.showsUnit(i, &query{}, &unitsOf([]string{t.text})[0])
	return met >= leastUnit
}

// says reports whether a word has a meaning of its own.
func says(t token) bool {
	one := []token{t}
	return meaning(one, noise)+meaning(one, nouns) == 0 && !soft[t.text] && !isSmallWord[t.text]
}

// isMark reports whether a word of a label is a number, a count, a key or a sign.
func isMark(w string) bool {
	return !strings.ContainsFunc(w, unicode.IsLetter) || strings.ContainsFunc(w, unicode.IsDigit) || strings.Contains(w, "+")
}

// beforeName has phrases that come before a name.
var beforeName = expand(map[string]bool{calledSo + "|to|about|for|please": true})

// isArticle has the words that come before a noun.
var isArticle = expand(map[string]bool{"the|a|an|this|that|my|your|its": true})

// isPronoun has objects of verbs that name nothing.
var isPronoun = expand(map[string]bool{"it|me|them|us|him|her": true})

// opensClause has words that begin a clause.
var opensClause = expand(map[string]bool{"that|which|where|who|whose|so": true})

// isPressed has kinds and names of elements that people press. They are not the object of another
// verb.
var isPressed = expand(map[string]bool{"button|icon|menu item|entry|option|choice|element|control|widget|" + filledButton: true})

// takesObject reports whether a noun after a name makes it another command, as in "Close tab".
// Buttons and menu items are named by verbs, so it does after their names. It also does after a
// text that is a verb.
func (s *screen) takesObject(i int, name []token) bool {
	role := s.list[i].Role
	return role == elements.Button || role == elements.MenuItem || makes[name[len(name)-1].text] || meaning(name[len(name)-1:], verbs) > 0
}

// isCommand has the roles of elements that may have an effect.
var isCommand = map[elements.Role]bool{
	elements.Button: true, elements.IconButton: true, elements.Link: true, elements.MenuItem: true, elements.Tab: true, elements.Text: true, elements.Panel: true,
	elements.Dropdown: true, elements.Badge: true, elements.Icon: true, elements.Checkbox: true, elements.Radio: true, elements.Toggle: true,
}

// spread returns the words of a description, split as labels are. Each word of a quoted text has
// the number of that text.
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
