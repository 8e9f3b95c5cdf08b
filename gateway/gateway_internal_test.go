package gateway

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	for _, code := range sdkapi.Codes() {
		if StatusOf[code] == 0 {
			t.Errorf("%s has no status", code)
		}
	}
	if len(StatusOf) != len(sdkapi.Codes()) {
		t.Errorf("%d codes have a status, sdkapi.Codes lists %d", len(StatusOf), len(sdkapi.Codes()))
	}
}

func TestCauseStaysInside(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := &Server{Log: slog.New(slog.NewTextHandler(&log, nil))}
	secret := fmt.Errorf("dial 10.0.0.7: refused")
	for _, err := range []error{secret, fault.New("op", sdkapi.StorageUnavailable, "the store is away").Because(secret)} {
		if text := s.Failure(t.Context(), err).Error(); strings.Contains(text, "10.0.0.7") {
			t.Errorf("the caller reads %q", text)
		}
	}
	if n := strings.Count(log.String(), "10.0.0.7"); n != 2 {
		t.Errorf("the log tells %d of 2 causes", n)
	}
}

func TestSameSite(t *testing.T) {
	t.Parallel()
	s := &Server{app: App{PublicURL: "https://windie.example/gw"}}
	for _, tt := range []struct {
		origin, host string
		want         bool
	}{
		{"http://127.0.0.1:8765", "127.0.0.1:8765", true},
		{"http://localhost:8765", "localhost:8765", true},
		{"http://[::1]:8765", "[::1]:8765", true},
		{"https://windie.example", "gateway:8765", true},
		{"http://127.0.0.1:3000", "127.0.0.1:8765", false},
		{"http://rebound.example:8765", "rebound.example:8765", false},
		{"null", "127.0.0.1:8765", false},
		{"https://evil.example", "127.0.0.1:8765", false},
	} {
		t.Run(tt.origin, func(t *testing.T) {
			if got := s.sameSite(tt.origin, tt.host); got != tt.want {
				t.Errorf("%s at %s: %v", tt.origin, tt.host, got)
			}
		})
	}
}

// The guide to errors lists every code, with the status it really has.
func TestErrorsGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[sdkapi.Code]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z0-9_]+)` \\| (\\d+) \\|").FindAllStringSubmatch(string(text), -1) {
		listed[sdkapi.Code(row[1])] = row[2]
	}
	for code, status := range StatusOf {
		if listed[code] != strconv.Itoa(status) {
			t.Errorf("docs/errors.md has status %q for %s, not %d", listed[code], code, status)
		}
	}
	if len(listed) != len(StatusOf) {
		t.Errorf("docs/errors.md lists %d codes, there are %d", len(listed), len(StatusOf))
	}
}

// The defaults of the times that the documents promise.
func TestDefaultTimes(t *testing.T) {
	t.Parallel()
	cfg := App{}.WithDefaults()
	if cfg.Heartbeat != 15*time.Second || cfg.StreamIdle != 10*time.Minute || cfg.SessionIdle != 24*time.Hour {
		t.Errorf("a sign of life every %v, closed after %v, gone after %v", cfg.Heartbeat, cfg.StreamIdle, cfg.SessionIdle)
	}
}
