package sse

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
// from its last event.
func TestStreamBeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn, client := net.Pipe()
		defer conn.Close()
		defer client.Close()
		var times []time.Duration
		began := time.Now()
		w := Writer{bufio.NewWriter(writerFunc(func(text []byte) {
			if bytes.Equal(text, []byte(": heartbeat\n\n")) {
				times = append(times, time.Since(began))
			} else if !strings.HasPrefix(string(text), ": stream") && !strings.HasPrefix(string(text), "event: ") {
				t.Errorf("wrote %q", text)
			}
		})), conn}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := Pump(ctx, cancel, Heartbeat, w, func(_ context.Context, send func(Event) error) error {
			time.Sleep(40 * time.Second)
			defer time.Sleep(20 * time.Second)
			return send(Event{Event: "x"})
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
