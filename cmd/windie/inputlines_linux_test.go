package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/client/terminal"
	"github.com/windieos/windie/internal/test/testkit"
)

// An answer counts from when its question has been there for long enough to be read, and nobody waits who asks no longer.
func TestAfterTyping(t *testing.T) {
	t.Parallel()
	tty, _ := testkit.Terminal(t)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if since, err := afterTyping(t.Context(), tty); err != nil || since.Sub(began) != terminal.ReadTime {
			t.Errorf("answers count from %v on: %v", since.Sub(began), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := afterTyping(ctx, tty); !errors.Is(err, context.Canceled) {
			t.Errorf("nobody asks any longer: %v", err)
		}
	})
}
