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

// kinds are the queries that a search is measured by, made of a phrase that is
// there and a word of another one.
var kinds = []struct {
	name string
	of   func(phrase, other string) string
}{
	{"Plain", func(p, _ string) string { return p }},
	{"Quoted", func(p, _ string) string { return `"` + p + `"` }},
	{"Some", func(p, _ string) string { return "nowhere " + p }},
	{"Word", func(p, _ string) string { return p[:strings.Index(p, " ")] }},
	{"Apart", func(p, other string) string { return other + p[strings.Index(p, " "):strings.LastIndex(p, " ")] }},
	{"Everywhere", func(string, string) string { return "day" }}, // is in each note
	{"EverywhereAnd", func(p, _ string) string { return "day " + p }},
	{"Letter", func(p, _ string) string { return p[:1] + "*" }},
	{"Letters", func(p, other string) string { return p[:2] + "* day " + other[:1] + "*" }},
	{"None", func(string, string) string { return "xyzzy qwfp zxcv" }},
}

// longQuery is of up to two hundred words, of several phrases.
func longQuery(phrases []string, i int) string {
	text := strings.Join(slices.Concat(phrases[i:], phrases[:i]), " ")
	return text[:strings.LastIndex(text[:memory.MaxQuery], " ")]
}

// BenchmarkSearch searches ten thousand notes, 20 MB. It reports the times of
// half and of 95 % of the searches, and which share had the note first that the
// phrase is in. At rest is the quickest of three of each query, which says more
// on a machine that does other things too; Cold has looked at the files for
// each.
func BenchmarkSearch(b *testing.B) {
	for name, db := range map[string]func(testing.TB) *database.DB{"SQLite": sqlite, "Postgres": postgres} {
		b.Run(name, func(b *testing.B) { benchmarkSearch(b, db(b)) })
	}
}

func benchmarkSearch(b *testing.B, db *database.DB) {
	n := remember(b, db, memory.Options{KeepDays: -1})
	where := fill(b, n.dir, manyNotes)
	began := time.Now()
	n.search("ada", "day")
	indexed := time.Since(began)
	phrases := slices.Sorted(maps.Keys(where))
	measure := func(name string, stale time.Duration, of func(i int) string) {
		b.Run(name, func(b *testing.B) {
			var m measured
			for i := 0; b.Loop(); i++ {
				at := i % len(phrases)
				m.add(n, of(at), where[phrases[at]], stale)
			}
			m.report(b)
			b.ReportMetric(indexed.Seconds(), "s-to-index")
		})
	}
	for _, kind := range kinds {
		measure(kind.name, 0, func(i int) string {
			other, _, _ := strings.Cut(phrases[(i+1)%len(phrases)], " ")
			return kind.of(phrases[i], other)
		})
	}
	measure("Long", 0, func(i int) string { return longQuery(phrases, i) })
	measure("Cold", 600*time.Millisecond, func(i int) string { return phrases[i] })
}

// measured are the times of searches, and how many found a phrase first.
type measured struct {
	times, rest []time.Duration
	first       int
}

// add searches three times, each that long after the one before.
func (m *measured) add(n notes, query, want string, stale time.Duration) {
	var best time.Duration
	for i := range 3 {
		time.Sleep(stale)
		began := time.Now()
		found := n.search("ada", query)
		took := time.Since(began)
		m.times = append(m.times, took)
		if i == 0 || took < best {
			best = took
		}
		if i == 0 && len(found) > 0 && found[0].Path == want {
			m.first++
		}
	}
	m.rest = append(m.rest, best)
}

func (m *measured) report(b *testing.B) {
	for unit, times := range map[string][]time.Duration{"": m.times, "-at-rest": m.rest} {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms"+unit)
		b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms"+unit)
	}
	b.ReportMetric(100*float64(m.first)/float64(len(m.rest)), "%first")
}
