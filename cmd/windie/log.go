package main

import (
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"

	"github.com/windieos/windie/internal/plain"
)

// logLevel parses the setting log.level: debug, info, warn or error.
func logLevel(name string) (slog.Level, error) {
	var level slog.Level
	err := level.UnmarshalText([]byte(name))
	return level, err
}

// newLog returns the program's log: text for people, JSON for machines.
func newLog(w io.Writer, c *config) *slog.Logger {
	level, _ := logLevel(c.Log.Level) // checked with the other settings
	terminal := plain.IsTerminal(w)
	if terminal {
		return slog.New(tint.NewTextHandler(w, &tint.Options{Level: level, TimeFormat: "15:04:05", NoColor: !terminal}))
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: inMilliseconds}))
}

// inMilliseconds gives durations a unit, for programs that read the log: took of 1.5 s becomes
// took_ms of 1500.
func inMilliseconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", float64(a.Value.Duration())/float64(time.Millisecond))
}
