package speech_test

import (
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/speech"
)

// BenchmarkTalks has 100 clients hear five sentences each, at the pace at which they are heard. It reports how long
// the slowest first chunk takes after the end of its sentence is known, and how late the latest chunk is.
func BenchmarkTalks(b *testing.B) {
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		testkit.Skip(b, "espeak-ng", "make deps")
	}
	for name, talks := range map[string]int{"1": 1, "100": 100} {
		b.Run("talks="+name, func(b *testing.B) {
			voice := speech.NewESpeak(speech.ESpeakOptions{})
			var first, late atomic.Int64
			for b.Loop() {
				var all sync.WaitGroup
				for range talks {
					all.Go(func() { listen(b, voice, &first, &late) })
				}
				all.Wait()
			}
			b.ReportMetric(float64(first.Load())/1e6, "first-ms")
			b.ReportMetric(float64(late.Load())/1e6, "late-ms")
		})
	}
}

// listen hears one talk, and notes when its sound came too late.
func listen(b *testing.B, voice speech.Voice, first, late *atomic.Int64) {
	var began, heard time.Time
	raise := func(to *atomic.Int64, d time.Duration) {
		for old := to.Load(); int64(d) > old && !to.CompareAndSwap(old, int64(d)); old = to.Load() {
		}
	}
	talk := speech.Talk(b.Context(), voice, func(chunk []byte) bool {
		now := time.Now()
		if heard.IsZero() {
			raise(first, now.Sub(began))
			heard = now
		}
		raise(late, now.Sub(heard))
		heard = heard.Add(time.Duration(len(chunk)/2) * time.Second / speech.Rate)
		return true
	})
	began = time.Now()
	for range 5 {
		talk.Add("The letter is sorted, and everything else is where it was. T")
		time.Sleep(300 * time.Millisecond)
	}
	talk.End()
	if err := talk.Wait(); err != nil {
		b.Error(err)
	}
}
