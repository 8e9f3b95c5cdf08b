package agent

import "context"

type progressKey struct{}

// WithProgress returns a context in which Progress calls hear. hear is called from several goroutines, and must be quick.
func WithProgress(ctx context.Context, hear func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, hear)
}

// Progress reports to whoever watches a call how far the call is, in a line for people. Without a watcher it does nothing.
func Progress(ctx context.Context, text string) {
	if hear, ok := ctx.Value(progressKey{}).(func(string)); ok {
		hear(text)
	}
}
