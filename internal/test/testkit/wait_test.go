package testkit_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
)

// failure returns what a wait fails its test with; empty if it does not.
func failure(t *testing.T, wait func(t testing.TB)) string {
	r := &recorder{TB: t}
	func() {
		defer func() { _ = recover() }() // as Fatalf ends a test
		wait(r)
	}()
	return r.failed
}

func TestEventually(t *testing.T) {
	t.Run("at once", func(t *testing.T) {
		if got := testkit.Eventually(t, "one", func() (int, bool) { return 1, true }); got != 1 {
			t.Errorf("returned %d, want 1", got)
		}
	})
	t.Run("later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began, looks := time.Now(), 0
			got := testkit.Eventually(t, "thirty seconds", func() (int, bool) { looks++; return looks, time.Since(began) >= 30*time.Second })
			if took := time.Since(began); got != looks || took > 30*time.Second+20*time.Millisecond {
				t.Errorf("returned %d after %d looks and %v", got, looks, took)
			}
		})
	})
	t.Run("never", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			failed := failure(t, func(t testing.TB) {
				testkit.Eventually(t, "the moon", func() (string, bool) { return "new", false })
			})
			if took := time.Since(began); took < time.Minute || took > time.Minute+time.Second || !strings.Contains(failed, "the moon") || !strings.Contains(failed, "new") {
				t.Errorf("failed after %v with %q", took, failed)
			}
		})
	})
}

func TestThroughout(t *testing.T) {
	for name, tt := range map[string]struct {
		until time.Duration // it holds
		takes time.Duration
		fails bool
	}{
		"it holds":           {time.Hour, time.Second, false},
		"it ends before":     {time.Second / 2, time.Second / 2, true},
		"it never held":      {0, 0, true},
		"it ends afterwards": {2 * time.Second, time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				failed := failure(t, func(t testing.TB) {
					testkit.Throughout(t, time.Second, "silence", func() (string, bool) { return "noise", time.Since(began) < tt.until })
				})
				if took := time.Since(began); took < tt.takes || took > tt.takes+100*time.Millisecond {
					t.Errorf("took %v, want %v", took, tt.takes)
				}
				said := strings.Contains(failed, "silence") && strings.Contains(failed, "noise")
				if (failed != "") != tt.fails || said != tt.fails {
					t.Errorf("failed with %q", failed)
				}
			})
		})
	}
}
