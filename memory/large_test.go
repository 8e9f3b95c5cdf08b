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

	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/memory"
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
			first := 0
			for p, name := range where {
				if found := n.search("ada", as(p)); len(found) > 0 && found[0].Path == name {
					first++
				}
			}
			if first < len(where)*95/100 {
				t.Errorf("%s: %d of %d phrases are first", what, first, len(where))
			}
		}
	})
}

// BenchmarkSearch searches ten thousand notes, 20 MB.
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
	for what, as := range map[string]func(string) string{
		"Plain":  func(p string) string { return p },
		"Quoted": func(p string) string { return `"` + p + `"` },
		"Some":   func(p string) string { return "nowhere " + p },
		"Word":   func(p string) string { return p[:strings.Index(p, " ")] },
	} {
		b.Run(what, func(b *testing.B) {
			var times []time.Duration
			first := 0
			for i := 0; b.Loop(); i++ {
				p := phrases[i%len(phrases)]
				began := time.Now()
				found := n.search("ada", as(p))
				times = append(times, time.Since(began))
				if len(found) > 0 && found[0].Path == where[p] {
					first++
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(100*float64(first)/float64(len(times)), "%first")
			b.ReportMetric(indexed.Seconds(), "s-to-index")
		})
	}
}
