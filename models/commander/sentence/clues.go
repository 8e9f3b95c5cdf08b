package sentence

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clues are what the network sees of a sentence and the screen.
type Clues struct {
	Words    []WordClues
	Mentions []Mention
}

// WordClues are what the network sees of a word of a sentence.
type WordClues struct {
	Word    string // in small letters
	At, End int    // its place in the sentence, in bytes
	After   string // the sign that follows
	Quoted  bool
	Grams   []int // its parts, as rows of a table of Grams rows
	Flags   [flags]float32
}

// Mention is a way to understand words as a thing on the screen.
type Mention struct {
	From, To int   // its words
	Things   []int // the things that it may mean
	Cell     string
	Kind     int // of its first thing, as a row of a table of Kinds rows
	Facts    [facts]float32

	noun noun
}

// Acts are the classes of steps that the network knows. "ask" is what must not be carried out: it is unclear, not on the
// screen, or no request.
var Acts = []string{"click", "double", "right", "held", "on", "off", "set", "type", "press", "menu", "hover", "drag", "pull", "select", "scroll", "scrollto", "end", "top", "wait", "gone", "opens", "seconds", "activate", "close", "clear", "ask"}

// The roles of words: they begin or continue a value, keys, or an entry of a menu's path.
const (
	NoRole = iota
	ValueBegin
	ValueIn
	KeyBegin
	KeyIn
	PathBegin
	PathIn
)

// IsInLonger reports whether another mention has the words too, and more, and is no worse.
func (m Mention) IsInLonger() bool { return m.Facts[isInLonger] > 0 }

// Sizes of what the network sees.
const (
	Grams       = 4096
	flags       = 14
	facts       = 18
	maxMentions = 64
	maxMention  = 14 // words
	maxGrams    = 24 // parts of a word
)

// Places of what is seen of a word, and of a mention; the others are only for the network.
const (
	inName      = 10
	inWholeName = 11
	isFirst     = 12
	isLast      = 13

	isInLonger  = 13
	isWholeName = 14
)

// kindNames are the kinds of things that the network knows; it takes others for the first one.
var kindNames = strings.Split(",button,checkbox,radio,switch,field,combo box,spinner,slider,tab,menu,menu item,link,list item,tree item,text,column header,row header,icon,image,cell,table,list,tree,row,heading,window,dialog,panel,toolbar", ",")

// Kinds is the number of kinds of things that the network knows.
var Kinds = len(kindNames)

// CluesOf returns what the network sees of a sentence and the screen.
func CluesOf(said string, screen []Thing) Clues {
	return newParser(said, screen).clues()
}

// clues returns what the network sees.
func (p *parser) clues() Clues {
	c := Clues{Mentions: p.mentions()}
	for i, t := range p.tokens {
		c.Words = append(c.Words, WordClues{Word: t.word, At: t.at, End: t.end, After: t.after, Quoted: t.quoted, Grams: grams(t.word), Flags: p.flags(i)})
	}
	for _, m := range c.Mentions {
		for k := m.From; k < m.To; k++ {
			f := &c.Words[k].Flags
			f[inName] = 1
			if m.Facts[isWholeName] > 0 {
				f[inWholeName] = 1
			}
		}
	}
	return c
}

// grams returns the parts of a word: the word, and each three and four letters of it.
func grams(word string) []int {
	letters := []rune("^" + word + "$")
	list := []int{row("=" + word)}
	for n := 3; n <= 4; n++ {
		for k := 0; k+n <= len(letters) && len(list) < maxGrams; k++ {
			list = append(list, row(string(letters[k:k+n])))
		}
	}
	return list
}

// row returns the row of a table of Grams rows for a part of a word. Row 0 is empty.
func row(part string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(part))
	return 1 + int(h.Sum32()%(Grams-1))
}

// flags returns what is seen of the token i but its letters.
func (p *parser) flags(i int) (f [flags]float32) {
	t := p.tokens[i]
	first, _ := utf8.DecodeRuneInString(t.text)
	digits := strings.IndexFunc(t.text, unicode.IsDigit)
	_, cell := cellOf(t.text, true)
	for k, is := range []bool{
		t.quoted, digits >= 0, digits == 0, unicode.IsUpper(first), t.after == ",", t.after != "" && strings.Contains(".;:!?\n", t.after), t.after == "-",
		len(chord(t.text)) > 1 || len(t.text) > 1 && keyNames[t.word] != "", cell, kindWords[t.word] != nil,
	} {
		if is {
			f[k] = 1
		}
	}
	if i == 0 {
		f[isFirst] = 1
	}
	if i == len(p.tokens)-1 {
		f[isLast] = 1
	}
	return f
}

// mentions returns the ways to understand words as things, in the order of the words.
func (p *parser) mentions() (list []Mention) {
	for i := range p.tokens {
		for j := i + 1; j <= min(len(p.tokens), i+maxMention); j++ {
			nouns := p.nounsOf(i, j)
			for _, n := range nouns[:min(len(nouns), 2)] {
				if (len(n.Things) > 0 || n.Cell != "") && n.cost < 1 {
					list = append(list, p.mention(i, j, n))
				}
			}
		}
	}
	for k := range list {
		m := &list[k]
		if slices.ContainsFunc(list, func(o Mention) bool {
			return (o.From < m.From && o.To >= m.To || o.From <= m.From && o.To > m.To) && o.noun.cost <= m.noun.cost+costWord
		}) {
			m.Facts[isInLonger] = 1
		}
	}
	slices.SortStableFunc(list, func(a, b Mention) int {
		return cmp.Compare(a.noun.cost-costWord*float64(a.To-a.From), b.noun.cost-costWord*float64(b.To-b.From))
	})
	list = list[:min(len(list), maxMentions)]
	slices.SortStableFunc(list, func(a, b Mention) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return list
}

// mention returns the words from i to j as a mention.
func (p *parser) mention(i, j int, n noun) Mention {
	m := Mention{From: i, To: j, Things: n.Things, Cell: n.Cell, noun: n}
	var t Thing
	if len(n.Things) > 0 {
		t = p.screen[n.Things[0]]
		m.Kind = max(0, slices.Index(kindNames, t.Kind))
	} else {
		m.Kind = slices.Index(kindNames, "cell")
	}
	m.Facts[0] = float32(n.cost)
	m.Facts[1] = float32(j-i) / 8
	for k, is := range []bool{
		n.Part, n.Kind != "", len(n.Things) == 1, n.Cell != "", t.Active, t.Popup, t.Has, t.Lines, t.On,
		slices.ContainsFunc(p.tokens[i:j], func(t token) bool { return t.quoted }), n.Label == "", false,
		!n.Part && n.Label != "" && len(n.Things) > 0, n.Nth != 0, n.Label != "" && n.Label != strings.ToLower(n.Label),
	} {
		if is {
			m.Facts[2+k] = 1
		}
	}
	m.Facts[17] = float32(len(n.Label)) / 20
	return m
}

// KeysIn returns the words of a sentence from index on that name keys. ok is false if there are none.
func KeysIn(said string, keys []string, index int) (from, to int, ok bool) {
	return newParser(said, nil).keysIn(keys, index)
}

// keysIn returns the words from index on that name keys.
func (p *parser) keysIn(keys []string, index int) (from, to int, ok bool) {
	for i := index; i < len(p.tokens); i++ {
		for j := min(len(p.tokens), i+maxKeys); j > i; j-- {
			if got, _, is := p.keys(i, j); is && slices.Equal(got, keys) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// maxKeys is the maximum number of words that name keys.
const maxKeys = 9
