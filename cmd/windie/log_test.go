package main

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// logged logs a line with a duration.
func logged(w io.Writer) {
	c := new(config)
	c.Log.Level = "info"
	newLog(w, c).Info("request", slog.Duration("took", 29284*time.Microsecond), slog.Int("n", 7))
}

// Durations in the log for programs have their unit in the name.
func TestUnitsInLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logged(&out)
	if got, want := strings.TrimSpace(out.String()), `"took_ms":29.284,"n":7}`; !strings.HasSuffix(got, want) {
		t.Errorf("printed %s; want %s at its end", got, want)
	}
}
