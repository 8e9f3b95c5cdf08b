package sse

import (
	"bufio"
	"bytes"
	"context"
	"io"
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

// The last event waits for its client no longer than its time.
func TestLastEvent(t *testing.T) {
	t.Parallel()
	for name, reads := range map[string]bool{"a client that reads": true, "a client that does not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn, client := net.Pipe()
				got := make(chan string, 1)
				go func() {
					if !reads {
						time.Sleep(time.Hour)
					}
					text, _ := io.ReadAll(client)
					got <- string(text)
				}()
				began := time.Now()
				Writer{bufio.NewWriter(conn), conn}.Last(Event{Event: "error", Data: "revoked"}, time.Second)
				took := time.Since(began)
				_ = conn.Close()
				want, wait := "event: error\ndata: \"revoked\"\n\n", time.Duration(0)
				if !reads {
					want, wait = "", time.Second
				}
				if text := <-got; text != want || took != wait {
					t.Errorf("the client got %q, and the stream waited %v; want %q after %v", text, took, want, wait)
				}
			})
		})
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
