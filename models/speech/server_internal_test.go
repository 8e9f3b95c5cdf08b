package speech

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// engine is a speech server whose sound arrives in pieces, each after a pause.
type engine struct {
	ctx    context.Context
	pieces int
	pause  time.Duration
}

func (e engine) RoundTrip(r *http.Request) (*http.Response, error) {
	e.ctx = r.Context()
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(&e), Request: r}, nil
}

func (e *engine) Read(p []byte) (int, error) {
	if e.pieces == 0 {
		return 0, io.EOF
	}
	e.pieces--
	select {
	case <-time.After(e.pause):
		return len(p), nil
	case <-e.ctx.Done():
		return 0, e.ctx.Err()
	}
}

// Only the waiting for the server is limited: a listener may take longer than that.
func TestSpeakTime(t *testing.T) {
	t.Parallel()
	const pieces = 10
	for name, c := range map[string]struct {
		engine, listener time.Duration // time for each piece
		want             error
	}{
		"a slow listener":     {0, speakTime, nil},
		"a server in time":    {speakTime/pieces - 1, time.Minute, nil},
		"a slow server":       {speakTime/pieces + time.Second, time.Minute, errSlow},
		"a server that hangs": {speakTime + time.Second, 0, errSlow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := NewServer(ServerOptions{URL: "http://speech.example/v1", Model: "tts-1"})
				s.client.Transport = engine{pieces: pieces, pause: c.engine}
				var got error
				for _, err := range s.Speak(t.Context(), "Hello.") {
					got = err
					time.Sleep(c.listener)
				}
				if !errors.Is(got, c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		})
	}
}
