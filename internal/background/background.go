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

// Start calls task in a new goroutine. The returned function stop cancels the context of task and
// waits until task has returned. Therefore task must return when its context ends.
func Start(ctx context.Context, task func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		task(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// Every calls task at regular intervals of one period, until ctx ends. The first call is after one
// period. Calls never overlap: if a call takes longer than a period, later calls are delayed or
// skipped.
func Every(ctx context.Context, period time.Duration, task func(ctx context.Context)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			task(ctx)
		}
	}
}

// About calls task again and again until ctx ends. Between two calls it waits for a random time
// of 0.5 to 1.5 periods, so that several gateways do not work at the same moment.
func About(ctx context.Context, period time.Duration, task func(ctx context.Context)) {
	for ctx.Err() == nil {
		task(ctx)
		_ = Sleep(ctx, period/2+rand.N(period)) //nolint:gosec // a weak random number will do
	}
}

// Sleep waits for the duration d and returns nil. If ctx ends first, Sleep returns ctx's error.
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
