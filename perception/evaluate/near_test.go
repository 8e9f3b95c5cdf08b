//go:build system && !race

package evaluate

import (
	"context"
	"image"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdkapi"
)

// changedTexts is how many texts are asked for of each sort: near misses, and slips.
const changedTexts = 500

// page is a screen: its rows as they are, and what was read of its picture.
type page struct {
	name  string
	truth []perception.Row
	index *match.Index // of truth
	read  *match.Index
	seen  *elements.Screen
}

var folder = "../testdata/screens"

// pages returns the screens of the repository.
func pages(t *testing.T) (list []*page) {
	t.Helper()
	labels, err := readLabels(folder)
	if err != nil {
		t.Fatal(err)
	}
	scenes := perception.NewScenes(reader.New(reader.Config{}), perception.Options{})
	for _, l := range labels {
		data, err := os.ReadFile(l.file)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := elements.NewScreens(scenes).Screen(context.Background(), perception.SourceOf(data))
		if err != nil {
			t.Fatal(err)
		}
		rows := l.truth.rows()
		list = append(list, &page{l.name, rows, match.NewIndex(rows), match.NewIndex(seen.Rows), seen})
	}
	return list
}

// resolve returns where a text stands, if it stands at one place.
func resolve(on *match.Index, text string) (image.Point, bool) {
	one, _ := on.Find(match.Query{Text: text, Threshold: sdkapi.DefaultThreshold}).Resolve()
	if one == nil {
		return image.Point{}, false
	}
	return geo.Center(one.Row.Box), true
}

// A wording is a text that stands at one place of a page, and what is asked for in its stead.
type wording struct {
	page       *page
	sort       string // of change
	text, as   string
	at, readAt image.Point // where text stands on the page, and on its picture
}

// rewrite returns another text, or "" if it cannot change this one.
type rewrite func(random *rand.Rand, words []string) string

// wordings draws texts of pages, and changes each in one of some ways.
func wordings(t *testing.T, random *rand.Rand, pages []*page, changes map[string]rewrite, may func(wording) bool) (list []wording) {
	t.Helper()
	sorts := slices.Sorted(maps.Keys(changes))
	for range 200 * changedTexts {
		p := pages[random.IntN(len(pages))]
		w := wording{page: p, sort: sorts[len(list)%len(sorts)]}
		words := someWords(random, p.truth[random.IntN(len(p.truth))])
		w.text, w.as = strings.Join(words, " "), changes[w.sort](random, words)
		if w.as == "" || !w.placed() || !may(w) || slices.ContainsFunc(list, func(o wording) bool { return o.as == w.as && o.page == p }) {
			continue
		}
		if list = append(list, w); len(list) == changedTexts {
			return list
		}
	}
	t.Fatalf("there are only %d texts to ask for", len(list))
	return nil
}

// someWords returns all words of a row, or at most six of them.
func someWords(random *rand.Rand, row perception.Row) []string {
	from := 0
	if random.IntN(2) == 0 {
		from = random.IntN(len(row.Words))
	}
	return strings.Fields(row.Part(from, min(len(row.Words), from+1+random.IntN(6))).Text)
}

// placed reports whether the text has one place on the page, and on its picture: if it has not, the
// reader is at fault.
func (w *wording) placed() bool {
	var there, read bool
	w.at, there = resolve(w.page.index, w.text)
	w.readAt, read = resolve(w.page.read, w.text)
	return there && read && len(w.text) >= 4
}

// stands reports whether a page has a text as words of a row, whatever their marks.
func (p *page) stands(text string) bool {
	bare := func(s string) string {
		words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '%' })
		return " " + strings.Join(words, " ") + " "
	}
	return slices.ContainsFunc(p.truth, func(r perception.Row) bool { return strings.Contains(bare(r.Text), bare(text)) })
}

var opposites = strings.Fields("enable disable on off in out log log show hide add remove open close start stop accept decline read unread left right up down " +
	"export import connect disconnect increase decrease public private monday sunday tuesday thursday today yesterday june july june january march may " +
	"save delete new old first last next previous more less on in all none yes no active inactive online offline send receive light dark high low " +
	"allow deny before after first second min max upload download paid unpaid archive restore sign design install uninstall default custom")

func dictionary(t *testing.T) (all map[string]bool) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "match", "words.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]bool{}
	for _, w := range strings.Fields(string(data)) {
		all[w] = true
	}
	return all
}

// slipsOf returns what one slip makes of a word, of lower case letters.
func slipsOf(word string) (list []string) {
	for i := range word {
		list = append(list, word[:i]+word[i+1:])
		if i > 0 {
			list = append(list, word[:i-1]+word[i:i+1]+word[i-1:i]+word[i+1:])
		}
		for c := 'a'; c <= 'z'; c++ {
			list = append(list, word[:i]+string(c)+word[i+1:], word[:i]+string(c)+word[i:])
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == word })
}

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// with returns words with another one at i.
func with(words []string, i int, word string) string {
	words = slices.Clone(words)
	words[i] = word
	return strings.Join(words, " ")
}

func isLetters(s string, least int) bool {
	for _, r := range s {
		if !unicode.IsLower(unicode.ToLower(r)) || r > unicode.MaxASCII {
			return false
		}
	}
	return len(s) >= least
}

// placesOf returns where words fulfil a condition.
func placesOf(words []string, is func(string) bool) (at []int) {
	for i, w := range words {
		if is(w) {
			at = append(at, i)
		}
	}
	return at
}

var (
	twoDigits = regexp.MustCompile("[0-9][0-9]")
	letterFor = map[byte]string{'2': "Z", '5': "S", '6': "b", '8': "B", '9': "g"}
)

// nearMisses change the meaning.
func nearMisses(pages []*page, known map[string]bool) map[string]rewrite {
	var all []string
	for _, p := range pages {
		for _, r := range p.truth {
			all = append(all, strings.Fields(r.Text)...)
		}
	}
	at := func(random *rand.Rand, words []string, is func(string) bool, to func(string) string) string {
		places := placesOf(words, is)
		if len(places) == 0 {
			return ""
		}
		i := pick(random, places)
		word := to(words[i])
		if word == "" || strings.EqualFold(word, words[i]) {
			return ""
		}
		return with(words, i, word)
	}
	return map[string]rewrite{
		"another number": func(random *rand.Rand, words []string) string {
			hasDigit := func(s string) bool { return strings.ContainsAny(s, "0123456789") }
			return at(random, words, hasDigit, func(w string) string {
				i := strings.IndexAny(w, "0123456789")
				for strings.ContainsAny(w[i+1:], "0123456789") && random.IntN(2) == 0 {
					i += 1 + strings.IndexAny(w[i+1:], "0123456789")
				}
				digit := string(rune('0' + (int(w[i]-'0')+1+random.IntN(9))%10))
				return pick(random, []string{w[:i] + digit + w[i+1:], w[:i] + digit + w[i+1:], w[:i] + digit + w[i:], w[:i+1] + digit + w[i+1:]})
			})
		},
		"a mark in a number": func(random *rand.Rand, words []string) string {
			return at(random, words, func(s string) bool { return twoDigits.MatchString(s) }, func(w string) string {
				i := twoDigits.FindStringIndex(w)[0]
				return w[:i+1] + pick(random, []string{"(", ") ", ", ", ". ", ": ", "- ", " - ", " • ", "/", " $"}) + w[i+1:]
			})
		},
		"a letter for a digit": func(random *rand.Rand, words []string) string {
			return at(random, words, func(s string) bool { return strings.ContainsAny(s, "25689") }, func(w string) string {
				i := strings.IndexAny(w, "25689")
				return w[:i] + letterFor[w[i]] + w[i+1:]
			})
		},
		"a negation": func(random *rand.Rand, words []string) string {
			if random.IntN(2) == 0 {
				return pick(random, []string{"Don't ", "Do not ", "Not ", "No ", "Never "}) + strings.Join(words, " ")
			}
			return at(random, words, func(s string) bool { return isLetters(s, 4) }, func(w string) string {
				return pick(random, []string{"un", "dis", "de", "non", "in"}) + strings.ToLower(w)
			})
		},
		"the opposite": func(random *rand.Rand, words []string) string {
			is := func(s string) bool { return slices.Contains(opposites, strings.ToLower(s)) }
			return at(random, words, is, func(w string) string { return opposites[slices.Index(opposites, strings.ToLower(w))^1] })
		},
		"a word of the screens": func(random *rand.Rand, words []string) string {
			return at(random, words, func(s string) bool { return isLetters(s, 2) }, func(string) string { return pick(random, all) })
		},
		"a word that a slip makes": func(random *rand.Rand, words []string) string {
			return at(random, words, func(s string) bool { return isLetters(s, 3) }, func(w string) string {
				near := slices.DeleteFunc(slipsOf(strings.ToLower(w)), func(s string) bool { return !known[s] || strings.Contains(w, "rn") })
				if len(near) == 0 {
					return ""
				}
				return pick(random, near)
			})
		},
		"one word more": func(random *rand.Rand, words []string) string {
			more := pick(random, []string{"all", "new", "not", "my", "old", "2", "last", "other", "for", "a"})
			return strings.Join(slices.Insert(slices.Clone(words), random.IntN(len(words)+1), more), " ")
		},
		"one word less": func(random *rand.Rand, words []string) string {
			if len(words) < 3 {
				return ""
			}
			i := 1 + random.IntN(len(words)-2)
			return strings.Join(slices.Delete(slices.Clone(words), i, i+1), " ")
		},
	}
}

// looksLike are characters and what readers take them for.
var looksLike = strings.Fields("0 O O 0 1 l l 1 I l l I rn m m rn I 1 1 I")

// slips leave the meaning.
func slips(known map[string]bool) map[string]rewrite {
	return map[string]rewrite{
		"case": func(random *rand.Rand, words []string) string {
			text := strings.Join(words, " ")
			return pick(random, []string{strings.ToUpper(text), strings.ToLower(text)})
		},
		"an accent": func(random *rand.Rand, words []string) string {
			i := random.IntN(len(words))
			for _, accented := range []string{"eé", "aä", "oö", "uü", "nñ", "cç"} {
				if strings.Contains(words[i], accented[:1]) {
					return with(words, i, strings.Replace(words[i], accented[:1], accented[1:], 1))
				}
			}
			return ""
		},
		"a space lost": func(random *rand.Rand, words []string) string {
			if len(words) < 2 {
				return ""
			}
			i := random.IntN(len(words) - 1)
			if !isLetters(words[i], 1) || !isLetters(words[i+1], 1) {
				return ""
			}
			return strings.Join(slices.Replace(slices.Clone(words), i, i+2, words[i]+words[i+1]), " ")
		},
		"a space added": func(random *rand.Rand, words []string) string {
			i := random.IntN(len(words))
			if !isLetters(words[i], 4) {
				return ""
			}
			cut := 1 + random.IntN(len(words[i])-1)
			return with(words, i, words[i][:cut]+" "+words[i][cut:])
		},
		"a slip": func(random *rand.Rand, words []string) string {
			long := placesOf(words, func(s string) bool { return isLetters(s, 6) })
			if len(long) == 0 {
				return ""
			}
			i := pick(random, long)
			word := slip(random, words[i])
			if known[strings.ToLower(word)] || word == words[i] {
				return ""
			}
			return with(words, i, word)
		},
		"a look-alike": func(random *rand.Rand, words []string) string {
			i, k := random.IntN(len(words)), 2*random.IntN(len(looksLike)/2)
			if !strings.Contains(words[i], looksLike[k]) {
				return ""
			}
			return with(words, i, strings.Replace(words[i], looksLike[k], looksLike[k+1], 1))
		},
	}
}

// slip types a word wrongly.
func slip(random *rand.Rand, word string) string {
	i, c := random.IntN(len(word)), string(rune('a'+random.IntN(26)))
	switch random.IntN(4) {
	case 0:
		return word[:i] + c + word[i+1:]
	case 1:
		return word[:i] + c + word[i:]
	case 2:
		return word[:i] + word[i+1:]
	}
	i = min(i, len(word)-2)
	return word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
}

// A near miss is not clicked: neither on the rows as they are, nor on what is read of the picture, nor
// by a description.
func TestNearMisses(t *testing.T) {
	pages, known := pages(t), dictionary(t)
	list := wordings(t, rand.New(rand.NewPCG(1, 1)), pages, nearMisses(pages, known), func(w wording) bool { return !w.page.stands(w.as) })
	for _, w := range list {
		t.Run(w.page.name+" "+w.as, func(t *testing.T) {
			if at, ok := resolve(w.page.index, w.as); ok {
				t.Errorf("%s: %q is taken for %q, at %v", w.sort, w.text, w.as, at)
			}
			if at, ok := resolve(w.page.read, w.as); ok {
				t.Errorf("%s, on the picture: %q is taken for %q, at %v", w.sort, w.text, w.as, at)
			}
			if one, ok := locate.Find(w.page.seen, `the text "`+w.as+`"`).One(); ok {
				t.Errorf("%s, by a description: %q is taken for %q, at %v", w.sort, w.text, w.as, one.Point)
			}
		})
	}
}

// Slips and look-alikes are forgiven. Those that are not may be names: see TestSame of package match.
func TestSlips(t *testing.T) {
	list := wordings(t, rand.New(rand.NewPCG(2, 2)), pages(t), slips(dictionary(t)), func(wording) bool { return true })
	var onPage, onPicture part
	for _, w := range list {
		at, ok := resolve(w.page.index, w.as)
		if onPage.count(ok && at == w.at); !ok || at != w.at {
			t.Logf("%s: %q is not taken for %q", w.sort, w.text, w.as)
		}
		at, ok = resolve(w.page.read, w.as)
		onPicture.count(ok && at == w.readAt)
	}
	t.Logf("resolved on the pages: %v, on their pictures: %v", onPage, onPicture)
	if least := 0.95; onPage.ratio() < least || onPicture.ratio() < least {
		t.Errorf("resolved on the pages: %v, on their pictures: %v; want at least %v", onPage, onPicture, least)
	}
}
