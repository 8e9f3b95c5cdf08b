package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// read reads a stream through events.
func read(body io.Reader, wire Wire) (string, error) {
	x := &exchange{}
	out, err := io.ReadAll(newEvents(io.NopCloser(body), wire, x))
	return string(out), errors.Join(err, x.failure())
}

func TestEvents(t *testing.T) {
	t.Parallel()
	wire, refused := Wire{Provider: "p"}, fault.New("x", sdkapi.ModelRateLimited, "")
	for _, tt := range []struct {
		name, in, want string
		code           sdkapi.Code
	}{
		{"two", "data: {}\n\ndata: {\"a\":1}\n\n", "data: {}\n\ndata: {\"a\":1}\n\n", ""},
		{"comments and blanks", "\n\n: hi\n\n:\ndata: {}\n\n\n\n: ho\n\ndata:{}\n\n", "data: {}\n\ndata:{}\n\n", ""},
		{"line ends of Windows", "data: {}\r\n\r\ndata: [DONE]\r\n\r\n", "data: {}\n\ndata: [DONE]\n\n", ""},
		{"no line end", "data: {}", "data: {}\n", ""},
		{"names and ids", "event: a\nid: 1\nretry: 5\ndata: {}\n\n", "data: {}\n\n", ""},
		{"no data", "data:\ndata: \n\n", "", ""},
		{"an error that is none", "data: {\"error\":\"\"}\n\ndata: {\"error\":false}\n\ndata: {\"error\": { } }\n\n", "data: {\"error\":\"\"}\n\ndata: {\"error\":false}\n\ndata: {\"error\": { } }\n\n", ""},
		{"half a line", "data: {}\n\ndata: {\"a", "data: {}\n\n", ""},
		{"not JSON", "data: {}\n\ndata: {\"a\n\n", "data: {}\n\n", sdkapi.ModelError},
		{"not UTF-8", "data: {\"a\":\"\xff\"}\n\n", "", sdkapi.ModelError},
		{"no event", "hello\n", "", sdkapi.ModelError},
		{"says error", "data: {\"text\":\"\\\"error\\\"\",\"error\":null}\n\n", "data: {\"text\":\"\\\"error\\\"\",\"error\":null}\n\n", ""},
		{"an error", "data: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"m\"}}\n\n", "", refused.Code},
		{"an error without a line end", "data: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"m\"}}", "", refused.Code},
		{"an error that is no event", "{\"error\":{\"code\":429,\"message\":\"m\"}}\n", "", refused.Code},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, body := range map[string]io.Reader{"": strings.NewReader(tt.in), ", byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
				t.Run("read"+name, func(t *testing.T) {
					if got, err := read(body, wire); got != tt.want || fault.CodeOf(err) != tt.code {
						t.Errorf("%s%s: %q, %v", tt.name, name, got, err)
					}
				})
			}
		})
	}
	_, err := read(io.MultiReader(strings.NewReader("data: {}\n"), iotest.ErrReader(errors.New("reset by 10.0.0.7"))), wire)
	if f := fault.From(err); f.Code != sdkapi.ModelUnavailable || strings.Contains(f.Message, "10.0.0.7") || !strings.Contains(f.Error(), "10.0.0.7") {
		t.Errorf("a reset: %v", err)
	}
}

// TestEventsAreBounded goes to both limits and one beyond.
func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	line := `data: "` + strings.Repeat("a", MaxLine-len(`data: ""`)-1) + "\"\n"
	comments := func() io.Reader {
		return &repeat{text: ":" + strings.Repeat("a", 1022) + "\n", left: MaxStream / 1024}
	}
	for _, tt := range []struct {
		name string
		body io.Reader
		over bool
	}{
		{"a line", strings.NewReader(line), false},
		{"a line and a byte", strings.NewReader(strings.Replace(line, "data:", "data: ", 1)), true},
		{"a stream", comments(), false},
		{"a stream and a byte", io.MultiReader(strings.NewReader("\n"), comments()), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(tt.body, Wire{})
			if over := fault.CodeOf(err) == sdkapi.ModelError && strings.Contains(err.Error(), "more than"); over != tt.over || !over && err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
}

// repeat reads as text, left times.
type repeat struct {
	text string
	left int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	r.left--
	return copy(p, r.text), nil
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "", 0},
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "-1", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "1e300", maxRetryAfter},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "Sun, 01 Mar 2026 12:00:09 GMT", 9 * time.Second},
		{"Retry-After", "Sun, 01 Mar 2020 12:00:09 GMT", 0},
		{"Retry-After", "Sun, 01 Mar 2099 12:00:09 GMT", maxRetryAfter},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		{"Retry-After-Ms", "1e300", maxRetryAfter},
	} {
		t.Run(fmt.Sprint(tt.name, " ", tt.value), func(t *testing.T) {
			if got := retryAfter(http.Header{http.CanonicalHeaderKey(tt.name): {tt.value}}, now); got != tt.want {
				t.Errorf("%s: %s: %v", tt.name, tt.value, got)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
		code   sdkapi.Code
		say    string
	}{
		{"OpenAI's context", 400, `{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}`, sdkapi.ModelContextFull, "too long"},
		{"Gemini's context, in a list", 400, `[{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}]`, sdkapi.ModelContextFull, "too long"},
		{"vLLM's context", 400, `{"object":"error","message":"This model's maximum context length is 10 tokens.","type":"BadRequestError","code":400}`, sdkapi.ModelContextFull, "too long"},
		{"Anthropic's size", 413, `{"type":"error","error":{"type":"request_too_large","message":"m"}}`, sdkapi.ModelContextFull, "too long"},
		{"no model", 404, `{"error":"model 'x' not found"}`, sdkapi.ModelError, `refused the request: model 'x' not found`},
		{"no JSON", 404, "404 page\n not found", sdkapi.ModelError, `refused the request: 404 page not found`},
		{"a wrong field", 400, `{"error":{"message":"bad \u001b[31m temperature"}}`, sdkapi.ModelError, "bad [31m temperature"},
		{"no credit", 429, `{"error":{"message":"org-77","type":"insufficient_quota","code":"insufficient_quota"}}`, sdkapi.ModelError, "no credit"},
		{"too often", 429, `{"error":{"message":"org-77"}}`, sdkapi.ModelRateLimited, "limits requests"},
		{"Gemini's too often", 429, `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`, sdkapi.ModelRateLimited, "limits requests"},
		{"a wrong key", 401, `{"error":{"message":"Incorrect API key: sk-**77"}}`, sdkapi.ModelError, "refuses the key"},
		{"no right", 403, `{"error":{"message":"org-77"}}`, sdkapi.ModelError, "refuses the key"},
		{"a gateway", 502, `<html>at 10.0.0.77</html>`, sdkapi.ModelUnavailable, "is unavailable at the moment"},
		{"not implemented", 501, `{"error":"streaming"}`, sdkapi.ModelError, "streaming"},
		{"nothing", 400, ``, sdkapi.ModelError, "refused the request"},
		{"an error with 200", 200, `{"error":{"type":"server_error","message":"m"}}`, sdkapi.ModelError, "is not a stream"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			w.WriteHeader(tt.status)
			_, _ = w.WriteString(tt.body)
			f := fault.From(Wire{Provider: "p"}.refused(w.Result()))
			if f.Code != tt.code || !strings.Contains(f.Message, tt.say) {
				t.Errorf("%s: %s: %s", tt.name, f.Code, f.Message)
			}
			if strings.Contains(f.Message, "77") {
				t.Errorf("%s: the caller reads %s", tt.name, f.Message)
			}
		})
	}
}

func TestWireChecksItsURL(t *testing.T) {
	t.Parallel()
	for url, right := range map[string]bool{
		"https://api.example.com/v1": true, "http://127.0.0.1:1": true, "": false, "api.example.com": false, "ftp://a": false,
		"https://user:secret@a": false, "https://a?key=secret": false, "https://": false, "https://a#b": false, "http://[": false,
	} {
		t.Run(fmt.Sprintf("%.60q", url), func(t *testing.T) {
			err := Wire{BaseURL: url}.Check()
			if (err == nil) != right || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v", url, err)
			}
		})
	}
}

// TestTheReadersPanicIsTheReaders shows that only a library's panic is caught.
func TestTheReadersPanicIsTheReaders(t *testing.T) {
	t.Parallel()
	wire, req := Wire{Provider: "p"}, Request{Messages: []Message{{Role: User, Parts: []Part{{Text: "a"}}}}}
	for _, err := range wire.Stream(t.Context(), req, func(_ context.Context, _ Request, a *Answer) error { panic("shape") }) {
		if fault.CodeOf(err) != sdkapi.ModelError {
			t.Errorf("the library's: %v", err)
		}
	}
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("the reader's became %v", p)
		}
	}()
	for _, err := range wire.Stream(t.Context(), req, func(_ context.Context, _ Request, a *Answer) error { return a.Text("a") }) {
		t.Log(err)
		panic("mine")
	}
}
