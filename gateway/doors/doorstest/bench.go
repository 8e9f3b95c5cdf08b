package doorstest

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Stopwatch sums the durations of two implementations of the same task: the bare implementation without a gateway,
// and the implementation through the gateway.
type Stopwatch struct {
	Bare, Through       time.Duration
	bareCPU, throughCPU time.Duration // CPU time of this process, on all cores together
	rounds              [2][]float64  // CPU seconds of each round: bare, through
}

// Race runs each implementation once, one after the other. Benchmarks call it repeatedly, so that a change in the
// machine's speed affects both implementations.
func (s *Stopwatch) Race(b *testing.B, bare, through func() error) {
	start, used := time.Now(), ownTime()
	if err := bare(); err != nil {
		b.Fatal(err)
	}
	middle, usedThen := time.Now(), ownTime()
	if err := through(); err != nil {
		b.Fatal(err)
	}
	s.Bare += middle.Sub(start)
	s.Through += time.Since(middle)
	ofBare, ofThrough := usedThen-used, ownTime()-usedThen
	s.bareCPU += ofBare
	s.throughCPU += ofThrough
	s.rounds[0], s.rounds[1] = append(s.rounds[0], ofBare.Seconds()), append(s.rounds[1], ofThrough.Seconds())
}

// OfBareRounds returns two ratios of CPU times: the ratio for the fastest rounds, and the ratio for the median
// rounds. OfBareCPU explains the ratio. OfBareRounds also sorts the rounds.
func (s *Stopwatch) OfBareRounds() (least, middle float64) {
	for i := range s.rounds {
		slices.Sort(s.rounds[i])
	}
	ratio := func(at int) float64 { return s.rounds[0][at] / max(s.rounds[1][at], 1e-9) }
	return ratio(0), ratio(len(s.rounds[0]) / 2)
}

// OfBare returns the duration of the bare implementation divided by the duration of the one through the gateway. It
// is 0.5 if the gateway takes twice as long.
func (s *Stopwatch) OfBare() float64 { return s.Bare.Seconds() / s.Through.Seconds() }

// OfBareCPU returns the same ratio as OfBare, but of CPU times. This ratio is fairer if other programs use the cores,
// or if both implementations run in parallel. It is 0 on systems that do not report CPU time.
func (s *Stopwatch) OfBareCPU() float64 {
	if s.throughCPU == 0 {
		return 0
	}
	return s.bareCPU.Seconds() / s.throughCPU.Seconds()
}

// FullEngine is a text reader that finds 120 rows on each screen, as many as a busy screen has.
type FullEngine struct{}

func (FullEngine) Name() string { return "full" }

func (FullEngine) Ready(context.Context) error { return nil }

// Read returns the same rows for each screen and does not look at the pixels.
func (FullEngine) Read(context.Context, perception.Screen, sdkapi.Reading) ([]perception.Row, error) {
	rows := make([]perception.Row, 120)
	for i := range rows {
		box := image.Rect(10, 20*i, 200, 20*i+16)
		rows[i] = perception.Row{Text: fmt.Sprintf("Row number %d", i), Confidence: 0.96, Box: box}
		for _, text := range strings.Fields(rows[i].Text) {
			rows[i].Words = append(rows[i].Words, perception.Word{Text: text, Confidence: 0.96, Box: box})
		}
	}
	return rows, nil
}
