// Package progress shows the progress of long work on one line of a terminal, and clears the line
// when the work is done.
//
//	ctx, done := progress.Show(ctx, os.Stderr, "reading screens")
//	defer done()
//	…
//	progress.Report(ctx, "screens", 3, 12)
//
// Work reports its steps to the context and does not depend on a terminal. If the context is not
// from Show or To, a report does nothing.
package progress

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/windieos/windie/internal/plain"
)

// Times and size of the line.
const (
	wait  = time.Second            // time before the line appears
	pace  = 200 * time.Millisecond // time between two updates
	width = 24                     // width of the bar, in columns
)

// Step is one report of the progress of work.
type Step struct {
	What     string
	Done, Of int64 // numbers of finished items and of all items; Of is 0 if unknown
	Bytes    bool  // true if Done and Of count bytes
}

// line is the progress line on a terminal.
type line struct {
	out   io.Writer
	now   atomic.Pointer[Step]
	bar   *progressbar.ProgressBar // nil before the first update
	drawn Step                     // step that bar was created for
}

// key is the context key of the receiver.
type key struct{}

// Show starts a progress line on the terminal w, and returns a context whose reports appear on the
// line. The line appears after one second, and shows title until the first report. finish clears
// the line and may be called twice. If w is not a terminal, Show does nothing.
func Show(ctx context.Context, w io.Writer, title string) (_ context.Context, finish func()) {
	if !plain.IsTerminal(w) {
		return ctx, func() {}
	}
	l := &line{out: w}
	l.now.Store(&Step{What: title})
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		l.drawUntil(end)
	}()
	return To(ctx, func(s Step) { l.now.Store(&s) }), sync.OnceFunc(func() {
		close(end)
		<-ended
	})
}

// To returns a context with a receiver for progress reports. Report and Bytes call receiver with
// each report of work in this context.
func To(ctx context.Context, receiver func(Step)) context.Context {
	return context.WithValue(ctx, key{}, receiver)
}

// Report reports the numbers of finished items and of all items to the receiver in ctx. total is 0
// if the number of all items is unknown. title names the items, for example "screens". If ctx has
// no receiver, Report does nothing.
func Report(ctx context.Context, title string, finished, total int64) {
	if receiver, ok := ctx.Value(key{}).(func(Step)); ok {
		receiver(Step{What: title, Done: finished, Of: total})
	}
}

// Bytes reports progress like Report, but counts bytes instead of items.
func Bytes(ctx context.Context, title string, finished, total int64) {
	if receiver, ok := ctx.Value(key{}).(func(Step)); ok {
		receiver(Step{What: title, Done: finished, Of: total, Bytes: true})
	}
}

// IsTaken reports whether ctx has a receiver for progress reports.
func IsTaken(ctx context.Context) bool { return ctx.Value(key{}) != nil }

// drawUntil updates the line at intervals until end is closed, and then clears it. It shows nothing for the first wait.
func (l *line) drawUntil(end <-chan struct{}) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-end:
			l.clear()
			return
		case <-timer.C:
			l.draw(*l.now.Load())
			timer.Reset(pace)
		}
	}
}

// draw shows s. It ignores errors of the terminal, because the work must continue.
func (l *line) draw(s Step) {
	if l.bar == nil || s.What != l.drawn.What || s.Of != l.drawn.Of || s.Bytes != l.drawn.Bytes {
		l.clear()
		l.bar, l.drawn = l.newBar(s), s
	}
	switch {
	case s.Of > 0:
		_ = l.bar.Set64(min(s.Done, s.Of))
	case s.Done > 0 && s.Bytes:
		l.bar.Describe(fmt.Sprintf("%s, %.1f MB", s.What, float64(s.Done)/1e6))
	case s.Done > 0:
		l.bar.Describe(fmt.Sprintf("%s, %d", s.What, s.Done))
	default:
		l.bar.Describe(s.What)
	}
}

// clear clears the line. It ignores errors of the terminal.
func (l *line) clear() {
	if l.bar != nil {
		_ = l.bar.Clear()
	}
}

// newBar returns a bar for s, or a spinner if the total is unknown.
func (l *line) newBar(s Step) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(l.out), progressbar.OptionSetDescription(s.What), progressbar.OptionSetWidth(width),
		progressbar.OptionClearOnFinish(), progressbar.OptionShowBytes(s.Bytes),
		progressbar.OptionSetSpinnerChangeInterval(0), // only drawUntil draws
	}
	if s.Of <= 0 {
		return progressbar.NewOptions64(-1, options...)
	}
	return progressbar.NewOptions64(s.Of, append(options, progressbar.OptionShowCount())...)
}
