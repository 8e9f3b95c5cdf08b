package websearch_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/websearch"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

const key = "canary-5f1d9b20c7"

// kinds are all providers: their keys, paths and answers.
var kinds = []struct{ kind, key, path, nothing string }{
	{websearch.SearxNG, "", "/search", `{"query":"x","results":[],"unresponsive_engines":[]}`},
	{websearch.Brave, key, "/res/v1/web/search", `{"type":"search","query":{"original":"x"},"mixed":{"type":"mixed","main":[]}}`},
}

// open opens a provider of a server that answers by handle.
func open(t *testing.T, kind, key string, handle http.HandlerFunc) websearch.Provider {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	p, err := websearch.Open(kind, websearch.Config{URL: server.URL, Key: key, Limits: egress.Limits{Timeout: 2 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// recorded answers as a server of a kind does, and keeps what it was asked.
func recorded(t *testing.T, kind string, asked *http.Request) http.HandlerFunc {
	t.Helper()
	body, err := os.ReadFile("testdata/" + kind + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		*asked = *r.Clone(context.Background())
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		zipped := gzip.NewWriter(w)
		_, _ = zipped.Write(body)
		_ = zipped.Close()
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	want := map[string][]websearch.Result{
		websearch.SearxNG: {
			{Title: "15 puzzle - Wikipedia", URL: "https://en.wikipedia.org/wiki/15_puzzle", Snippet: "The 15 puzzle is a sliding puzzle. It has 15 square tiles numbered 1 to 15 in a frame that is 4 tile positions high and 4 tile positions wide, with one unoccupied position."},
			{Title: "A solver in Go", URL: "https://example.com/solver?n=4&fast=1", Snippet: "func Solve(b List<Tile>) finds the shortest way."},
			{Title: "http://192.0.2.7/plain", URL: "http://192.0.2.7/plain"},
		},
		websearch.Brave: {
			{Title: "15 puzzle - Wikipedia", URL: "https://en.wikipedia.org/wiki/15_puzzle", Snippet: "The 15 puzzle is a sliding puzzle of Noyes Chapman's, with 15 tiles & one gap."},
			{Title: "Solve <n> tiles", URL: "https://example.com/solver", Snippet: "Finds the shortest way."},
		},
	}
	for _, k := range kinds {
		t.Run(k.kind, func(t *testing.T) {
			t.Parallel()
			var asked http.Request
			p := open(t, k.kind, k.key, recorded(t, k.kind, &asked))
			got, err := p.Search(t.Context(), "sliding puzzle & more", 20)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want[k.kind]) {
				t.Errorf("found %q, %v", got, err)
			}
			if q := asked.URL.Query(); asked.Method != "GET" || asked.URL.Path != k.path || q.Get("q") != "sliding puzzle & more" || asked.Header.Get("X-Subscription-Token") != k.key || strings.Contains(asked.URL.RawQuery, key) {
				t.Errorf("asked %s %s, %v", asked.Method, asked.URL, asked.Header)
			}
			if few, err := p.Search(t.Context(), "x", 1); err != nil || len(few) != 1 {
				t.Errorf("of one: %q, %v", few, err)
			}
		})
	}
}

// A server may be below a path, and send on to another path of its own.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/searx/search" {
			http.Redirect(w, r, "/searx/v2/search?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return
		}
		_, _ = io.WriteString(w, `{"results":[{"url":"https://example.com`+r.URL.Path+`"}]}`)
	}))
	defer server.Close()
	p, err := websearch.Open(websearch.SearxNG, websearch.Config{URL: server.URL + "/searx/"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got, err := p.Search(t.Context(), "x", 5); err != nil || len(got) != 1 || got[0].URL != "https://example.com/searx/v2/search" {
		t.Errorf("%q, %v", got, err)
	}
}

// answers is a handler that always says the same.
func answers(status int, header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if name, value, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// cutOff promises more than it says, and hangs up; with reset, at once.
func cutOff(reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0)
		} else {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"results\":[{\"url\":\"https://example.com\"}")
		}
		_ = conn.Close()
	}
}

// endless sends 100 MB of one answer.
func endless(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, `{"results":[{"url":"https://example.com/`)
	piece := strings.Repeat("x", 1<<20)
	for range 100 {
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
	}
}

// A failure has its code, and no caller gets the key, nor the server's text.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		handle http.HandlerFunc
		code   sdkapi.Code
		says   string
	}{
		"reset":           {cutOff(true), sdkapi.SearchUnavailable, "does not answer"},
		"half a body":     {cutOff(false), sdkapi.SearchUnavailable, "does not answer"},
		"100 MB":          {endless, sdkapi.SearchError, "too large or unreadable"},
		"over 2 MiB":      {answers(200, "", `{"type":"search","results":[]}`+strings.Repeat(" ", 2<<20)), sdkapi.SearchError, "too large or unreadable"},
		"no JSON":         {answers(200, "", "<html>"+key), sdkapi.SearchError, "other than a list of results"},
		"other JSON":      {answers(200, "", `{"hello":"world"}`), sdkapi.SearchError, "other than a list of results"},
		"wrong types":     {answers(200, "", `{"results":"none","web":"none"}`), sdkapi.SearchError, "other than a list of results"},
		"no gzip":         {answers(200, "Content-Encoding: gzip", `{"results":[]}`), sdkapi.SearchError, "too large or unreadable"},
		"another coding":  {answers(200, "Content-Encoding: br", `{"results":[]}`), sdkapi.SearchError, "too large or unreadable"},
		"401":             {answers(401, "", key), sdkapi.SearchError, ""},
		"403":             {answers(403, "", "forbidden"), sdkapi.SearchError, ""},
		"402":             {answers(402, "", "pay"), sdkapi.SearchError, "requires payment"},
		"404":             {answers(404, "", "no"), sdkapi.SearchError, "status 404"},
		"503":             {answers(503, "", "later"), sdkapi.SearchUnavailable, "internal error"},
		"429":             {answers(429, "", "slow"), sdkapi.SearchRateLimited, "try again later"},
		"429 with a time": {answers(429, "Retry-After: 7", "slow"), sdkapi.SearchRateLimited, "try again in 7s"},
		"metadata":        {answers(302, "Location: http://169.254.169.254/latest/meta-data/", ""), sdkapi.SearchError, "redirect"},
		"another port":    {answers(302, "Location: http://127.0.0.1:1/search", ""), sdkapi.SearchError, "redirect"},
		"in a circle":     {answers(302, "Location: /again", ""), sdkapi.SearchError, "redirect"},
	} {
		for _, k := range kinds {
			t.Run(name+" "+k.kind, func(t *testing.T) {
				t.Parallel()
				got, err := open(t, k.kind, k.key, tt.handle).Search(t.Context(), "x", 5)
				f := fault.From(err)
				if got != nil || f == nil || f.Code != tt.code || !strings.Contains(f.Message, tt.says) {
					t.Fatalf("%q, %v", got, err)
				}
				if strings.Contains(f.Message, "slow") || k.key != "" && strings.Contains(err.Error(), key) {
					t.Errorf("it tells %v", err)
				}
			})
		}
	}
}

// The wait that a server wants is there for programs. Of several quotas the
// one that is used up counts.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"seconds":   {map[string]string{"Retry-After": "12"}, 12 * time.Second},
		"none":      {map[string]string{"Retry-After": "soon"}, 0},
		"no number": {map[string]string{"Retry-After": "NaN"}, 0},
		"for ever":  {map[string]string{"Retry-After": "1e300"}, 31 * 24 * time.Hour},
		"in past":   {map[string]string{"Retry-After": "Mon, 02 Jan 2006 15:04:05 GMT"}, 0},
		"a second":  {map[string]string{"X-RateLimit-Remaining": "0, 1543", "X-RateLimit-Reset": "1, 1419704"}, time.Second},
		"a month":   {map[string]string{"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"}, 1419704 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, websearch.Brave, key, func(w http.ResponseWriter, _ *http.Request) {
				for name, value := range tt.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			_, err := p.Search(t.Context(), "x", 5)
			var refusal *websearch.Refusal
			if !errors.As(err, &refusal) || refusal.RetryAfter != tt.want || fault.CodeOf(err) != sdkapi.SearchRateLimited {
				t.Errorf("%s: %+v, %v", name, refusal, err)
			}
		})
	}
}

// Brave calls a key that it does not know a mistake of the request's.
func TestWrongKey(t *testing.T) {
	t.Parallel()
	p := open(t, websearch.Brave, key, answers(422, "", `{"type":"ErrorResponse","error":{"id":"0d5c8a5e-1c52-4a28-9d3e-3a1f2b7f3d11","status":422,"detail":"The provided subscription token is invalid.","meta":{"component":"authentication"},"code":"SUBSCRIPTION_TOKEN_INVALID"},"time":1767600000}`))
	if _, err := p.Search(t.Context(), "x", 5); fault.CodeOf(err) != sdkapi.SearchError || !strings.Contains(fault.From(err).Message, "key") {
		t.Error(err)
	}
}

// That nothing is found is an answer, unless nobody has looked.
func TestNothing(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		if got, err := open(t, k.kind, k.key, answers(200, "", k.nothing)).Search(t.Context(), "x", 5); err != nil || len(got) != 0 {
			t.Errorf("%s: %q, %v", k.kind, got, err)
		}
	}
	p := open(t, websearch.SearxNG, "", answers(200, "", `{"results":[],"unresponsive_engines":[["google","timeout"]]}`))
	if _, err := p.Search(t.Context(), "x", 5); fault.CodeOf(err) != sdkapi.SearchUnavailable {
		t.Error(err)
	}
}

// An answer of just as many bytes as are read is read.
func TestLargestAnswer(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		body := k.nothing + strings.Repeat(" ", 2<<20-len(k.nothing))
		if got, err := open(t, k.kind, k.key, answers(200, "", body)).Search(t.Context(), "x", 5); err != nil || len(got) != 0 {
			t.Errorf("%s: %q, %v", k.kind, got, err)
		}
	}
}

// A server that does not answer is given up; a caller who leaves is not kept.
func TestWaits(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.kind, func(t *testing.T) {
			t.Parallel()
			p := open(t, k.kind, k.key, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := p.Search(ctx, "x", 5); !errors.Is(err, context.DeadlineExceeded) || fault.CodeOf(err) != sdkapi.Timeout {
				t.Errorf("who leaves gets %v", err)
			}
			if _, err := p.Search(t.Context(), "x", 5); fault.CodeOf(err) != sdkapi.SearchUnavailable || !strings.Contains(fault.From(err).Message, "too long") {
				t.Errorf("who stays gets %v", err)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ kind, url, key, wrong string }{
		{websearch.SearxNG, "http://127.0.0.1:8888", "", ""},
		{websearch.SearxNG, "https://searx.example.com/path", "", ""},
		{websearch.SearxNG, "http://[::1]", "", ""},
		{websearch.Brave, "", key, ""},
		{websearch.SearxNG, "", "", "url"},
		{websearch.SearxNG, "searx.example.com", "", "url"},
		{websearch.SearxNG, "ftp://searx.example.com", "", "url"},
		{websearch.SearxNG, "http://user:secret@searx.example.com", "", "url"},
		{websearch.SearxNG, "http://169.254.169.254", "", "url"},
		{websearch.SearxNG, "http://127.0.0.1:8888", key, "key"},
		{websearch.Brave, "", "", "key"},
		{websearch.Brave, "nowhere", "", "key url"},
		{"altavista", "http://127.0.0.1:8888", "", "kind"},
	} {
		t.Run(fmt.Sprint(tt.kind, " ", tt.url, " ", tt.wrong), func(t *testing.T) {
			p, err := websearch.Open(tt.kind, websearch.Config{URL: tt.url, Key: tt.key})
			var wrong []string
			if f := fault.From(err); f != nil {
				for _, field := range f.Details.Fields {
					wrong = append(wrong, field.Path)
				}
				if strings.Contains(err.Error(), key) {
					t.Errorf("it tells %v", err)
				}
			} else {
				_ = p.Close()
				_ = p.Close()
			}
			if got := strings.Join(wrong, " "); got != tt.wrong {
				t.Errorf("%+v: wrong is %q, %v", tt, got, err)
			}
		})
	}
}

// The tool answers a program in JSON as in its schema, and a model in text.
func TestTool(t *testing.T) {
	t.Parallel()
	var asked http.Request
	tools := agent.NewRegistry()
	if err := tools.Register(websearch.Tool(open(t, websearch.Brave, key, recorded(t, websearch.Brave, &asked)))); err != nil {
		t.Fatal(err)
	}
	res, err := tools.Invoke(t.Context(), websearch.ToolName, agent.Call{Arguments: json.RawMessage(`{"query":" sliding \n puzzle ","max_results":1}`)})
	want := `{"query":"sliding puzzle","results":[{"title":"15 puzzle - Wikipedia","url":"https://en.wikipedia.org/wiki/15_puzzle","snippet":"The 15 puzzle is a sliding puzzle of Noyes Chapman's, with 15 tiles \u0026 one gap."}]}`
	if err != nil || string(res.Structured) != want {
		t.Errorf("%s, %v", res.Structured, err)
	}
	text := "1. 15 puzzle - Wikipedia\n   https://en.wikipedia.org/wiki/15_puzzle\n   The 15 puzzle is a sliding puzzle of Noyes Chapman's, with 15 tiles & one gap."
	if len(res.Content) != 1 || res.Content[0].Text != text {
		t.Errorf("the model reads %q", res.Content)
	}
	for _, wrong := range []string{`{}`, `{"query":" "}`, `{"query":"x","max_results":21}`, `{"query":"x","pages":2}`, `{"query":"` + strings.Repeat("x", 401) + `"}`} {
		if _, err := tools.Invoke(t.Context(), websearch.ToolName, agent.Call{Arguments: json.RawMessage(wrong)}); fault.CodeOf(err) != sdkapi.ValidationError {
			t.Errorf("%.50s: %v", wrong, err)
		}
	}
	list, _ := tools.List()
	if len(list) != 1 || list[0].Risk != agent.Safe || len(list[0].Output) == 0 {
		t.Errorf("%+v", list)
	}
}

// What strangers wrote is cut to its bounds, at the end of a letter.
func TestBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 9000)
	var many []map[string]string
	for i := range 300 {
		many = append(many, map[string]string{"url": fmt.Sprintf("https://example.com/%d", i), "title": long, "content": long})
	}
	many[0]["url"] += long // is left out
	body, err := json.Marshal(map[string]any{"results": many[:30]})
	if err != nil {
		t.Fatal(err)
	}
	got, err := open(t, websearch.SearxNG, "", answers(200, "", string(body))).Search(t.Context(), "x", 20)
	if err != nil || len(got) != 20 || got[0].URL != "https://example.com/1" {
		t.Fatalf("%d results, %v", len(got), err)
	}
	for _, r := range got {
		if len(r.Title) > 300 || len(r.Snippet) > 1000 || !strings.HasSuffix(r.Title, "ä…") || !strings.HasSuffix(r.Snippet, "ä…") {
			t.Fatalf("%+v", r)
		}
	}
}
