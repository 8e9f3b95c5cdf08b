package delegate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Which last words announce what the agent does next.
func TestAnnounces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Let me look at the files first.":               true,
		"I'll fix it":                                   true,
		"I’ll fix it now.":                              true,
		"It is a bug in main.go. Now let me mend it...": true,
		"Using skill: brainstorming":                    true,
		"Okay, now I will run the tests.":               true,
		"These are the steps:":                          true,
		"- **Let me check the tests**":                  true,
		"":                                              false,
		"Done.":                                         false,
		"42":                                            false,
		"I fixed it. Let me know if you want tests too.":       false,
		"The tests pass. I'll be here if you need more.":       false,
		"Should I run the tests too?":                          false,
		"I will run the tests if you want.":                    false,
		"Let me say it first: it was a race. It is mended now": false,
	} {
		t.Run(text, func(t *testing.T) {
			if got := announces(text); got != want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// Which files an answer says were written.
func TestClaimed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   []string
	}{
		"in backticks":       {"I created `a/b.txt` and wrote \"c.md\".", []string{"a/b.txt", "c.md"}},
		"a list":             {"Updated:\n- changed src/main.go\n- added **test.py**.", []string{"src/main.go", "test.py"}},
		"a whole path":       {"Saved to `/home/ada/work/x.csv`.", []string{"x.csv"}},
		"outside":            {"Saved to `/etc/x.conf` and `../y.txt`.", nil},
		"read":               {"I looked at main.go.", nil},
		"not written":        {"I did not create b.txt. I could add `c.md`.", nil},
		"removed":            {"I deleted old.txt.", nil},
		"code":               {"I added a call of os.Exit and `self.name`.", nil},
		"a site":             {"I wrote what https://example.com/a.html says, of www.example.zip.", nil},
		"twice":              {"I wrote a.txt. I saved `a.txt`.", []string{"a.txt"}},
		"without a letter":   {"I updated it to 1.5.2.", nil},
		"spaces are no path": {"I wrote `some words here.txt`.", []string{"here.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := claimed("/home/ada/work", c.answer); !slices.Equal(got, c.want) {
				t.Errorf("got %q", got)
			}
		})
	}
	if got := claimed("/", "I wrote "+strings.Repeat("`a.txt` ", 3)+manyNames(MaxListed+5)); len(got) != MaxListed {
		t.Errorf("%d files", len(got))
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "`f%d.txt` ", i)
	}
	return b.String()
}

// What differs between two looks at a folder; what programs keep for themselves does not count.
func TestChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("stays.txt", "a")
	put("goes.txt", "a")
	put("sub/grows.txt", "a")
	before := snapshot(dir)
	put("sub/grows.txt", "ab")
	put("sub/comes.txt", "a")
	put(".git/index", "a")
	put("node_modules/x/index.js", "a")
	if err := os.Remove(filepath.Join(dir, "goes.txt")); err != nil {
		t.Fatal(err)
	}
	if got, want := changes(before, snapshot(dir)), []string{"removed goes.txt", "created sub/comes.txt", "changed sub/grows.txt"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// Changes are listed up to a bound.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	after := map[string]state{}
	for i := range MaxListed + 1 {
		after[fmt.Sprint(i)] = state{}
	}
	if got := changes(map[string]state{}, after); len(got) != MaxListed+1 || got[MaxListed] != "…" {
		t.Errorf("%d changes, the last %q", len(got), got[len(got)-1])
	}
}

// A new session gets to know the end of a long history.
func TestCondensedHistory(t *testing.T) {
	t.Parallel()
	one := newTurn(func(string) {})
	one.used("1", "the first step", false, false)
	for i := range maxRecent {
		one.used(fmt.Sprint("n", i), fmt.Sprint("step ", i), i%2 == 0, i%3 == 0)
	}
	one.said("m", "the beginning "+strings.Repeat("word ", maxHistory)+"the end")
	got := condensed("mend it", []*turn{one}, []string{"changed a.txt"})
	if len(got) > maxHistory+1000 || strings.Contains(got, "the first step") || strings.Contains(got, "the beginning") ||
		!strings.Contains(got, "changed a.txt") || !strings.Contains(got, "step 1 (done)") || !strings.Contains(got, "step 3 (failed)") || !strings.Contains(got, "the end\n\nThe task:\nmend it") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// A turn that says more than it keeps keeps the end, with the answer after the last tool.
func TestLongTurnKeepsItsAnswer(t *testing.T) {
	t.Parallel()
	one := newTurn(func(string) {})
	one.said("a", "the beginning "+strings.Repeat("é", MaxAnswer/2))
	one.used("1", "a step", true, false)
	one.said("b", "é the answer")
	if text, last := clean(one.text), clean(one.text[one.last:]); len(one.text) > MaxAnswer || strings.Contains(text, "the beginning") || last != "é the answer" {
		t.Errorf("%d bytes, the answer is %q", len(one.text), last)
	}
}
