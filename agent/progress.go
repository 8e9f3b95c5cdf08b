package agent

import (
	"context"

	"github.com/windieos/windie/internal/plain"
)

// Report is what a running call shows to whoever watches it.
type Report struct {
	Line   string // how far the call is, for people; empty if Output alone is new
	Output string // the next piece of what the tool puts out; the result does not depend on it

	Done, Total float64 // how far the call is, where the tool counts it; Total is 0 if the tool does not know it
}

type progressKey struct{}

// WithProgress returns a context in which Progress and Output call hear. hear is called from several goroutines, and must
// be quick.
func WithProgress(ctx context.Context, hear func(Report)) context.Context {
	return context.WithValue(ctx, progressKey{}, hear)
}

// Progress reports to whoever watches a call how far the call is, in a line for people. Without a watcher it does nothing.
func Progress(ctx context.Context, line string) { report(ctx, Report{Line: line}) }

// ProgressOf is Progress of a call that counts how far it is: done, of total if that is not 0.
func ProgressOf(ctx context.Context, line string, done, total float64) {
	report(ctx, Report{Line: line, Done: done, Total: total})
}

// Output shows a piece of what a tool puts out to whoever watches its call, before the result is there. Without a watcher
// it does nothing.
func Output(ctx context.Context, piece string) { report(ctx, Report{Output: piece}) }

// IsWatched reports whether somebody watches a call.
func IsWatched(ctx context.Context) bool { return ctx.Value(progressKey{}) != nil }

func report(ctx context.Context, r Report) {
	if hear, ok := ctx.Value(progressKey{}).(func(Report)); ok && r != (Report{}) {
		hear(r)
	}
}

// MaxPartial bounds the output of a call that is shown before its result, in bytes.
const MaxPartial = 64 << 10

// Pieces gathers output until it is sent, so that none is lost where pieces come faster than they are sent. Its zero value
// is ready. It is not for several goroutines.
type Pieces struct {
	waiting string
	taken   int // bytes
}

// Add adds a piece. Of a call, MaxPartial bytes are taken.
func (p *Pieces) Add(piece string) {
	p.waiting += plain.Cut(piece, MaxPartial-p.taken)
	p.taken = min(p.taken+len(piece), MaxPartial)
}

// Waiting returns the pieces that were not sent, in their order.
func (p *Pieces) Waiting() string { return p.waiting }

// Sent says that what Waiting returned was sent.
func (p *Pieces) Sent() { p.waiting = "" }
