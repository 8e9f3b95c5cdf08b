package match

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// reference is Rank without any short cut: it compares the query with all words
// of every row that stand side by side.
func reference(rows []perception.Row, query string) (found []Match) {
	s := newSearcher(newText(query), sdkapi.Narrowing{})
	for index, row := range rows {
		in := newIndexed(row)
		var best span
		equal, end := false, 0
		for from := range row.Words {
			for to := from + 1; to <= len(row.Words); to++ {
				at := span{from: from, to: to}
				at.tier, at.score = compareAll(s, &in, at)
				switch {
				case at.tier < Fuzzy && from >= end:
					s.add(index, &in, at)
					equal, end = true, to
				case at.tier == Fuzzy && at.betterThan(best):
					best = at
				}
			}
		}
		if !equal && best.score >= floor {
			best.score = s.settled(&in, best)
			s.add(index, &in, best)
		}
	}
	slices.SortStableFunc(s.found, byScore)
	return s.found
}

// compareAll compares the query with a part of a row.
func compareAll(s *searcher, in *indexed, at span) (tier Tier, score float64) {
	letters := ""
	for _, w := range in.row.Words[at.from:at.to] {
		letters += fold(plain(w.Text))
	}
	folded := fold(s.query.plain)
	longest := max(len([]rune(folded)), len([]rune(letters)))
	whole := at.to-at.from == in.words()
	tier = Fuzzy
	if letters == folded {
		tier = s.equality(in, at)
	}
	score = tierScore[tier]
	if tier == Fuzzy {
		score = tierScore[Fuzzy] * (1 - float64(fuzzy.LevenshteinDistance(folded, letters))/float64(longest))
		if len([]rune(folded)) <= shortQuery {
			score = min(score, shortScore)
		}
	}
	if !whole {
		score -= partCost
	}
	if !whole && tier == Fuzzy && at.to-at.from < s.query.words {
		score -= shortfallCost
	}
	return tier, score
}

// screenful makes rows of words that occur again and again, some of them with
// a letter changed.
func screenful(source *rand.Rand, rows, words int) []perception.Row {
	out := make([]perception.Row, rows)
	for i := range out {
		texts := strings.Fields(phrase(source, words))
		for x, t := range texts {
			box := image.Rect(100*x, 20*i, 100*x+90, 20*i+16)
			out[i].Words = append(out[i].Words, perception.Word{Text: t, Box: box})
			out[i].Box = out[i].Box.Union(box)
		}
		out[i].Text, out[i].ID = strings.Join(texts, " "), fmt.Sprint(i)
	}
	return out
}

var vocabulary = strings.Fields("File Edit View Save as Open Close in on to out Check Account lnvoice Invoice 1001 l00l modern modem Größe café " +
	"Add cart Remove Log Login a b ab ba aab rn m - – x yx xy Don’t Don't 中文 ﬁle")

func phrase(source *rand.Rand, most int) string {
	words := make([]string, 1+source.IntN(most))
	for i := range words {
		words[i] = vocabulary[source.IntN(len(vocabulary))]
	}
	return garble(source, words)
}

// garble joins words, a letter changed in every fourth or so.
func garble(source *rand.Rand, words []string) string {
	words = slices.Clone(words)
	for i := range words {
		if w := []rune(words[i]); source.IntN(4) == 0 {
			w[source.IntN(len(w))] = rune('a' + source.IntN(4))
			words[i] = string(w)
		}
	}
	return strings.Join(words, " ")
}

// queryFor is a phrase, or one taken from a row.
func queryFor(source *rand.Rand, rows []perception.Row, words int) string {
	if source.IntN(2) == 0 {
		return phrase(source, words)
	}
	all := strings.Fields(rows[source.IntN(len(rows))].Text)
	from := source.IntN(len(all))
	return garble(source, all[from:min(len(all), from+1+source.IntN(words))])
}

// The short cuts change nothing, for short queries and for such as take more
// than one word of bits.
func TestRankIsTheReferences(t *testing.T) {
	t.Parallel()
	for words, rounds := range map[int]int{2: 2000, 5: 500, 30: 40} {
		t.Run(fmt.Sprint(words), func(t *testing.T) {
			source := rand.New(rand.NewPCG(1, uint64(words)))
			matches := 0
			for range rounds {
				rows := screenful(source, 5, words+3)
				query := queryFor(source, rows, words)
				got, want := NewIndex(rows).Rank(query), reference(rows, query)
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%q\ngot  %v\nwant %v", query, got, want)
				}
				matches += len(got)
			}
			if matches < rounds/4 {
				t.Errorf("queries of up to %d words have %d matches in %d screens: they prove little", words, matches, rounds)
			}
		})
	}
}

// What two texts have in common bounds their distance from below, and is what
// they have: a bound that is too high would hide matches.
func TestCommon(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, text string
		want          int
	}{
		{"kitten", "sitting", 4}, {"", "a", 0}, {"abc", "", 0}, {"abc", "cba", 1}, {"aab", "ab", 2},
		{strings.Repeat("ab", 50), strings.Repeat("ba", 50), 99},
		{strings.Repeat("a", 63) + "b" + strings.Repeat("c", 64), "abc", 3},
	} {
		t.Run(fmt.Sprintf("%.50q", tt.text), func(t *testing.T) {
			c := newCommon(appendClasses(nil, tt.pattern))
			for range 2 { // the second time from where reset leaves it
				c.reset()
				half := len(tt.text) / 2
				c.add(appendClasses(nil, tt.text[:half]))
				c.add(appendClasses(nil, tt.text[half:]))
				if got := c.count(); got != tt.want {
					t.Errorf("%q and %q have %d in common, want %d", tt.pattern, tt.text, got, tt.want)
				}
			}
		})
	}
}

// The quick way to fold gives what the other one does.
func FuzzFold(f *testing.F) {
	f.Add("corner rn r n rrn RN I1l|0O `")
	f.Add("a\tb\vc\x00")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(appendFolded(nil, s)), fold(s); got != want {
			t.Errorf("%q folds to %q, want %q", s, got, want)
		}
	})
}
