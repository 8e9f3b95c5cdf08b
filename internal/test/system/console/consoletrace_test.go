//go:build system

package console_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/tracing"
)

// drawnFrames are the frames that Chromium's own trace says were displayed: when each was, in microseconds.
type drawnFrames struct {
	drawn []float64
}

// perSecond returns the frames drawn in a second, from the first to the last.
func (f drawnFrames) perSecond() float64 {
	if len(f.drawn) < 2 {
		return 0
	}
	return float64(len(f.drawn)-1) * 1e6 / (f.drawn[len(f.drawn)-1] - f.drawn[0])
}

// longest returns the longest time between two frames, in milliseconds, of which share are no longer.
func (f drawnFrames) longest(share float64) float64 {
	var gaps []float64
	for i := 1; i < len(f.drawn); i++ {
		gaps = append(gaps, (f.drawn[i]-f.drawn[i-1])/1000)
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[min(len(gaps)-1, int(share*float64(len(gaps))))]
}

func (f drawnFrames) String() string {
	return fmt.Sprintf("%d frames drawn, %.1f a second; between two frames %.1f ms at the median, %.1f ms of 95 %%, %.1f ms at most",
		len(f.drawn), f.perSecond(), f.longest(0.5), f.longest(0.95), f.longest(1))
}

// traced returns the frames that Chromium's trace has of what work does.
func (b *tab) traced(work func()) (f drawnFrames) {
	b.t.Helper()
	b.mu.Lock()
	b.trace, b.traceEnded = nil, make(chan struct{})
	b.mu.Unlock()
	call(b, tracing.Start, tracing.StartParams{TransferMode: tracing.StartTransferModeReportEvents, TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"benchmark", "viz"}}})
	work()
	call(b, tracing.End, cdp.Empty{})
	<-b.traceEnded
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, event := range b.trace {
		if event.Name == "Display::FrameDisplayed" {
			f.drawn = append(f.drawn, event.At)
		}
	}
	slices.SortFunc(f.drawn, cmp.Compare)
	return f
}

// traceEvent is one of the events of a trace.
type traceEvent struct {
	Name string  `json:"name"`
	At   float64 `json:"ts"` // microseconds
}

// noteTrace collects the events of a trace.
func (b *tab) noteTrace(event any) {
	switch e := event.(type) {
	case *tracing.EventDataCollected:
		for _, raw := range e.Value {
			var one traceEvent
			if json.Unmarshal(raw, &one) == nil {
				b.trace = append(b.trace, one)
			}
		}
	case *tracing.EventTracingComplete:
		close(b.traceEnded)
	}
}

// drags drags what a selector names to and fro with the mouse, in so many moves, as fast as the browser takes them.
func (b *tab) drags(selector string, moves int) {
	b.t.Helper()
	box := evaluated[struct{ X, Y, Width, Height float64 }](b, `(({ x, y, width, height }) => ({ x, y, width, height }))(document.querySelector(`+inQuotes(selector)+`).getBoundingClientRect())`)
	x, y := box.X+box.Width/2, box.Y+box.Height/2
	mouse := func(kind input.DispatchMouseEventType, x, y float64) {
		call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1})
	}
	mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	for i := range moves {
		by := float64(i % 60)
		if by > 30 {
			by = 60 - by
		}
		mouse(input.DispatchMouseEventTypeMouseMoved, x+6*by, y+3*by)
	}
	mouse(input.DispatchMouseEventTypeMouseReleased, x, y)
}

// The frames of a trace are counted from the first to the last.
func TestFramesOfATrace(t *testing.T) {
	t.Parallel()
	f := drawnFrames{drawn: []float64{0, 20_000, 40_000, 60_000, 160_000}}
	if n := f.perSecond(); n != 25 {
		t.Errorf("%v frames a second; expected 25", n)
	}
	if m := f.longest(0.5); m != 20 {
		t.Errorf("%v ms at the median; expected 20", m)
	}
	if m := f.longest(1); m != 100 {
		t.Errorf("%v ms at most; expected 100", m)
	}
	if n := (drawnFrames{}).perSecond(); n != 0 {
		t.Errorf("no frames are %v a second", n)
	}
}
