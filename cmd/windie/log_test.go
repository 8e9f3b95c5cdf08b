package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// Durations in the log have their unit: in the name for programs, behind the figure for people.
func TestUnitsInLog(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"json": `"took_ms":29.284,"n":7}`, "text": "took=29.284ms n=7"} {
		t.Run(format, func(t *testing.T) {
			c := &config{}
			c.Log.Level, c.Log.Format = "info", format
			var out bytes.Buffer
			newLog(&out, c).Info("request", slog.Duration("took", 29284*time.Microsecond), slog.Int("n", 7))
			if got := strings.TrimSpace(out.String()); !strings.HasSuffix(got, want) {
				t.Errorf("printed %s; want %s at its end", got, want)
			}
		})
	}
}
