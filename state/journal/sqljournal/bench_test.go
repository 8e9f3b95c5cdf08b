package sqljournal_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// something is an event of the usual size.
var something = journal.Event{Kind: "turn.delta", Data: json.RawMessage(`{"session":"42","text":"the orange search button is in the upper right corner"}`)}

// BenchmarkAppend compares 64 who append at once with one who does so alone, on
// the disk that has the temporary files, and reports how many times as fast the
// 64 are.
func BenchmarkAppend(b *testing.B) {
	for _, streams := range []int{64, 1} {
		b.Run(fmt.Sprint("SQLite/streams=", streams), func(b *testing.B) {
			j := open(b, database.Config{File: filepath.Join(b.TempDir(), "windie.db")})
			alone := appendRate(b, j, 1, 1, b.N)
			many := appendRate(b, j, 64, streams, 64*b.N)
			b.ReportMetric(alone, "alone/s")
			b.ReportMetric(many, "of-64/s")
			b.ReportMetric(many/alone, "times")
		})
	}
}

// appendRate returns how many events a second so many writers append to so many
// streams.
func appendRate(b *testing.B, j journal.Log, writers, streams, total int) float64 {
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(total))
	began := time.Now()
	for w := range writers {
		wg.Go(func() {
			stream := fmt.Sprint("session/", w%streams)
			for left.Add(-1) >= 0 {
				if _, err := j.Append(b.Context(), stream, something); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return float64(total) / time.Since(began).Seconds()
}

// BenchmarkReadFromTheMiddle reads 1,000 events of a stream of a million.
func BenchmarkReadFromTheMiddle(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) {
		benchmarkRead(b, open(b, database.Config{File: filepath.Join(b.TempDir(), "windie.db")}))
	})
	b.Run("Postgres", func(b *testing.B) { benchmarkRead(b, open(b, database.Config{URL: pgtest.Start(b)})) })
}

func benchmarkRead(b *testing.B, j journal.Log) {
	const all = 1_000_000
	fill(b, j, "session/long", all)
	for b.Loop() {
		events, err := j.Read(b.Context(), "session/long", all/2, journal.MaxEvents)
		if err != nil || len(events) != journal.MaxEvents || events[0].Seq != all/2+1 {
			b.Fatalf("%d events, %v", len(events), err)
		}
	}
}

// fill appends many events, many at once.
func fill(b *testing.B, j journal.Log, stream string, all int) {
	b.Helper()
	events := slices.Repeat([]journal.Event{something}, journal.MaxEvents)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range all / len(events) / 8 {
				if _, err := j.Append(b.Context(), stream, events...); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
