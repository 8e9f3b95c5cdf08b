package evaluate

import (
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// Screens of a kind are counted together, held ones apart and behind the others.
func TestGroups(t *testing.T) {
	t.Parallel()
	screen := func(kind string, held bool, words, hit int) screened {
		s := score{words: words, hit: hit}
		return screened{Kind: kind, HeldBack: held, Words: words, score: s, figures: newFigures(s, answers{}, looked{}, times{}, nil)}
	}
	got := groups([]screened{
		screen("terminal", true, 10, 1), screen("terminal", false, 10, 9), screen("", false, 5, 5), screen("editor", false, 4, 4), screen("terminal", false, 30, 27),
	})
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []struct {
		name           string
		screens, words int
		recall         float64
	}{{"editor", 1, 4, 1}, {"terminal", 2, 40, 0.9}, {"terminal, held", 1, 10, 0.1}} {
		t.Run(want.name, func(t *testing.T) {
			if g := got[i]; g.name() != want.name || g.Screens != want.screens || g.Words != want.words || g.WordRecall != want.recall {
				t.Errorf("%s: %+v, want %+v", g.name(), g, want)
			}
		})
	}
}

// A part has the screens that its word says, and other words are refused.
func TestParts(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]struct{ held, other bool }{"": {true, true}, "only": {true, false}, "without": {false, true}} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			p, err := ParsePart(word)
			if err != nil || p.takes(truth{Held: true}) != want.held || p.takes(truth{}) != want.other {
				t.Errorf("%q: %v, %v", word, p, err)
			}
		})
	}
	if _, err := ParsePart("some"); err == nil {
		t.Error("some is a part")
	}
}

// For a word in another script, only the place counts on a screen with a language. Its text is never a mistake.
func TestScoreOfOtherScripts(t *testing.T) {
	t.Parallel()
	want := truth{DPR: 1, Lang: "ru", Words: []trueWord{
		{Text: "文件", X: 0, Y: 0, W: 40, H: 18}, {Text: "编辑", X: 50, Y: 0, W: 40, H: 18}, {Text: "PDF", X: 100, Y: 0, W: 40, H: 18},
	}}
	rows := rowOf("X1", 0, "PDF", 100)
	got := want.score(rows)
	if got.words != 3 || got.foreign != 2 || got.hit != 1 || got.placed != 2 || got.extra != 0 || got.recall() != 1 || len(got.missed) != 1 {
		t.Errorf("%+v", got)
	}
	want.Lang = ""
	if got := want.score(rows); got.foreign != 0 || got.extra != 1 || got.recall() != 1.0/3 {
		t.Errorf("without a language: %+v", got)
	}
}

// The screens of programs, and of pages like them, have labels that can be right,
// and every kind has screens that are held back, and such that are not.
func TestCommittedKinds(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"native", "web"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			list, err := readLabels(filepath.Join(testkit.RepoRoot(t), "perception", "testdata", folder))
			if err != nil {
				t.Fatal(err)
			}
			of := map[string]map[bool]int{}
			for _, l := range list {
				checkLabels(t, l)
				if l.truth.Kind == "" || l.truth.Lang == "" || len(l.truth.Words) == 0 {
					t.Errorf("%s has no kind, no language or no words", l.name)
				}
				if of[l.truth.Kind] == nil {
					of[l.truth.Kind] = map[bool]int{}
				}
				of[l.truth.Kind][l.truth.Held]++
			}
			for kind, n := range of {
				if n[true] == 0 || n[false] == 0 {
					t.Errorf("%s: %d held, %d not", kind, n[true], n[false])
				}
			}
		})
	}
}
