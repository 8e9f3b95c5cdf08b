package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A call that waits for another's place does not begin once the turn has ended, though the place is free then.
func TestNoCallBeginsBehindTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		end()
		calls := make([]*Call, 64) // chance would begin half of them
		for i := range calls {
			calls[i] = &Call{}
		}
		var begun atomic.Int64
		work := func(context.Context, *Call) (int, error) { return int(begun.Add(1)), nil }
		var all sync.WaitGroup
		err := each(ctx, &worker{all: &all}, calls, len(calls), work, func(*Call, int) error { return nil })
		if all.Wait(); !errors.Is(err, context.Canceled) || begun.Load() > 0 {
			t.Errorf("%d of %d calls began, %v", begun.Load(), len(calls), err)
		}
	})
}
