// Package progress shows people how far long work is: one line on a terminal, which is gone when the work is done.
//
//	ctx, done := progress.Show(ctx, os.Stderr, "reading screens")
//	defer done()
//	…
//	progress.Report(ctx, "screens", 3, 12)
//
// Work reports steps to its context, and knows nothing of terminals. Where no line is shown, a report does nothing.
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

const (
	wait  = time.Second            // work that is done sooner shows nothing
	pace  = 200 * time.Millisecond // between two drawings
	width = 24                     // of the bar, in columns
)

// Step is how far work is.
type Step struct {
	What     string
	Done, Of int64 // Of is 0 if nobody knows
	Bytes    bool  // Done and Of are amounts in bytes
}

// line is the line on a terminal.
type line struct {
	out   io.Writer
	now   atomic.Pointer[Step]
	bar   *progressbar.ProgressBar // nil before the first drawing
	drawn Step                     // what bar was made for
}

type key struct{}

// Show draws on w what is reported to the context that it returns, from a second after its call on until done is
// called, which clears the line and may be called twice. Until the first report what stands there. If w is no terminal,
// nothing is drawn, and reports are not taken.
func Show(ctx context.Context, w io.Writer, what string) (shown context.Context, done func()) {
	if !plain.IsTerminal(w) {
		return ctx, func() {}
	}
	l := &line{out: w}
	l.now.Store(&Step{What: what})
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

// To returns a context whose work reports its steps to take.
func To(ctx context.Context, take func(Step)) context.Context {
	return context.WithValue(ctx, key{}, take)
}

// Report says how many of something are done. If nobody knows how many there are, of is 0.
func Report(ctx context.Context, what string, done, of int64) {
	if take, ok := ctx.Value(key{}).(func(Step)); ok {
		take(Step{What: what, Done: done, Of: of})
	}
}

// Bytes is Report for an amount in bytes.
func Bytes(ctx context.Context, what string, done, of int64) {
	if take, ok := ctx.Value(key{}).(func(Step)); ok {
		take(Step{What: what, Done: done, Of: of, Bytes: true})
	}
}

// IsTaken reports whether anybody takes what is reported to ctx.
func IsTaken(ctx context.Context) bool { return ctx.Value(key{}) != nil }

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

// draw draws s. What a terminal does not take is not seen; the work goes on.
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

func (l *line) clear() {
	if l.bar != nil {
		_ = l.bar.Clear()
	}
}

// newBar returns a bar for s, or a sign that turns if nobody knows how much there is.
func (l *line) newBar(s Step) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(l.out), progressbar.OptionSetDescription(s.What), progressbar.OptionSetWidth(width),
		progressbar.OptionClearOnFinish(), progressbar.OptionShowBytes(s.Bytes),
		progressbar.OptionSetSpinnerChangeInterval(0), // drawn by drawUntil alone
	}
	if s.Of <= 0 {
		return progressbar.NewOptions64(-1, options...)
	}
	return progressbar.NewOptions64(s.Of, append(options, progressbar.OptionShowCount())...)
}
