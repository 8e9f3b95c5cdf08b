package gateway

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	for _, code := range sdkapi.Codes() {
		if statusOf[code] == 0 {
			t.Errorf("%s has no status", code)
		}
	}
	if len(statusOf) != len(sdkapi.Codes()) {
		t.Errorf("%d codes have a status, sdkapi.Codes lists %d", len(statusOf), len(sdkapi.Codes()))
	}
}

func TestCauseStaysInside(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
	secret := fmt.Errorf("dial 10.0.0.7: refused")
	for _, err := range []error{secret, fault.New("op", sdkapi.StorageUnavailable, "the store is away").Because(secret)} {
		if text := s.failure(t.Context(), err).Error(); strings.Contains(text, "10.0.0.7") {
			t.Errorf("the caller reads %q", text)
		}
	}
	if n := strings.Count(log.String(), "10.0.0.7"); n != 2 {
		t.Errorf("the log tells %d of 2 causes", n)
	}
}

func TestParseRange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header string
		want   span
		ok     bool
		fails  bool
	}{
		{header: "bytes=0-0", want: span{0, 1}, ok: true},
		{header: "bytes=2-5", want: span{2, 4}, ok: true},
		{header: "bytes=8-", want: span{8, 2}, ok: true},
		{header: "bytes=8-99", want: span{8, 2}, ok: true},
		{header: "bytes=-3", want: span{7, 3}, ok: true},
		{header: "bytes=-99", want: span{0, 10}, ok: true},
		{header: "bytes=10-", fails: true},
		{header: "bytes=-0", fails: true},
		{header: "bytes=99-100", fails: true},
		{header: "bytes=5-2"},
		{header: "bytes=a-b"},
		{header: "bytes=+1-2"},
		{header: "bytes=-"},
		{header: "bytes="},
		{header: "lines=0-1"},
		{header: "bytes=0-1,3-4"},
		{header: "bytes=0-99999999999999999999"},
	} {
		t.Run(tt.header, func(t *testing.T) {
			got, ok, err := parseRange(tt.header, 10)
			if got != tt.want || ok != tt.ok || (err != nil) != tt.fails {
				t.Errorf("%s: %+v %v %v", tt.header, got, ok, err)
			}
		})
	}
}

func FuzzParseRange(f *testing.F) {
	f.Add("bytes=0-5", int64(10))
	f.Add("bytes=-5", int64(3))
	f.Fuzz(func(t *testing.T, header string, size int64) {
		if size < 0 {
			return
		}
		got, ok, err := parseRange(header, size)
		if ok && (err != nil || got.offset < 0 || got.length < 1 || got.offset+got.length > size) {
			t.Errorf("%q of %d: %+v, %v", header, size, got, err)
		}
	})
}

func TestHasETag(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]bool{"": false, `"a"`: true, `W/"a"`: true, `"b", "a"`: true, "*": true, `"b"`: false, "a": false} {
		t.Run(list, func(t *testing.T) {
			if got := hasETag(list, `"a"`); got != want {
				t.Errorf("%s: %v", list, got)
			}
		})
	}
}

func TestDecodeBase64(t *testing.T) {
	t.Parallel()
	plain := base64.StdEncoding.EncodeToString([]byte("an image"))
	for in, fine := range map[string]bool{
		plain:                            true,
		strings.TrimRight(plain, "="):    true,
		plain[:4] + "\r\n" + plain[4:]:   true,
		"data:image/png;base64," + plain: true,
		"data:;base64," + plain:          true,
		"data:image/png," + plain:        false,
		"data:image/png;base64":          false,
		"not base64!":                    false,
		plain[:5]:                        false,
	} {
		t.Run(in, func(t *testing.T) {
			got, err := query.DecodeBase64(in)
			if (err == nil) != fine || fine && string(got) != "an image" {
				t.Errorf("%q: %q, %v", in, got, err)
			}
		})
	}
}

func TestSameSite(t *testing.T) {
	t.Parallel()
	s := &Server{cfg: Config{PublicURL: "https://windie.example/gw"}}
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
	for code, status := range statusOf {
		if listed[code] != strconv.Itoa(status) {
			t.Errorf("docs/errors.md has status %q for %s, not %d", listed[code], code, status)
		}
	}
	if len(listed) != len(statusOf) {
		t.Errorf("docs/errors.md lists %d codes, there are %d", len(listed), len(statusOf))
	}
}

// What a tool says of its failure is told, but not at any length, and never
// with half a character.
func TestToolFailedIsBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said, want string
	}{
		"the most": {strings.Repeat("x", maxToolMessage), strings.Repeat("x", maxToolMessage)},
		"one more": {strings.Repeat("x", maxToolMessage+1), strings.Repeat("x", maxToolMessage) + "…"},
		"cut within a character": {
			strings.Repeat("x", maxToolMessage-1) + "éé", strings.Repeat("x", maxToolMessage-1) + "…",
		},
		"white space": {" \n", "the tool t.t could not do it, and does not say why"},
	} {
		t.Run(name, func(t *testing.T) {
			err := toolFailed("t.t", agent.Result{IsError: true, Content: []agent.Part{agent.Text(tt.said)}})
			if got := fault.From(err); got.Code != sdkapi.ToolError || got.Message != tt.want {
				t.Errorf("%s: %s of %d bytes", name, got.Code, len(got.Message))
			}
		})
	}
}

// Only what lies at the path or below it is renamed, and the fault that was
// given stays as it was.
func TestRenamed(t *testing.T) {
	t.Parallel()
	f := fault.New("op", sdkapi.ValidationError, "no").At("arguments", "a").At("arguments.x", "b").At("arguments[0]", "c").
		At("argumentsx", "d").At("body.arguments", "e")
	var got []string
	for _, field := range f.Renamed("arguments", "body").Details.Fields {
		got = append(got, field.Path)
	}
	if want := "body body.x body[0] argumentsx body.arguments"; strings.Join(got, " ") != want || f.Details.Fields[0].Path != "arguments" {
		t.Errorf("got %q, left %+v", got, f.Details.Fields)
	}
}

// An answer that is no UTF-8 is still JSON.
func TestEncodeResultOfBadText(t *testing.T) {
	t.Parallel()
	got, err := encodeResult(agent.Result{Structured: []byte("\"a\xffb\"")})
	if err != nil || string(got) != "{\"result\":\"a\uFFFDb\"}" {
		t.Errorf("%q, %v", got, err)
	}
}
