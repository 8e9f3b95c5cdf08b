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

// Stopwatch adds up what the two ways of doing the same thing take.
type Stopwatch struct {
	Bare, Through       time.Duration
	bareCPU, throughCPU time.Duration // of this process, on all cores together
	rounds              [2][]float64  // the latter, of each round
}

// Race runs both ways, one after the other, so that a machine whose speed
// drifts is fair to both.
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

// OfBareRounds is ofBareCPU by the rounds that computed least, and by the middle ones.
func (s *Stopwatch) OfBareRounds() (least, middle float64) {
	for i := range s.rounds {
		slices.Sort(s.rounds[i])
	}
	ratio := func(at int) float64 { return s.rounds[0][at] / max(s.rounds[1][at], 1e-9) }
	return ratio(0), ratio(len(s.rounds[0]) / 2)
}

func (s *Stopwatch) OfBare() float64 { return s.Bare.Seconds() / s.Through.Seconds() }

// OfBareCPU is ofBare by the time that this process computed: of use where other programs keep the cores busy, and where both
// ways do. It is 0 on systems that do not say.
func (s *Stopwatch) OfBareCPU() float64 {
	if s.throughCPU == 0 {
		return 0
	}
	return s.bareCPU.Seconds() / s.throughCPU.Seconds()
}

// FullEngine finds as many rows as a busy screen has.
type FullEngine struct{}

func (FullEngine) Name() string { return "full" }

func (FullEngine) Ready(context.Context) error { return nil }

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
