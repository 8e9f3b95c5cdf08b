//go:build system

package sqljournal_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// BenchmarkTold measures the time from Append's start until a follower has the
// event: one on the same gateway, and one on another, in another process.
func BenchmarkTold(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) {
		j := open(b, database.Config{File: filepath.Join(b.TempDir(), "windie.db")})
		benchmarkTold(b, j, "told", followHere(b, j, "told"))
	})
	b.Run("PostgresOtherProcess", func(b *testing.B) {
		config := database.Config{URL: pgtest.Start(b)}
		benchmarkTold(b, open(b, config), "told", followElsewhere(b, config, "told"))
	})
}

// benchmarkTold appends one event after the other and reports the median of the
// times until a follower sends the time of its arrival.
func benchmarkTold(b *testing.B, j journal.Log, stream string, told <-chan time.Time) {
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := j.Append(b.Context(), stream, something); err != nil {
			b.Fatal(err)
		}
		select {
		case at := <-told:
			took = append(took, at.Sub(began))
		case <-time.After(time.Minute):
			b.Fatal("the follower was not told")
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// followHere sends the time of each event.
func followHere(b *testing.B, j journal.Log, stream string) <-chan time.Time {
	told := make(chan time.Time, 1)
	go func() {
		for _, err := range j.Follow(b.Context(), stream, 0) {
			if err != nil {
				return
			}
			told <- time.Now()
		}
	}()
	return told
}

// followElsewhere does so in another process.
func followElsewhere(b *testing.B, config database.Config, stream string) <-chan time.Time {
	told := make(chan time.Time, 1)
	lines := startChild(b, "follow", config.URL, stream).lines
	if <-lines != "following" {
		b.Fatal("the other process does not follow")
	}
	go func() {
		for line := range lines {
			var at int64
			if _, err := fmt.Sscan(line, &at); err != nil {
				return
			}
			told <- time.Unix(0, at)
		}
	}()
	return told
}
