package match

import (
	"strings"
	"unicode/utf8"

	"github.com/lithammer/fuzzysearch/fuzzy"
)

// searcher collects the matches of one query.
type searcher struct {
	query text
	found []Match
	spans []span // of the row at hand, kept for its memory
}

// span is some words of a row, [from, to), and how they match. Before they
// are compared, score is the most they can have.
type span struct {
	from, to int
	tier     Tier
	score    float64
}

// mayFind reports whether a row has enough of the query's letters for any part
// of it to be worth telling.
func (s *searcher) mayFind(in *indexed) bool {
	missing, _ := s.query.bag.apart(&in.bag)
	return s.atMost(missing, s.query.length) >= floor
}

// atMost returns what a text of so many characters can score that is at least
// so many edits from the query.
func (s *searcher) atMost(edits, length int) float64 {
	if edits == 0 {
		return 1
	}
	return tierScore[Fuzzy] * (1 - float64(edits)/float64(max(length, s.query.length)))
}

// search adds the matches in one row: every place where the query stands in
// it, or else the place, if any, that is most like it.
func (s *searcher) search(index int, in *indexed) {
	s.consider(in.words)
	if s.addEqual(index, in) {
		return
	}
	var best span
	for {
		next := s.mostPromising(best.score)
		if next == nil {
			break
		}
		if at := s.compare(in.words, *next); at.score > best.score {
			best = at
		}
		next.score = 0
	}
	if best.score >= floor {
		s.add(index, in, best)
	}
}

// consider lists the spans of words that can be worth telling.
func (s *searcher) consider(words []text) {
	s.spans = s.spans[:0]
	for from := range words {
		var b bag
		length := 0
		for to := from + 1; to <= len(words); to++ {
			w := &words[to-1]
			length += w.length
			b.add(w.letters)
			if s.atMost(max(length-s.query.length, 0), length) < floor {
				break // it only gets longer
			}
			if s.atMost(max(s.query.length-length, 0), length) < floor {
				continue
			}
			missing, extra := s.query.bag.apart(&b)
			if most := s.atMost(max(missing, extra), length); most >= floor {
				s.spans = append(s.spans, span{from: from, to: to, tier: Fuzzy, score: most})
			}
		}
	}
}

// addEqual adds the spans that are equal to the query in some way, from left to
// right, and reports whether there are any.
func (s *searcher) addEqual(index int, in *indexed) (added bool) {
	end := 0 // of the last one added
	for _, at := range s.spans {
		if at.score < 1 || at.from < end {
			continue
		}
		if at = s.compare(in.words, at); at.tier < Fuzzy {
			s.add(index, in, at)
			added, end = true, at.to
		}
	}
	return added
}

// mostPromising returns the span that can score the most, if that is more than
// score.
func (s *searcher) mostPromising(score float64) (best *span) {
	for i := range s.spans {
		if at := &s.spans[i]; at.score > score {
			best, score = at, at.score
		}
	}
	return best
}

func (s *searcher) add(index int, in *indexed, at span) {
	s.found = append(s.found, Match{Index: index, Row: in.row.Part(at.from, at.to), Tier: at.tier, Score: at.score})
}

// compare tells how the words of a span answer the query.
func (s *searcher) compare(all []text, at span) span {
	words := all[at.from:at.to]
	letters := words[0].letters
	if len(words) > 1 {
		letters = join(words, "", func(t *text) string { return t.letters })
	}
	if letters == s.query.letters {
		at.tier = s.equality(join(words, " ", func(t *text) string { return t.plain }))
		at.score = tierScore[at.tier]
	} else {
		edits := fuzzy.LevenshteinDistance(s.query.letters, letters)
		at.score = s.atMost(edits, utf8.RuneCountInString(letters))
		if s.query.length <= shortQuery {
			at.score = min(at.score, shortScore)
		}
	}
	if len(words) < len(all) {
		at.score -= partCost
		if at.tier == Fuzzy && len(words) < s.query.words {
			at.score -= shortfallCost
		}
	}
	return at
}

// equality returns the closest tier in which plain equals the query. It does
// in Confusable.
func (s *searcher) equality(plain string) Tier {
	spaceless := func(t string) string { return strings.ReplaceAll(t, " ", "") }
	switch q := s.query.plain; {
	case plain == q:
		return Exact
	case strings.EqualFold(plain, q):
		return CaseFolded
	case strings.EqualFold(spaceless(plain), spaceless(q)):
		return SpaceFree
	}
	return Confusable
}

func join(words []text, sep string, part func(*text) string) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(part(&words[i]))
	}
	return b.String()
}
