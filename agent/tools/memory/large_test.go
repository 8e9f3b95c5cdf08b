package memory_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/state/database"
)

// The size of a memory of thirty years.
const (
	manyNotes = 10_000
	noteBytes = 2000
	planted   = 100
)

// vocabulary is as lopsided as a language's: few words are most of a text.
func vocabulary(random *rand.Rand) func() string {
	syllables := strings.Fields("ba be bi bo da de di do fa fe ka ke ko la le li lo ma me mi mo na ne no pa pe ra re ri ro sa se si so ta te ti to va ve vi za zo")
	list := make([]string, 8000)
	for i := range list {
		for range 2 + random.IntN(3) {
			list[i] += syllables[random.IntN(len(syllables))]
		}
	}
	often := rand.NewZipf(random, 1.1, 8, uint64(len(list)-1))
	return func() string { return list[often.Uint64()] }
}

// fill writes so many daily notes, and returns phrases of five words each that
// it has planted in some of them, with where.
func fill(t testing.TB, dir string, many int) map[string]string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	word := vocabulary(random)
	phrase := func() string {
		return strings.Join([]string{word(), word(), word(), word(), word()}, " ")
	}
	where := map[string]string{}
	day := time.Now().UTC()
	if err := os.MkdirAll(filepath.Join(dir, "ada", "memory", "archive"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range many {
		var b strings.Builder
		name := "memory/archive/" + day.AddDate(0, 0, -i).Format(time.DateOnly) + ".md"
		fmt.Fprintf(&b, "# Day %d\n", i)
		for b.Len() < noteBytes/2 {
			b.WriteString(phrase() + ".\n")
		}
		if i%(many/planted) == 7 {
			p := phrase()
			where[p] = name
			b.WriteString("Then " + p + " again.\n")
		}
		for b.Len() < noteBytes {
			b.WriteString(phrase() + ".\n")
		}
		if err := os.WriteFile(filepath.Join(dir, "ada", filepath.FromSlash(name)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return where
}

// TestManyNotes finds phrases of everyday words among many notes, first.
func TestManyNotes(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		n := remember(t, db, memory.Options{KeepDays: -1})
		where := fill(t, n.dir, 600)
		for what, as := range map[string]func(string) string{
			"plain":  func(p string) string { return p },
			"quoted": func(p string) string { return `"` + p + `"` },
			"some":   func(p string) string { return "nowhere " + p },
			"four":   func(p string) string { return p[:strings.LastIndex(p, " ")] },
		} {
			t.Run(what, func(t *testing.T) {
				first := 0
				for p, name := range where {
					if found := n.search("ada", as(p)); len(found) > 0 && found[0].Path == name {
						first++
					}
				}
				if first < len(where)*95/100 {
					t.Errorf("%s: %d of %d phrases are first", what, first, len(where))
				}
			})
		}
	})
}

// TestOldPhrase finds a phrase first, though its words are in so many newer
// notes that not all of these are looked at.
func TestOldPhrase(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		n := remember(t, db, memory.Options{})
		n.put("ada/memory/0000.md", "There was a red fox.")
		for i := range 300 {
			n.put(fmt.Sprintf("ada/memory/%04d.md", i+1), "The fox that we saw is red.")
		}
		for _, query := range []string{"red fox", `"red fox"`, "red foxes", "was red fox"} {
			if found := n.search("ada", query); len(found) == 0 || found[0].Path != "memory/0000.md" {
				t.Errorf("%s: %s", query, n.paths("ada", query))
			}
		}
	})
}

// kinds are the queries that a search is measured by, made of a phrase that is there.
var kinds = []struct {
	name string
	of   func(phrase string) string
}{
	{"Plain", func(p string) string { return p }},
	{"Some", func(p string) string { return "nowhere " + p }},
	{"Word", func(p string) string { return p[:strings.Index(p, " ")] }},
	{"Everywhere", func(string) string { return "day" }}, // is in each note
	{"Letter", func(p string) string { return p[:1] + "*" }},
	{"None", func(string) string { return "xyzzy qwfp zxcv" }},
}

// longQuery is of up to two hundred words, of several phrases.
func longQuery(phrases []string, i int) string {
	text := strings.Join(slices.Concat(phrases[i:], phrases[:i]), " ")
	return text[:strings.LastIndex(text[:memory.MaxQuery], " ")]
}

// BenchmarkSearch searches ten thousand notes, 20 MB.
func BenchmarkSearch(b *testing.B) {
	for name, db := range map[string]func(testing.TB) *database.DB{"SQLite": sqlite, "Postgres": postgres} {
		b.Run(name, func(b *testing.B) {
			n := remember(b, db(b), memory.Options{KeepDays: -1})
			phrases := slices.Sorted(maps.Keys(fill(b, n.dir, manyNotes)))
			n.search("ada", "day") // makes the index
			search := func(name string, of func(i int) string) {
				b.Run(name, func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						n.search("ada", of(i%len(phrases)))
					}
				})
			}
			for _, kind := range kinds {
				search(kind.name, func(i int) string { return kind.of(phrases[i]) })
			}
			search("Long", func(i int) string { return longQuery(phrases, i) })
		})
	}
}
