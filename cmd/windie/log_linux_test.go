package main

import (
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// On a terminal the log is text, and durations have their unit behind the figure.
func TestLogOnTerminal(t *testing.T) {
	t.Parallel()
	tty, drawn := testkit.Terminal(t)
	logged(tty)
	testkit.Eventually(t, "the log is text", func() (string, bool) {
		said := drawn()
		return said, strings.Contains(said, "29.284ms") && !strings.Contains(said, "{")
	})
}
