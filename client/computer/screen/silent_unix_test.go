//go:build system && unix

package screen_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/windieos/windie/client/computer/screen"
	"github.com/windieos/windie/internal/test/testkit"
)

// TestServerThatDoesNotAnswer checks that calls to a silent X server end by themselves, and soon
// after a cancel. They must work again when the server responds again.
func TestServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 300, 200)
	s := screen.Open(desk.Display)
	t.Cleanup(s.Close)
	tools := registry(t, s)
	works := func(t *testing.T) {
		t.Helper()
		if got, _ := call(t.Context(), t, tools, "window.list", arguments{}); !strings.HasPrefix(got, `{"windows"`) {
			t.Fatal(got)
		}
	}
	within := func(t *testing.T, ctx context.Context, most time.Duration, name string, in arguments, want string) {
		t.Helper()
		began := time.Now()
		got, _ := call(ctx, t, tools, name, in)
		if took := time.Since(began); took > most || !strings.Contains(got, want) {
			t.Errorf("%s, after %v; want %s within %v", got, took, want, most)
		}
	}
	for _, tt := range []struct {
		name   string
		opened bool
	}{{"with a connection", true}, {"without one", false}} {
		t.Run(tt.name, func(t *testing.T) {
			works(t)
			desk.Signal(syscall.SIGSTOP)
			defer works(t) // it goes on by then
			defer desk.Signal(syscall.SIGCONT)
			if !tt.opened {
				within(t, t.Context(), 8*time.Second, "screen.capture", arguments{}, "check whether the server hangs")
			}
			before := runtime.NumGoroutine()
			var calls sync.WaitGroup
			for i := range 20 {
				calls.Go(func() {
					name, in := "window.list", arguments{}
					if i%2 == 0 {
						name = "screen.capture"
					}
					within(t, t.Context(), 12*time.Second, name, in, "check whether the server hangs")
				})
			}
			calls.Wait()
			if now := runtime.NumGoroutine(); now > before+3 {
				t.Errorf("%d goroutines after the calls, %d before", now, before)
			}
		})
	}
	t.Run("a cancel", func(t *testing.T) {
		works(t)
		desk.Signal(syscall.SIGSTOP)
		defer works(t)
		defer desk.Signal(syscall.SIGCONT)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		within(t, ctx, 2*time.Second, "window.list", arguments{}, "failed: ")
	})
}
