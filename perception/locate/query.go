package locate

import (
	"slices"
	"strconv"
	"strings"
)

// query is the meaning of a description: an element, and its relations to others.
type query struct {
	texts     []token            // texts on the element
	words     []string           // words in no lexicon: a text, or the name of an icon
	nouns     []sort             // what it contains, which need not be written on it
	units     []unit             // the words in units, each of which must be met unless soft
	all       unit               // all the words as one unit
	icons     map[string]float64 // the icons that the words mean, with how well each fits
	kinds     []string           // its kind is one of these; empty for any
	colors    []shade
	states    []string
	positions []position
	places    []place
	ordinal   int    // 1 for the first, -1 for the last, 0 for none
	column    int    // an ordinal among columns; 0 for none
	from      string // the side to count from, for example "left"; "" for reading order
	relations []relation
	prefer    []string // the kinds that the verb of the description applies to
	said      []string // all its words except noise
	menus     bool     // it asks for a menu, and not for an entry of one
	size      float64  // 1 for something large, -1 for something small, 0 for any size
}

// shade is a color of a description.
type shade struct {
	name   string
	tone   tone
	border bool // the color of the outline
}

// String returns the color in words that a description may contain, for example "light green".
func (c shade) String() string { return strings.TrimSpace(string(c.tone) + " " + c.name) }

// empty reports whether a query asks for nothing.
func (q *query) empty() bool { return q.vague() && len(q.nouns) == 0 }

// vague reports whether a query has nothing but nouns.
func (q *query) vague() bool {
	return len(q.texts)+len(q.words)+len(q.kinds)+len(q.colors)+len(q.states)+len(q.positions)+len(q.places)+len(q.relations) == 0
}

// general reports whether a query names nothing that an element must show.
func (q *query) general() bool {
	if len(q.texts)+len(q.kinds)+len(q.colors)+len(q.states)+len(q.relations) == 0 && len(q.words) > 0 && places[strings.Join(q.words, " ")] != "" {
		return true
	}
	return len(q.nouns) > 0 && len(q.texts)+len(q.kinds)+len(q.colors)+len(q.states)+len(q.relations) == 0 && len(q.words) <= len(q.nouns)
}

// owner returns the owner of something without a name, for example Anna in "the message from Anna".
func (q *query) owner() (query, bool) {
	if len(q.relations) != 1 || q.relations[0].kind != belongs && q.relations[0].kind != inRow || len(q.nouns) == 0 || q.nouns[0] != unsure && q.nouns[0] != anything ||
		len(q.texts)+len(q.colors)+len(q.states)+len(q.kinds)+len(q.positions)+len(q.places) > 0 || len(q.words) > len(q.nouns) || q.ordinal != 0 {
		return query{}, false
	}
	return q.relations[0].anchors[0], true
}

// relation is how an element is placed relative to another one, or, for between, to two.
type relation struct {
	kind    relationKind
	anchors []query
	said    string // the relation in words
}

const (
	maxDepth   = 4  // maximum nesting of relations; the rest is read as text
	maxOrdinal = 20 // the largest ordinal; a larger number is a date
)

// parse reads an element and its relations. Each relation covers all words after it: in "the icon
// right of the field below the title", "below the title" belongs to the field.
func parse(list []token, depth int) (q query) {
	list = withoutCount(list)
	for _, t := range list {
		if meaning([]token{t}, noise) == 0 {
			q.said = append(q.said, t.text)
		}
	}
	if number := ofLine(list); number != nil {
		q.texts = number
		return q
	}
	if head, anchor := possessive(list); anchor != nil && depth < maxDepth {
		q = parse(head, depth+1)
		q.relate(inRow, "in the row of", anchor, depth)
		return q
	}
	q.size = sizeAsked(list)
	for i := 0; i < len(list); {
		if list[i].quoted {
			q.texts = append(q.texts, list[i])
			i++
			continue
		}
		if side, n := longest(list[i:], fromWords); n > 0 && q.ordinal != 0 && q.from == "" {
			q.from = side
			i += n
			continue
		}
		if n := q.inColor(list[i:]); n > 0 {
			i += n
			continue
		}
		kind, n := longest(list[i:], relationWords)
		if f := meaning(list[i:], fixed); f > n {
			i += q.takeWords(list[i : i+f])
			continue
		}
		_, place := placeOf(list[i:])
		if n > max(meaning(list[i:], positionWords), place, meaning(list[i:], noise)-1) && i+n < len(list) && depth < maxDepth {
			q.relate(kind, joined(list[i:i+n]), list[i+n:], depth)
			break
		}
		i += q.take(list[i:])
	}
	if depth == 0 && q.vague() { // there are only nouns, so take them as words
		q.words, q.nouns = append(q.words, nounsOf(list)...), nil
	}
	q.settle()
	if owner, ok := q.owner(); ok {
		return owner
	}
	q.icons = iconsOf(q.words)
	q.units, q.all = unitsOf(q.words), unit{text: strings.Join(q.words, " "), words: q.words, icons: lookup(strings.Join(q.words, " "))}
	return q
}

// takeWords adds all of list as words, and returns the number of tokens.
func (q *query) takeWords(list []token) int {
	q.words = append(q.words, strings.Fields(joined(list))...)
	return len(list)
}

// withoutCount removes "one of the two" from "the lower one of the two buttons", and "of the two"
// from "the second of the two buttons".
func withoutCount(list []token) []token {
	for i := 0; i+2 < len(list); i++ {
		from := i
		if list[i].text == "one" && list[i+1].text == "of" {
			from = i + 1
		}
		if list[from].text != "of" || list[i].quoted || from == i && (i == 0 || ordinalWords[list[i-1].text] == 0 && sides[list[i-1].text] == "" && outermost[list[i-1].text] == "" && list[i-1].text != "middle") {
			continue
		}
		to := from + 1
		for to < len(list) && isCount[list[to].text] && !list[to].quoted {
			to++
		}
		if to == from+1 || to == from+2 && list[from+1].text == "the" && from == i {
			continue
		}
		return slices.Concat(list[:i], list[to:])
	}
	return list
}

// isCount has the words after "of" in "the second of the three".
var isCount = expand(map[string]bool{"the|these|those|two|three|four|five|six|seven|2|3|4|5|6|all": true})

// settle changes kinds and places that mean something else beside the rest of the query. For
// example, a box that is checked is a checkbox.
func (q *query) settle() {
	if len(q.states) > 0 && (slices.Equal(q.kinds, []string{"panel"}) || slices.Equal(q.kinds, []string{"box"})) && (q.states[0] == "checked" || q.states[0] == "unchecked") {
		q.kinds = []string{"checkbox"}
	}
	for i, p := range q.places {
		switch {
		case p != topBar:
		case slices.Contains(q.positions, "left"):
			q.places[i] = leftBar
		case slices.Contains(q.positions, "right"):
			q.places[i] = rightBar
		case slices.Contains(q.positions, "bottom"):
			q.places[i] = bottomBar
		}
	}
}

// nounsOf returns the words of list that are nouns.
func nounsOf(list []token) (words []string) {
	for i := 0; i < len(list); i++ {
		_, n := longest(list[i:], nouns)
		if n == 0 && nouns[strings.TrimSuffix(list[i].text, "s")] != "" { // "songs"
			n = 1
		}
		if n > 0 {
			words = append(words, joined(list[i:i+n]))
			i += n - 1
		}
	}
	return words
}

// possessive splits "the last row's button" into "button" and "the last row". anchor is nil if
// there is no possessive.
func possessive(list []token) (head, anchor []token) {
	for i, t := range list[:max(0, len(list)-1)] {
		if t.quoted {
			continue
		}
		if _, n := longest(list[i:], relationWords); n > 0 {
			return nil, nil
		}
		owner, ok := strings.CutSuffix(t.text, "'s")
		if ok && owner != "" {
			from := 0
			head = list[i+1:]
			// "reply to Leo's message"
			if n := len(head); i > 0 && n <= 2 && nouns[head[n-1].text] == unsure {
				for k := i - 1; k > 0 && from == 0; k-- {
					if list[k].text == "to" && !list[k].quoted {
						from, head = k+1, list[:k]
					}
				}
			}
			anchor = append(slices.Clone(list[from:i]), token{text: owner, proper: t.proper})
			return head, anchor
		}
	}
	return nil, nil
}

// inColor reads "in red" and "with a red outline". It returns the number of words, or 0.
func (q *query) inColor(list []token) int {
	i := 1
	for i < len(list) && meaning(list[i:], before) > 0 {
		i++
	}
	tone, n := longest(list[min(i, len(list)):], tones)
	i += n
	color, n := longest(list[min(i, len(list)):], colorWords)
	if i += n; n == 0 {
		return 0
	}
	rest := list[i:]
	switch list[0].text {
	case "in":
		if len(rest) == 0 || meaning(rest, relationWords) > 0 {
			q.colors = append(q.colors, shade{name: color, tone: tone})
			return i
		}
	case "with":
		if len(rest) > 0 && slices.Contains([]string{"border", "outline", "frame", "ring", "edge"}, rest[0].text) {
			q.colors = append(q.colors, shade{name: color, tone: tone, border: true})
			return i + 1
		}
	}
	return 0
}

// relate adds the relation that said names, to the element in rest. If rest only counts lines, as in "in the last row",
// it sets the ordinal instead. It adds nothing if rest names no element.
func (q *query) relate(kind relationKind, said string, rest []token, depth int) {
	add := func(anchors ...query) {
		q.relations = append(q.relations, relation{kind, anchors, said + " " + joined(rest)})
	}
	if kind == between {
		for i, t := range rest {
			if (t.text == "and" || t.text == "&") && !t.quoted && i > 0 && i+1 < len(rest) {
				add(parse(rest[:i], depth+1), parse(rest[i+1:], depth+1))
				return
			}
		}
	}
	if kind != between && q.counted(rest) {
		return
	}
	if number := ofLine(rest); number != nil {
		kind, rest = inRow, number
	}
	anchor := parse(rest, depth+1)
	if (kind == in || kind == belongs) && slices.Equal(anchor.kinds, []string{"column"}) && len(anchor.words)+len(anchor.texts) > 0 {
		kind, anchor.kinds = inColumn, nil // "the Total column"
	}
	if kind == in && slices.Equal(anchor.kinds, []string{"row"}) && len(anchor.words)+len(anchor.texts) > 0 {
		kind, anchor.kinds = inRow, nil // "the Naxos row"
	}
	if kind == in && slices.Equal(anchor.kinds, []string{"toolbar"}) && len(anchor.words)+len(anchor.texts) > 0 {
		anchor.kinds = nil // "the comment toolbar" is the toolbar with "comment"
	}
	if kind == in && slices.Equal(anchor.kinds, []string{"card"}) {
		kind = inCard
	}
	if !anchor.empty() {
		add(anchor)
	}
}

// ofLine returns the number of "line 7" as a quoted text. It returns nil if the words say anything
// else.
func ofLine(list []token) []token {
	for len(list) > 0 && meaning(list[:1], noise) > 0 {
		list = list[1:]
	}
	if len(list) < 2 || list[0].quoted || !slices.Contains([]string{"line", "row", "step", "number"}, list[0].text) {
		return nil
	}
	if list = list[1:]; list[0].text == "number" && len(list) > 1 {
		list = list[1:]
	}
	if len(list) > 1 || strings.Trim(list[0].text, "0123456789") != "" {
		return nil
	}
	return []token{{text: list[0].text, quoted: true}}
}

// counted reads "in the last row" as an ordinal of the query itself, because each row has one such
// element. It reports whether it did.
func (q *query) counted(rest []token) bool {
	for len(rest) > 0 && meaning(rest, noise) > 0 && ordinalWords[rest[0].text] == 0 {
		rest = rest[meaning(rest, noise):]
	}
	var c query
	n := 0
	if len(rest) > 0 && !rest[0].quoted {
		n = c.takeOrdinal(rest)
	}
	if n == 0 || c.ordinal == 0 || n >= len(rest) || q.ordinal != 0 && rest[n].text != "column" {
		return false
	}
	for n+1 < len(rest) && soft[rest[n].text] && meaning(rest[n:], lineWords) == 0 {
		n++ // "the last visible row"
	}
	if rest[n].text == "column" && n+1 == len(rest) {
		q.column = c.ordinal
		return true
	}
	if line := meaning(rest[n:], lineWords); line == 0 || n+line < len(rest) {
		return false
	}
	q.ordinal, q.from = c.ordinal, c.from
	return true
}

// take reads the start of list, and returns the number of words. list must not be empty.
func (q *query) take(list []token) int {
	if p, n := longest(list, positionWords); n > 0 {
		q.positions = append(q.positions, p)
		return n
	}
	if p, n := placeOf(list); n > 0 {
		q.places = append(q.places, p)
		return n
	}
	if n := q.takeOrdinal(list); n > 0 {
		return n
	}
	if n := q.takeLook(list); n > 0 {
		return n
	}
	kind, k := longest(list, asked)
	sort, n := longest(list, nouns)
	if n == 0 {
		if sort = nouns[strings.TrimSuffix(list[0].text, "s")]; sort != "" {
			n = 1
		}
	}
	icon := iconAt(list)
	switch {
	case icon > max(k, n):
		return q.takeWords(list[:icon])
	case k > 0 && k >= n && meansIcon(list, k):
		return q.takeWords(list[:k])
	case k > 0 && k >= n && k == len(list) && len(q.kinds) == 0 && len(q.words) == 1 && makes[q.words[0]] && mayBeMade[kind]:
		return q.takeWords(list[:k])
	case k > 0 && k >= n:
		q.kinds = []string{kind} // the last kind counts: the last word of "card title"
		q.menus = list[k-1].text == "menu" || list[k-1].text == "menus"
		return k
	case n > 0:
		q.nouns = append(q.nouns, sort)
		if sort == unsure {
			q.takeWords(list[:n])
		}
		return n
	}
	// but in "the Find entry"
	if n := meaning(list, noise); n > 0 && !list[0].stands && (!list[0].proper || !list[0].later) {
		return n
	}
	word := list[0].text
	if n, ok := ordinalNumber(word); ok {
		word = strconv.Itoa(n) // a day, as in "the 30th"
	}
	q.words = append(q.words, word)
	return 1
}

// makes has the verbs of buttons whose object is not what the description looks for, for example
// "insert a link".
var makes = expand(map[string]bool{"insert|add|create|new|make|remove|delete|clear|copy|paste|share|embed|upload|attach|choose|close|save|send|print|move|rename|export|import": true})

// mayBeMade has the kinds that such objects may seem to be.
var mayBeMade = expand(map[string]bool{"link|image|panel|text|row|column|card|menu item|tab|checkbox|dot|bubble|heading": true})

// meansIcon reports whether the first n words name an icon, as in "table icon".
func meansIcon(list []token, n int) bool {
	next, _ := longest(list[n:], asked)
	return (next == "icon" || next == "button") && len(lookup(joined(list[:n]))) > 0
}

// takeLook reads a state, or a color with its tone. It returns the number of words, or 0.
func (q *query) takeLook(list []token) int {
	if state, n := longest(list, stateWords); n > 0 {
		q.states = append(q.states, state)
		return n
	}
	tone, t := longest(list, tones)
	if c, n := longest(list[t:], colorWords); n > 0 {
		q.colors = append(q.colors, shade{name: c, tone: tone})
		return t + n
	}
	return 0
}

// takeOrdinal reads "first", "2nd", "last", "leftmost" and, before a kind, "left".
func (q *query) takeOrdinal(list []token) int {
	word := list[0].text
	side := outermost[word]
	// "the lowest price"
	if (word == "highest" || word == "lowest") && len(list) > 1 && meaning(list[1:], asked) == 0 {
		return 0
	}
	if sides[word] != "" && len(list) > 1 && meaning(list[1:], relationWords) == 0 && meaning(list[1:], places) == 0 && iconAt(list) < 2 {
		side = sides[word]
	}
	if side != "" {
		q.ordinal, q.from = 1, side
		return 1
	}
	n, ok := ordinalWords[word]
	if word == "middle" && len(list) > 1 {
		q.ordinal = middle
		return 1
	}
	if !ok {
		if n, ok = ordinalNumber(word); !ok || n < 1 || n > maxOrdinal {
			return 0
		}
	}
	q.ordinal = n
	// "second last", "second to last"
	for skip, before := range [][]string{{"last"}, {"to", "last"}, {"from", "last"}} {
		if k := len(before); n > 0 && len(list) > k && list[k].text == "last" && (k == 1 || list[1].text == before[0]) {
			if q.ordinal = -n; skip == 2 {
				q.ordinal = -n - 1
			}
			return k + 1
		}
	}
	return 1
}

// ordinalNumber returns the number of an ordinal in digits: 2 for "2nd", 11 for "11th". ok is false for other words, such
// as "3d" or "10s".
func ordinalNumber(word string) (n int, ok bool) {
	digits := strings.TrimRight(word, "sthndr")
	n, err := strconv.Atoi(digits)
	end := "th"
	switch {
	case err != nil || !isDigit(digits[0]):
		return 0, false
	case n/10%10 == 1: // 11th, 12th, 13th
	case n%10 == 1:
		end = "st"
	case n%10 == 2:
		end = "nd"
	case n%10 == 3:
		end = "rd"
	}
	return n, word[len(digits):] == end
}

// unit is a word, or a phrase with one meaning, that the element must show.
type unit struct {
	text  string
	words []string
	means []int              // numbers of its concepts
	icons map[string]float64 // the icons that it means, with how well each fits
	soft  bool               // the element need not show it
}

// unitsOf splits words into the longest phrases with a meaning, and single words.
func unitsOf(words []string) (list []unit) {
	for len(words) > 0 {
		n := min(len(words), maxConcept)
		for ; n > 1; n-- {
			if phrase := words[:n]; len(concepts()[stems(phrase)]) > 0 || n <= maxIconWords && len(lookup(strings.Join(phrase, " "))) > 0 {
				break
			}
		}
		text := strings.Join(words[:n], " ")
		list = append(list, unit{text, words[:n], concepts()[stems(words[:n])], lookup(text), soft[text] || n == 1 && shapes[text]})
		words = words[n:]
	}
	// with soft units alone, all must be met
	if !slices.ContainsFunc(list, func(u unit) bool { return !u.soft }) {
		for i := range list {
			list[i].soft = false
		}
	}
	return list
}

// sizes has the words for a size: 1 for large, -1 for small.
var sizes = expand(map[string]float64{
	"big|large|wide|huge|biggest|largest|widest|tall|broad|main": 1, "small|little|tiny|smallest|tiniest|littlest|narrow": -1,
})

// sizeAsked returns 1 if a description asks for something large, -1 for something small, and 0 for
// neither. It stops at the first relation.
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

// middle is the ordinal of the element in the middle.
const middle = 1 << 20
