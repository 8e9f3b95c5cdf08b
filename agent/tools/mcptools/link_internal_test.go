package mcptools

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A server may say much at once, and is held up when it goes on, be it by many
// small messages or by few large ones.
func TestPace(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{"lines": strings.Repeat("{}\n", paceBurst+3*paceRate), "bytes": strings.Repeat("x", (paceBurst+3*paceRate)*bytesOfOne)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				n, err := io.Copy(io.Discard, struct{ io.Reader }{newPaced(t.Context(), strings.NewReader(said))})
				if took := time.Since(begun); err != nil || n != int64(len(said)) || took < 2900*time.Millisecond || took > 3200*time.Millisecond {
					t.Errorf("%d bytes in %v, %v", n, took, err)
				}
			})
		})
	}
}

// A server that is held up is let go when its link ends.
func TestPaceEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := io.Copy(io.Discard, struct{ io.Reader }{newPaced(ctx, strings.NewReader(strings.Repeat("\n", 3*paceBurst)))}); err == nil {
		t.Error("no error")
	}
}
