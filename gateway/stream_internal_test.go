package gateway

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A stream on which nothing happens gives a sign of life every 15 s, counted
// from its last event, and is closed after ten minutes.
func TestStreamBeats(t *testing.T) {
	t.Parallel()
	cfg := Config{}.withDefaults()
	if cfg.Heartbeat != 15*time.Second || cfg.StreamIdle != 10*time.Minute || cfg.SessionIdle != 24*time.Hour {
		t.Errorf("a sign of life every %v, closed after %v, gone after %v", cfg.Heartbeat, cfg.StreamIdle, cfg.SessionIdle)
	}
	synctest.Test(t, func(t *testing.T) {
		conn, client := net.Pipe()
		defer conn.Close()
		defer client.Close()
		var times []time.Duration
		began := time.Now()
		w := eventWriter{bufio.NewWriter(writerFunc(func(text []byte) {
			if bytes.Equal(text, []byte(": heartbeat\n\n")) {
				times = append(times, time.Since(began))
			} else if !strings.HasPrefix(string(text), ": stream") && !strings.HasPrefix(string(text), "event: ") {
				t.Errorf("wrote %q", text)
			}
		})), conn}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := pump(ctx, cancel, cfg.Heartbeat, w, func(_ context.Context, send func(sse) error) error {
			time.Sleep(40 * time.Second)
			defer time.Sleep(20 * time.Second)
			return send(sse{event: "x"})
		})
		if want := []time.Duration{15 * time.Second, 30 * time.Second, 55 * time.Second}; err != nil || !slices.Equal(times, want) {
			t.Errorf("signs of life after %v, %v", times, err)
		}
	})
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
