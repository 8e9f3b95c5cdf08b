// Package background runs functions in goroutines and at intervals.
//
//	defer background.Start(ctx, janitor.Run)()
//
//	func (j *Janitor) Run(ctx context.Context) { background.About(ctx, time.Hour, j.clean) }
package background

import (
	"context"
	"math/rand/v2"
	"time"
)

// Start runs work in a goroutine. stop ends the context of work and waits until work returns, so
// work must return when its context ends.
func Start(ctx context.Context, work func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		work(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// Every runs work after each period, until ctx ends. If work takes longer than a period, the missed
// ticks are skipped.
func Every(ctx context.Context, period time.Duration, work func(ctx context.Context)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			work(ctx)
		}
	}
}

// About runs work at once, and then after random pauses of 0.5 to 1.5 periods, until ctx ends. The
// randomness keeps gateways from working at the same moment.
func About(ctx context.Context, period time.Duration, work func(ctx context.Context)) {
	for ctx.Err() == nil {
		work(ctx)
		_ = Sleep(ctx, period/2+rand.N(period)) //nolint:gosec // a weak random number will do
	}
}

// Sleep waits for d. If ctx ends first, it returns ctx's error.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
