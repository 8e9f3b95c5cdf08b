package agent

import (
	"context"

	"github.com/windieos/windie/internal/plain"
)

// Report is a progress report of a running call.
type Report struct {
	Line   string // line about the progress, for people; empty if only Output is new
	Output string // next piece of the tool's output; it is not part of the result

	Done, Total float64 // progress in numbers, if the tool counts it; Total is 0 if unknown
}

// progressKey is the context key of the watcher.
type progressKey struct{}

// WithProgress returns a context for a call. In this context, Progress and Output pass their reports to the function
// watcher. The function must be safe for concurrent use and return quickly.
func WithProgress(ctx context.Context, watcher func(Report)) context.Context {
	return context.WithValue(ctx, progressKey{}, watcher)
}

// Progress sends a line about a call's progress to the watcher of the call. The line is for people.
// If the call has no watcher, Progress does nothing.
func Progress(ctx context.Context, line string) { report(ctx, Report{Line: line}) }

// ProgressOf works like Progress, but also reports numbers: finished is the completed part of
// total. If the total is unknown, pass 0 as total.
func ProgressOf(ctx context.Context, line string, finished, total float64) {
	report(ctx, Report{Line: line, Done: finished, Total: total})
}

// Output sends a piece of a tool's output to the watcher of the call, before the call's result. If
// the call has no watcher, Output does nothing.
func Output(ctx context.Context, piece string) { report(ctx, Report{Output: piece}) }

// IsWatched reports whether a call has a watcher.
func IsWatched(ctx context.Context) bool { return ctx.Value(progressKey{}) != nil }

// report gives r to the watcher of the call. It drops an empty report.
func report(ctx context.Context, r Report) {
	if hear, ok := ctx.Value(progressKey{}).(func(Report)); ok && r != (Report{}) {
		hear(r)
	}
}

// MaxPartial is the maximum size of the output that a running call shows, in bytes.
const MaxPartial = 64 << 10

// Pieces is a buffer for the output of a running call. Add appends output, Waiting returns it, and
// Sent empties the buffer. The zero value is an empty buffer. Only one goroutine at a time may use
// it.
type Pieces struct {
	waiting string
	taken   int // bytes of the call so far, at most MaxPartial
}

// Add appends a piece of output. It discards everything after the first MaxPartial bytes of the
// call.
func (p *Pieces) Add(piece string) {
	p.waiting += plain.Cut(piece, MaxPartial-p.taken)
	p.taken = min(p.taken+len(piece), MaxPartial)
}

// Waiting returns the output that was added since the last call of Sent.
func (p *Pieces) Waiting() string { return p.waiting }

// Sent empties the buffer. Call it after sending the output that Waiting has returned.
func (p *Pieces) Sent() { p.waiting = "" }
