package match

import (
	"image"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lithammer/fuzzysearch/fuzzy"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/sdkapi"
)

// searcher collects the matches of one query.
type searcher struct {
	query  text
	screen *Index          // the searched rows
	region image.Rectangle // the area to search; empty for the whole screen
	common *common         // the query and the text that it is compared with

	shortest, longest int // minimum and maximum length of a listed text, in characters

	found []Match

	// Buffers for the current row.
	spans    []span
	glyphs   []glyph
	links    []int
	compared comparison
}

// span is the words [from, to) of a row and their match. Before the comparison, score is an upper
// bound.
type span struct {
	from, to int
	tier     Tier
	score    float64
}

// betterThan orders spans: by score, then from left to right, the shorter first.
func (a span) betterThan(b span) bool {
	switch {
	case a.score != b.score:
		return a.score > b.score
	case a.from != b.from:
		return a.from < b.from
	}
	return a.to < b.to
}

// newSearcher prepares a search for a query in the region of in. It also computes the lengths
// beyond which no text can reach floor.
func newSearcher(query text, in sdkapi.Narrowing) *searcher {
	s := &searcher{query: query, region: in.Region.Rect(), shortest: query.length, longest: query.length}
	s.common = newCommon(appendClasses(nil, query.letters))
	for s.likeness(query.length-s.shortest+1, s.shortest-1) >= floor {
		s.shortest--
	}
	for s.likeness(s.longest+1-query.length, s.longest+1) >= floor {
		s.longest++
	}
	return s
}

// mayFind reports whether a row has enough of the query's letters to be worth a search.
func (s *searcher) mayFind(in *indexed) bool {
	return len(in.classes) >= s.shortest && s.likeness(s.query.bag.missing(&in.bag), s.query.length) >= floor
}

// likeness returns the score of a text of length characters at a distance of edits from the query,
// without deductions.
func (s *searcher) likeness(edits, length int) float64 {
	return tierScore[Fuzzy] * (1 - float64(edits)/float64(max(length, s.query.length)))
}

// search adds each occurrence of the query in a row. If there is none, it adds the most similar
// words, if they reach floor.
func (s *searcher) search(index int, in *indexed) {
	if s.addEqual(index, in) {
		return
	}
	s.consider(in)
	var best span
	for {
		next := s.mostPromising(best)
		if next == nil {
			break
		}
		next.score = s.fuzzyScore(in, *next, edits(s.query.letters, in.lettersOf(next.from, next.to)))
		if next.betterThan(best) {
			best = *next
		}
		next.score = 0
	}
	if best.score >= floor {
		best.score = s.settled(in, best)
		s.add(index, in, best)
	}
}

// isAnswered reports whether a row, or words of one, equal the query and reach the default
// threshold.
func (s *searcher) isAnswered() bool {
	return slices.ContainsFunc(s.found, func(m Match) bool { return m.Tier < Fuzzy && m.Score >= sdkapi.DefaultThreshold })
}

// searchAcross adds the occurrences of the query across rows of one line, including slips. It adds
// no other similar texts, because they would be no better than a part of a row.
func (s *searcher) searchAcross(lines []indexedLine) {
	listed := len(s.found)
	for i := range lines {
		l, from := &lines[i], len(s.found)
		if s.mayFind(&l.indexed) {
			s.search(0, &l.indexed)
		}
		for k := range s.found[from:] {
			m := &s.found[from+k]
			m.Score -= acrossCost
			m.Index = l.line.Index(slices.IndexFunc(l.line.Words, func(w perception.Word) bool { return w.Box == m.Row.Words[0].Box }))
		}
	}
	across := slices.DeleteFunc(s.found[listed:], func(m Match) bool { return m.Score < sdkapi.DefaultThreshold })
	s.found = s.found[:listed+len(across)]
}

// settled returns the final score of the most similar span. Slips score above the default
// threshold: any score above shortScore is raised. In a one-word query of at most shortQuery
// characters the marks may differ.
func (s *searcher) settled(in *indexed, at span) float64 {
	short := s.query.length <= shortQuery
	if at.score <= shortScore && !short {
		return at.score
	}
	isSlip := s.compared.isSlip(s.query.glyphs, s.glyphsOf(in, at))
	switch {
	case short && isSlip && s.compared.isOfMarks() && s.query.words == 1 && at.to == at.from+1:
		return at.score + shortMarks
	case short:
		return at.score
	case !isSlip:
		return nearMiss(at.score)
	}
	return min((at.score+1)/2, tierScore[Fuzzy])
}

// nearMiss returns the score of a similar text with another meaning. It is below the default
// threshold.
func nearMiss(score float64) float64 { return (score + min(score, shortScore)) / 2 }

// glyphsOf returns the glyphs of a span. The next call overwrites the slice.
func (s *searcher) glyphsOf(in *indexed, at span) []glyph {
	s.glyphs = s.glyphs[:0]
	for i := at.from; i < at.to; i++ {
		from := len(s.glyphs)
		s.glyphs = appendGlyphs(s.glyphs, in.plainOf(i, i+1))
		for k := range s.glyphs[from:] {
			s.glyphs[from+k].unsure = in.row.Words[i].Confidence < sure
		}
		if i > at.from && slices.Contains(in.begins, i) && from < len(s.glyphs) {
			s.glyphs[from].apart = true
		}
	}
	return s.glyphs
}

// addEqual adds the spans that equal the query, and reports whether there are any.
func (s *searcher) addEqual(index int, in *indexed) (added bool) {
	for from := 0; from < in.words(); from++ {
		for to := from + 1; to <= in.words() && in.length(from, to) <= s.query.length; to++ {
			if in.lettersOf(from, to) != s.query.letters || !in.crosses(from, to) || !s.inRegion(in, from, to) {
				continue
			}
			at := span{from: from, to: to}
			if at.tier = s.equality(in, at); at.tier == Fuzzy {
				continue
			}
			at.score = tierScore[at.tier]
			if to-from < in.words() {
				at.score -= partCost
			}
			s.add(index, in, at)
			added, from = true, to-1
			break
		}
	}
	return added
}

// consider sets s.spans to the spans of a row whose score may reach floor. The caller uses it for a
// row in which no span equals the query.
func (s *searcher) consider(in *indexed) {
	s.spans = s.spans[:0]
	for from := range in.words() {
		s.common.reset()
		for to := from + 1; to <= in.words(); to++ {
			length := in.length(from, to)
			if length > s.longest {
				break // further words only make it longer
			}
			s.common.add(in.classes[in.marks[to-1].classes:in.marks[to].classes])
			if length < s.shortest || !in.crosses(from, to) {
				continue
			}
			at := span{from: from, to: to, tier: Fuzzy}
			least := max(length, s.query.length) - s.common.count()
			if at.score = s.fuzzyScore(in, at, least); at.score >= floor && s.inRegion(in, from, to) {
				s.spans = append(s.spans, at)
			}
		}
	}
}

// mostPromising returns the best span if it is better than the given one, or nil.
func (s *searcher) mostPromising(than span) (best *span) {
	for i := range s.spans {
		if at := &s.spans[i]; at.betterThan(than) {
			best, than = at, *at
		}
	}
	return best
}

// edits returns the Levenshtein distance of two texts.
func edits(a, b string) int {
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		if o, _ := utf8.DecodeRuneInString(b); o != r {
			break
		}
		a, b = a[n:], b[n:]
	}
	for a != "" && b != "" {
		r, n := utf8.DecodeLastRuneInString(a)
		if o, _ := utf8.DecodeLastRuneInString(b); o != r {
			break
		}
		a, b = a[:len(a)-n], b[:len(b)-n]
	}
	return fuzzy.LevenshteinDistance(a, b)
}

// fuzzyScore returns the score of an unequal span at a distance of edits from the query.
func (s *searcher) fuzzyScore(in *indexed, at span, edits int) float64 {
	score := s.likeness(edits, in.length(at.from, at.to))
	if s.query.length <= shortQuery {
		score = min(score, shortScore)
	}
	words := at.to - at.from
	if words < in.words() {
		score -= partCost
		if words < s.query.words {
			score -= shortfallCost
		}
	}
	return score
}

// equality returns the closest tier in which a span equals the query, which has the same letters.
// It returns Fuzzy if their glyphs are not confusable, or if the white space in numbers differs.
func (s *searcher) equality(in *indexed, at span) Tier {
	spaceless := func(t string) string { return strings.ReplaceAll(t, " ", "") }
	plain := in.plainOf(at.from, at.to)
	switch q := s.query.plain; {
	case plain == q:
		return Exact
	case strings.EqualFold(plain, q):
		return CaseFolded
	case !s.confuses(s.glyphsOf(in, at)):
		return Fuzzy
	case strings.EqualFold(spaceless(plain), spaceless(q)):
		return SpaceFree
	}
	return Confusable
}

// confuses reports whether readers confuse the query with glyphs that fold to the same letters.
func (s *searcher) confuses(read []glyph) bool {
	s.links = s.links[:0]
	for i, g := range read {
		if i >= len(s.query.glyphs) || !g.same(s.query.glyphs[i]) {
			return false
		}
		s.links = append(s.links, i)
	}
	return len(read) == len(s.query.glyphs) && sameSpacing(s.query.glyphs, read, s.links)
}

// inRegion reports whether the middle of the words [from, to) is in the region.
func (s *searcher) inRegion(in *indexed, from, to int) bool {
	return s.region.Empty() || geo.Center(boxOf(in.row, from, to)).In(s.region)
}

// boxOf returns the box of the words [from, to) of row, the same box as in row.Part.
func boxOf(row perception.Row, from, to int) image.Rectangle {
	if from == 0 && to == len(row.Words) {
		return row.Box
	}
	var box image.Rectangle
	for _, w := range row.Words[from:to] {
		box = box.Union(w.Box)
	}
	return box
}

// add adds a span to s.found. If words before the span negate it, it becomes a near miss.
func (s *searcher) add(index int, in *indexed, at span) {
	if at.score > shortScore && s.isNegated(in, at.from) {
		// subtract partCost, because the negated span is part of a longer statement even if its row
		// is not longer
		at.score = nearMiss(min(at.score, 1-partCost))
	}
	s.found = append(s.found, Match{Index: index, Row: in.row.Part(at.from, at.to), Tier: at.tier, Score: at.score})
}
