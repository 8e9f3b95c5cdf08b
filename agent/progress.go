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

// WithProgress returns a context in which Progress and Output call the function hear. hear must be
// safe for concurrent use and return quickly.
func WithProgress(ctx context.Context, hear func(Report)) context.Context {
	return context.WithValue(ctx, progressKey{}, hear)
}

// Progress sends a line about a call's progress to the watcher of the call. The line is for people.
// If the call has no watcher, Progress does nothing.
func Progress(ctx context.Context, line string) { report(ctx, Report{Line: line}) }

// ProgressOf is Progress with numbers: done is the finished part of total. If total is unknown, it
// is 0.
func ProgressOf(ctx context.Context, line string, done, total float64) {
	report(ctx, Report{Line: line, Done: done, Total: total})
}

// Output sends a piece of a tool's output to the watcher of the call, before the call's result. If
// the call has no watcher, Output does nothing.
func Output(ctx context.Context, piece string) { report(ctx, Report{Output: piece}) }

// IsWatched reports whether a call has a watcher.
func IsWatched(ctx context.Context) bool { return ctx.Value(progressKey{}) != nil }

func report(ctx context.Context, r Report) {
	if hear, ok := ctx.Value(progressKey{}).(func(Report)); ok && r != (Report{}) {
		hear(r)
	}
}

// MaxPartial is the maximum size of the output that a running call shows before its result, in
// bytes.
const MaxPartial = 64 << 10

// Pieces collects output until the output is sent. No output is lost if pieces arrive faster than
// they are sent. The zero value is ready to use. Only one goroutine at a time may use a Pieces.
type Pieces struct {
	waiting string
	taken   int // in bytes
}

// Add adds a piece of output. After the first MaxPartial bytes of a call's output, it ignores the
// rest.
func (p *Pieces) Add(piece string) {
	p.waiting += plain.Cut(piece, MaxPartial-p.taken)
	p.taken = min(p.taken+len(piece), MaxPartial)
}

// Waiting returns the output that was not sent yet, in order.
func (p *Pieces) Waiting() string { return p.waiting }

// Sent records that the output from Waiting was sent.
func (p *Pieces) Sent() { p.waiting = "" }
