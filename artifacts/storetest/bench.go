package storetest

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/windieos/windie/artifacts"
)

// benchSize is that of a large screenshot, in bytes.
const benchSize = 5_000_000

// Benchmark measures the stores that open returns, in MB/s of content. It
// calls open once for each of its sub-benchmarks; open arranges its own cleanup.
func Benchmark(b *testing.B, open func(*testing.B) artifacts.Store) {
	b.Run("Put", func(b *testing.B) { benchmarkPut(b, open(b)) })
	b.Run("Get", func(b *testing.B) { benchmarkGet(b, open(b)) })
}

// benchmarkPut deletes what it stored, so that its length is not limited by
// the room there is.
func benchmarkPut(b *testing.B, s artifacts.Store) {
	data := content(benchSize)
	b.SetBytes(benchSize)
	for n := 0; b.Loop(); n++ {
		id := fmt.Sprintf("bench%d.png", n)
		if _, err := s.Put(b.Context(), id, "image/png", bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Delete(b.Context(), id); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func benchmarkGet(b *testing.B, s artifacts.Store) {
	mustPut(b, s, "bench.png", "image/png", content(benchSize))
	b.SetBytes(benchSize)
	for b.Loop() {
		r, _, err := s.Get(b.Context(), "bench.png", 0, -1)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, r); n != benchSize || err != nil {
			b.Fatalf("read %d bytes, then %v", n, err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
