package locate

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/elements/icons"
)

// A query is what a description asks for: a thing, and where it is from the
// point of view of other things.
type query struct {
	quoted    []string        // what stands on it, in the user's quotes
	words     []string        // what is neither a color nor a role: text, or an icon's name
	icons     []string        // what the words mean as an icon
	roles     []elements.Role // any of them
	colors    []string
	states    []elements.State
	positions []position
	ordinal   int    // 1 is the first, -1 the last; 0 for none
	from      string // where the ordinal counts from: "left", "right", "top", "bottom"; "" for reading order
	relations []relation
}

// empty reports whether a query says nothing.
func (q *query) empty() bool {
	return len(q.quoted)+len(q.words)+len(q.roles)+len(q.colors)+len(q.states)+len(q.positions)+len(q.relations) == 0
}

// A relation says where a thing is from the point of view of another one, or,
// for between, of two.
type relation struct {
	kind    relationKind
	anchors []query
}

type relationKind string

// The relations.
const (
	rightOf   relationKind = "right of"
	leftOf    relationKind = "left of"
	above     relationKind = "above"
	below     relationKind = "below"
	nextTo    relationKind = "next to"
	in        relationKind = "in"
	rightSide relationKind = "on the right side of"
	leftSide  relationKind = "on the left side of"
	between   relationKind = "between"
	inRow     relationKind = "in the row of"
	under     relationKind = "under the heading"
)

// position is where on the screen something is.
type position string

// tokenPattern cuts a description into quoted texts, words and the rest.
var tokenPattern = regexp.MustCompile(`"([^"]*)"|“([^”]*)”|‘([^’]*)’|'([^']*)'|[\pL\pN.#+@&/_-]+(?:'[\pL]+)?`)

// token is a word in lower case, or a text that was quoted.
type token struct {
	text   string
	quoted bool
}

func tokens(description string) (list []token) {
	for _, m := range tokenPattern.FindAllStringSubmatch(description, -1) {
		quoted := m[1] + m[2] + m[3] + m[4]
		if quoted != "" {
			list = append(list, token{quoted, true})
			continue
		}
		if word := strings.ToLower(strings.Trim(m[0], ".-/")); word != "" && m[0][0] != '"' && m[0][0] != '\'' {
			list = append(list, token{word, false})
		}
	}
	return list
}

// parse reads a description.
func parse(description string) query { return parseTokens(tokens(description)) }

// maxIconWords is how many words the name of an icon has at most.
const maxIconWords = 4

// iconsOf returns the icons that words name: the longest names in them.
func iconsOf(words []string) (names []string) {
	for n := min(maxIconWords, len(words)); n > 0; n-- {
		for from := 0; from+n <= len(words); from++ {
			names = append(names, icons.Lookup(strings.Join(words[from:from+n], " "))...)
		}
		if len(names) > 0 {
			return names
		}
	}
	return nil
}

// parseTokens reads a thing and what it is related to. A relation takes all
// that follows it: in "the icon right of the field below the title" the field
// is below the title.
func parseTokens(list []token) (q query) {
	defer func() { q.icons = iconsOf(q.words) }()
	for i := 0; i < len(list); {
		if list[i].quoted {
			q.quoted = append(q.quoted, list[i].text)
			i++
			continue
		}
		kind, n := longest(list[i:], relationWords)
		if _, other := longest(list[i:], positionWords); n > other && i+n < len(list) {
			q.relate(kind, list[i+n:])
			return q
		}
		i += q.take(list[i:])
	}
	return q
}

// relate adds a relation to what the rest describes.
func (q *query) relate(kind relationKind, rest []token) {
	if kind == between {
		for i, t := range rest {
			if t.text == "and" && !t.quoted {
				q.relations = append(q.relations, relation{kind, []query{parseTokens(rest[:i]), parseTokens(rest[i+1:])}})
				return
			}
		}
	}
	if len(rest) > 0 {
		q.relations = append(q.relations, relation{kind, []query{parseTokens(rest)}})
	}
}

// take reads what a thing is, at the beginning of list, and returns how many
// words that were.
func (q *query) take(list []token) int {
	if _, n := longest(list, noise); n > 0 {
		return n
	}
	if p, n := longest(list, positionWords); n > 0 {
		q.positions = append(q.positions, p)
		return n
	}
	if n := q.takeOrdinal(list); n > 0 {
		return n
	}
	if s, n := longest(list, stateWords); n > 0 {
		q.states = append(q.states, s)
		return n
	}
	if c, n := longest(list, colorWords); n > 0 {
		q.colors = append(q.colors, c)
		return n
	}
	if roles, n := longest(list, roleWords); n > 0 {
		q.roles = append(q.roles, roles...)
		return n
	}
	q.words = append(q.words, list[0].text)
	return 1
}

// takeOrdinal reads "first", "2nd", "last", "third from the left" and
// "leftmost".
func (q *query) takeOrdinal(list []token) int {
	if side, ok := outermost[list[0].text]; ok && !list[0].quoted {
		q.ordinal, q.from = 1, side
		return 1
	}
	n, ok := ordinalWords[list[0].text]
	if !ok {
		digits := strings.TrimRight(list[0].text, "sthndr")
		v, err := strconv.Atoi(digits)
		if err != nil || digits == list[0].text || v < 1 || v > 99 {
			return 0
		}
		n = v
	}
	q.ordinal = n
	if side, used := longest(list[1:], fromWords); used > 0 {
		q.from = side
		return 1 + used
	}
	return 1
}

// longest looks the beginning of list up in words, whose keys are of several
// words, and returns what the longest of them stands for.
func longest[T any](list []token, words map[string]T) (value T, n int) {
	text := ""
	for i, t := range list {
		if t.quoted || i == maxPhrase {
			break
		}
		text = strings.TrimPrefix(text+" "+t.text, " ")
		if v, ok := words[text]; ok {
			value, n = v, i+1
		}
	}
	return value, n
}

// maxPhrase is how many words the longest key has.
const maxPhrase = 6
