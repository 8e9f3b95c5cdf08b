package sdk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestPauseOfManyTries checks that the pause is never 0 and never above its maximum, for any number
// of tries.
func TestPauseOfManyTries(t *testing.T) {
	t.Parallel()
	for _, tries := range []int{6, 36, 37, 56, 57, 64, 1000, math.MaxInt} {
		t.Run(fmt.Sprint(tries), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				if !pause(t.Context(), tries) || time.Since(began) != maxPause {
					t.Errorf("a pause of %v", time.Since(began))
				}
			})
			if got := backoff(minPause, maxPause, tries, nil); got < maxPause/2 || got > maxPause {
				t.Errorf("a pause of %v between calls", got)
			}
		})
	}
}

// TestStreamThatEndsEarly checks that the client requests a stream that ends before its last event
// as often as one that breaks, and then fails.
func TestStreamThatEndsEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		opened := 0
		open := func(context.Context) (*http.Response, error) {
			opened++
			return &http.Response{Body: http.NoBody}, nil
		}
		f := follow[runEvent, *runEvent]{heard: func(*runEvent) {}, known: func() bool { return true }, again: open}
		var failed []error
		f.run(ctx, func(_ runEvent, err error) bool {
			failed = append(failed, err)
			return true
		}, open)
		if opened != maxBreaks+1 || len(failed) != 1 || !errors.Is(failed[0], errCut) {
			t.Errorf("opened %d times, %v", opened, failed)
		}
	})
}
