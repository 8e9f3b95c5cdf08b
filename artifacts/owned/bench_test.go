package owned_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/storetest"
)

// BenchmarkView measures the additional time of a view over its store, for a screenshot and for
// almost no content.
func BenchmarkView(b *testing.B) {
	for _, c := range []struct {
		name string
		open func(*testing.B) artifacts.Store
	}{
		{"Alone", func(b *testing.B) artifacts.Store { return files(b, b.TempDir()) }},
		{"Owned", func(b *testing.B) artifacts.Store {
			return owned.Open(files(b, b.TempDir()), openDatabase(b), owned.Options{}).For("ada")
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			storetest.Benchmark(b, c.open)
			b.Run("SmallPut", func(b *testing.B) { benchmarkSmallPut(b, c.open(b)) })
			b.Run("SmallGet", func(b *testing.B) {
				s := c.open(b)
				mustPut(b, s, "small.txt")
				benchmarkSmallGet(b, s)
			})
		})
	}
}

// BenchmarkLookup measures a Get that queries the database, like the first Get of an artifact that
// another gateway has stored.
func BenchmarkLookup(b *testing.B) {
	inner, db := files(b, b.TempDir()), openDatabase(b)
	mustPut(b, inner, "older.txt") // which is asked for every time while it is new
	s := owned.Open(inner, db, owned.Options{})
	for b.Loop() {
		mustGet(b, s, "older.txt")
	}
}

func benchmarkSmallPut(b *testing.B, s artifacts.Store) {
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, err := s.Put(b.Context(), fmt.Sprintf("small%d.txt", n), "text/plain", strings.NewReader("content")); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkSmallGet(b *testing.B, s artifacts.Store) {
	b.ReportAllocs()
	for b.Loop() {
		r, _, err := s.Get(b.Context(), "small.txt", 0, -1)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
		_ = r.Close()
	}
}
