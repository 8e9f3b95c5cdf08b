package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// Lines of an input wait for whoever asks for them, and those from before a question do not answer it.
func TestInputLines(t *testing.T) {
	t.Parallel()
	lines := &inputLines{from: strings.NewReader("  one \n\ntwo\n" + strings.Repeat("x", maxInputLine-2) + "\n" + strings.Repeat("x", maxInputLine+1) + "\n")}
	for _, want := range []string{"one", "", "two", strings.Repeat("x", maxInputLine-2)} {
		if got, err := lines.next(t.Context(), time.Time{}); err != nil || got != want {
			t.Errorf("%.20q, %v; want %.20q", got, err, want)
		}
	}
	if _, err := lines.next(t.Context(), time.Time{}); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("a line that is too long: %v", err)
	}
	typed := &inputLines{from: strings.NewReader(strings.Repeat("y\n", 2*maxTyped)), typed: true}
	if got, err := typed.next(t.Context(), time.Now().Add(time.Hour)); !errors.Is(err, io.EOF) {
		t.Errorf("what was typed before: %q, %v", got, err)
	}
}
