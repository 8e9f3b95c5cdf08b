package main

import (
	"io"
	"log/slog"

	"github.com/lmittmann/tint"

	"github.com/windieos/windie/internal/plain"
)

func logLevel(name string) (slog.Level, error) {
	var level slog.Level
	err := level.UnmarshalText([]byte(name))
	return level, err
}

// newLog returns the program's log: text for people, JSON for machines.
func newLog(w io.Writer, c *config) *slog.Logger {
	level, _ := logLevel(c.Log.Level) // checked with the other settings
	terminal := plain.IsTerminal(w)
	if c.Log.Format == "text" || c.Log.Format == "auto" && terminal {
		return slog.New(tint.NewTextHandler(w, &tint.Options{Level: level, TimeFormat: "15:04:05", NoColor: !terminal}))
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
}
