package lstm

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// The codes of newTiny: 0 a space, 1 a, 2 b, 3 é, then parts of 語 (4 5), 誤
// (4 5 7), 文 (4 6 7) and 字 (6 6), 8 the blank, and 9 no character.
const (
	tinyCodes = 10
	tinyBlank = 8
)

// sums returns the sums of the scores of one step: best wins clearly, unless
// it has a rival.
func sums(best int, rival ...int) []int32 {
	raw := make([]int32, tinyCodes)
	raw[best] = 1000
	for _, r := range rival {
		raw[r] = 900
	}
	return raw
}

// tinyReading runs steps through the alphabet of newTiny; the score of a sum is
// a hundredth of it.
func tinyReading(t testing.TB, steps [][]int32) Reading {
	t.Helper()
	var p peaks
	p.reset(tinyBlank)
	for _, raw := range steps {
		p.add(raw, slices.Repeat([]float32{0.01}, tinyCodes), tinyBlank)
	}
	return loadTiny(t).alphabet.spellOut(p.list)
}

func TestSpelling(t *testing.T) {
	t.Parallel()
	const blank = tinyBlank
	for name, c := range map[string]struct {
		codes []int
		want  string
	}{
		"nothing":                      {nil, ""},
		"blanks":                       {[]int{blank, blank, blank}, ""},
		"a run is one character":       {[]int{1, 1, 1, 2, 2}, "ab"},
		"a blank makes it two":         {[]int{1, blank, 1, 1}, "aa"},
		"spaces":                       {[]int{1, 0, 0, 2, blank, 0, blank, 0}, "a b  "},
		"two codes":                    {[]int{4, 5}, "語"},
		"two codes with blanks":        {[]int{blank, 4, 4, blank, blank, 5, blank}, "語"},
		"a code of no character":       {[]int{1, 9, 1}, "aa"},
		"a blank within a character":   {[]int{blank, 3}, "é"},
		"the longest":                  {[]int{4, 5, 7}, "誤"},
		"three codes":                  {[]int{1, 4, 6, 7, 2}, "a文b"},
		"one after another":            {[]int{4, 5, 4, 6, 7, 4, 5}, "語文語"},
		"the same code twice":          {[]int{6, blank, 6, 3}, "字é"},
		"the same code in one run":     {[]int{6, 6, 3}, "é"},
		"codes that begin a character": {[]int{4, 6, 1}, "a"},
		"codes that end one":           {[]int{5, 7, 2}, "b"},
		"a beginning, then another":    {[]int{4, 4, 5}, "語"},
		"a lost beginning":             {[]int{4, 6, 4, 5}, "語"},
	} {
		t.Run(name, func(t *testing.T) {
			var steps [][]int32
			for _, code := range c.codes {
				steps = append(steps, sums(code))
			}
			if got := tinyReading(t, steps); got.text() != c.want || got == nil {
				t.Errorf("%v spells %q, want %q", c.codes, got.text(), c.want)
			}
		})
	}
}

func TestSpellingTellsWhereAndHowSure(t *testing.T) {
	t.Parallel()
	// e^-10 beside 1 for each of nine others; with a rival, e^-1 for that.
	const sure, unsure, rival = 0.9996, 0.7309, 0.2689
	for name, c := range map[string]struct {
		steps [][]int32
		want  Reading
	}{
		"one step": {
			[][]int32{sums(8), sums(1), sums(8)},
			Reading{{Text: "a", Confidence: sure, From: 3, To: 6, Else: " "}},
		},
		"another character was near": {
			[][]int32{sums(1, 2)},
			Reading{{Text: "a", Confidence: unsure, From: 0, To: 3, Else: "b", ElseScore: rival}},
		},
		"the surest step counts": {
			[][]int32{sums(1, 2), sums(1, 3), sums(1), sums(1, 3)},
			Reading{{Text: "a", Confidence: sure, From: 0, To: 12, Else: " "}},
		},
		"the blank is no character": {
			[][]int32{sums(1, 8), sums(8)},
			Reading{{Text: "a", Confidence: unsure, From: 0, To: 3, Else: " "}},
		},
		"nor is a code that is a part": {
			[][]int32{sums(1, 4)},
			Reading{{Text: "a", Confidence: unsure, From: 0, To: 3}},
		},
		"the least sure part counts": {
			[][]int32{sums(4), sums(8), sums(6, 2), sums(7)},
			Reading{{Text: "文", Confidence: unsure, From: 0, To: 12}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := tinyReading(t, c.steps)
			for i, char := range got {
				got[i].Confidence = rounded(char.Confidence)
				got[i].ElseScore = rounded(char.ElseScore)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scores            []int32
		blank, best, next int
	}{
		{[]int32{5}, 0, 0, -1},
		{[]int32{5}, 1, 0, -1},
		{[]int32{1, 2, 3}, 2, 2, 1},
		{[]int32{3, 2, 1}, 0, 0, 1},
		{[]int32{1, 3, 2}, 2, 1, 0},
		{[]int32{2, 3, 1}, 0, 1, 2},  // the blank is overtaken
		{[]int32{-9, 3, 4}, 1, 2, 0}, // and so again
		{[]int32{7, 7, 7}, 2, 0, 1},  // the first of equals
		{[]int32{-3, -2, -4}, 1, 1, 0},
	} {
		t.Run(fmt.Sprint(c.scores, " ", c.blank), func(t *testing.T) {
			if best, next := best(c.scores, []float32{1, 1, 1}, c.blank); best != c.best || next != c.next {
				t.Errorf("the best of %v but %d are %d and %d, want %d and %d", c.scores, c.blank, best, next, c.best, c.next)
			}
		})
	}
}

func rounded(p float64) float64 { return float64(int(p*1e4+0.5)) / 1e4 }

// Whatever the scores, characters follow each other within the strip and
// their certainties are shares of one.
func FuzzSpelling(f *testing.F) {
	f.Add([]byte("the scores of one step are nine bytes long"))
	f.Add(bytes.Repeat([]byte{0, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0, 0, 9, 0, 0, 0}, 4))
	alphabet := loadTiny(f).alphabet
	f.Fuzz(func(t *testing.T, data []byte) {
		var p peaks
		p.reset(tinyBlank)
		for raw := range slices.Chunk(data, tinyCodes) {
			step := make([]int32, tinyCodes)
			for i, b := range raw {
				step[i] = int32(int8(b)) << 20
			}
			p.add(step, slices.Repeat([]float32{1e-6}, tinyCodes), tinyBlank)
		}
		end := 0
		for _, c := range alphabet.spellOut(p.list) {
			share := c.Confidence > 0 && c.Confidence <= 1 && c.ElseScore >= 0 && c.ElseScore <= c.Confidence
			if c.Text == "" || !share || c.From < end || c.To <= c.From || c.To > pool*p.steps || (c.Else == "") != (c.ElseScore == 0) {
				t.Fatalf("%+v in a strip %d wide, after one that ended at %d", c, pool*p.steps, end)
			}
			end = c.To
		}
	})
}
