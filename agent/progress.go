package agent

import (
	"context"

	"github.com/windieos/windie/internal/plain"
)

// Report is a progress report of a running call.
type Report struct {
	Line   string // progress for people; empty if only Output is new
	Output string // next piece of the tool's output; it is not part of the result

	Done, Total float64 // progress in numbers, if the tool counts it; Total is 0 if unknown
}

type progressKey struct{}

// WithProgress returns a context in which Progress and Output call hear. hear must be safe for
// concurrent use and return quickly.
func WithProgress(ctx context.Context, hear func(Report)) context.Context {
	return context.WithValue(ctx, progressKey{}, hear)
}

// Progress reports a call's progress to its watcher, as a line for people. Without a watcher it
// does nothing.
func Progress(ctx context.Context, line string) { report(ctx, Report{Line: line}) }

// ProgressOf is Progress for a call that counts its progress: done of total; total is 0 if unknown.
func ProgressOf(ctx context.Context, line string, done, total float64) {
	report(ctx, Report{Line: line, Done: done, Total: total})
}

// Output reports a piece of a tool's output to the watcher of its call, before the result. Without
// a watcher it does nothing.
func Output(ctx context.Context, piece string) { report(ctx, Report{Output: piece}) }

// IsWatched reports whether a call has a watcher.
func IsWatched(ctx context.Context) bool { return ctx.Value(progressKey{}) != nil }

func report(ctx context.Context, r Report) {
	if hear, ok := ctx.Value(progressKey{}).(func(Report)); ok && r != (Report{}) {
		hear(r)
	}
}

// MaxPartial limits the output of a call that is shown before its result, in bytes.
const MaxPartial = 64 << 10

// Pieces collects output until it is sent, so that none is lost if pieces arrive faster than they
// are sent. The zero value is ready to use. It must be used by one goroutine at a time.
type Pieces struct {
	waiting string
	taken   int // in bytes
}

// Add adds a piece. It ignores output after the first MaxPartial bytes of a call.
func (p *Pieces) Add(piece string) {
	p.waiting += plain.Cut(piece, MaxPartial-p.taken)
	p.taken = min(p.taken+len(piece), MaxPartial)
}

// Waiting returns the pieces that were not sent, in order.
func (p *Pieces) Waiting() string { return p.waiting }

// Sent records that the result of Waiting was sent.
func (p *Pieces) Sent() { p.waiting = "" }
