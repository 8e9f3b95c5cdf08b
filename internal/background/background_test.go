package background_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/background"
)

// The function that ends work waits for its end, and may be called twice.
func TestStart(t *testing.T) {
	t.Parallel()
	ended := false
	stop := background.Start(t.Context(), func(ctx context.Context) {
		<-ctx.Done()
		ended = true
	})
	stop()
	if !ended {
		t.Error("work goes on")
	}
	stop()
}

func TestEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		start := time.Now()
		var at []time.Duration
		background.Every(ctx, time.Second, func(context.Context) { at = append(at, time.Since(start)) })
		if len(at) != 3 || at[0] != time.Second || time.Since(start) != 3500*time.Millisecond {
			t.Errorf("at %v, until %v", at, time.Since(start))
		}
	})
}

func TestAbout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		last, n := time.Now(), 0
		background.About(ctx, time.Second, func(context.Context) {
			if pause := time.Since(last); n > 0 && (pause < time.Second/2 || pause > 3*time.Second/2) || n == 0 && pause != 0 {
				t.Errorf("again after %v", pause)
			}
			last = time.Now()
			n++
		})
		if n < 66 || n > 200 {
			t.Errorf("%d times", n)
		}
	})
}

func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := background.Sleep(t.Context(), time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := background.Sleep(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}
