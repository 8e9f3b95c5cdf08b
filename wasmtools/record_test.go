package wasmtools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/values"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// recordedGuest builds testdata/recorded.
var recordedGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "windie-recorded-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "recorded.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", out, "./testdata/recorded")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
})

// world is what the guest of testdata/recorded finds outside.
type world struct {
	t        *testing.T
	url      string
	cfg      wasmtools.Config
	grant    wasmtools.Grant
	requests atomic.Int64
	registry *agent.Registry
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, registry: agent.NewRegistry()}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer hunter2" {
			rw.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprintf(rw, "page %d for %s <&>\xfe", w.requests.Add(1), body)
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	store := values.Open(databasetest.Open(t, databasetest.InFile(t)))
	w.cfg = wasmtools.Config{
		Store:  func(plugin, _ string, quota wasmtools.Quota) abi.Store { return store.Plugin(plugin, quota.Bytes) },
		Secret: func(string) (string, bool) { return "hunter2", true },
	}
	grants, err := wasmtools.ParseGrants(fmt.Appendf(nil, `{"recorded":{"config":{"greeting":"ada"},"permissions":{"kv":{"bytes":10000},"tools":["other.say"],
		"http":[{"host":%q,"schemes":["http"],"methods":["POST"],"private":true,"secrets":[{"name":"KEY","in":"bearer"}]}]}}}`,
		strings.TrimPrefix(server.URL, "http://")))
	if err != nil {
		t.Fatal(err)
	}
	w.grant = grants["recorded"]
	type said struct {
		Text string `json:"text"`
		N    int64  `json:"n,omitempty"`
	}
	err = w.registry.Register(agent.Func(agent.Descriptor{Name: "other.say", Risk: agent.Safe},
		func(_ context.Context, _ agent.Call, in said) (said, error) {
			return said{in.Text, w.requests.Add(1)}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ask opens the guest and calls it once, through wrap.
func (w *world) ask(wrap func(agent.Call, abi.Host) abi.Host, grant wasmtools.Grant, url string) (agent.Result, error) {
	w.t.Helper()
	guest, err := recordedGuest()
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := w.cfg
	cfg.Wrap = wrap
	p, err := newEngine(w.t, cfg).Open(w.t.Context(), wasmtools.Source{Name: "recorded", Module: guest}, grant)
	if err != nil {
		return agent.Result{}, err
	}
	defer p.Close()
	owner := agent.Origin{Kind: agent.Wasm, Owner: "recorded"}
	if err := w.registry.Update(owner, p.Tools(grant)); err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = w.registry.Update(owner, nil) }()
	return w.registry.Invoke(w.t.Context(), "recorded.ask", agent.Call{ID: "7", User: "ada", Arguments: fmt.Appendf(nil, `{"url":%q}`, url)})
}

// replay replays a recording of the guest's call.
func (w *world) replay(recording string, isolation wasmtools.Isolation, url string) (agent.Result, error, error) {
	w.t.Helper()
	r, err := wasmtools.ReadRecording(strings.NewReader(recording))
	if err != nil {
		w.t.Fatal(err)
	}
	grant := wasmtools.Grant{Isolation: isolation} // no permission: nothing is asked for outside
	result, err := w.ask(r.Wrap, grant, url)
	return result, err, r.Done()
}

// A call that is replayed gives the same bytes for the same fuel, and touches
// nothing outside.
func TestReplayIsExact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Fresh} {
		var recording bytes.Buffer
		recorder := wasmtools.NewRecorder(&recording)
		grant := w.grant
		grant.Isolation = isolation
		was, err := w.ask(recorder.Wrap, grant, w.url)
		if err != nil || was.IsError || recorder.Err() != nil {
			t.Fatalf("%v, %+v, %v", err, was, recorder.Err())
		}
		for _, secret := range []string{"hunter2", "Bearer"} {
			if strings.Contains(recording.String(), secret) {
				t.Errorf("the recording has the secret %q", secret)
			}
		}
		before := w.requests.Load()
		for range 2 {
			is, err, left := w.replay(recording.String(), isolation, w.url)
			if err != nil || left != nil || !bytes.Equal(is.Structured, was.Structured) {
				t.Fatalf("%s: %v, %v\nwas %s\nis  %s", isolation, err, left, was.Structured, is.Structured)
			}
			if is.Usage.Fuel != was.Usage.Fuel || is.Usage.HostCalls != was.Usage.HostCalls || is.Usage.PeakMemory != was.Usage.PeakMemory {
				t.Errorf("%s: usage was %+v, and is %+v", isolation, was.Usage, is.Usage)
			}
		}
		if n := w.requests.Load(); n != before {
			t.Errorf("%d requests were made by replays", n-before)
		}
		again, err := w.ask(nil, grant, w.url)
		if err != nil || bytes.Equal(again.Structured, was.Structured) {
			t.Errorf("without a replay the same comes too: %v", err)
		}
	}
}

// keep returns the lines of a recording that pass.
func keep(recording string, pass func(run, op string) bool) string {
	var out strings.Builder
	for line := range strings.Lines(recording) {
		var x struct{ Run, Op string }
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			panic(err)
		}
		if pass(x.Run, x.Op) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// A replay that leaves its recording is stopped there, and says where.
func TestReplayDiverges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var recording bytes.Buffer
	if _, err := w.ask(wasmtools.NewRecorder(&recording).Wrap, w.grant, w.url); err != nil {
		t.Fatal(err)
	}
	text := recording.String()
	for _, tt := range []struct {
		name, recording, url string
		run, want, got       string
	}{
		{"another request", text, w.url + "/other", "call", `http.request {"method":"POST","url":"` + w.url + `"`, `http.request {"method":"POST","url":"` + w.url + `/other"`},
		{"an operation too much", keep(text, func(_, op string) bool { return op != "kv.set" }), w.url, "call", "kv.open", `kv.set {"key":"last","value":{"base64":"`},
		{"random numbers it started with", keep(text, func(run, op string) bool { return run != "describe" || op != "random.bytes" }), w.url, "describe", "", "random.bytes"},
		{"cut off", text[:strings.Index(text, `{"run":"call","op":"tools.call"`)], w.url, "call", "", "tools.call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err, _ := w.replay(tt.recording, wasmtools.Snapshot, tt.url)
			var d *wasmtools.DivergenceError
			if !errors.As(err, &d) {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if d.Run != tt.run || !strings.HasPrefix(d.Want, tt.want) || !strings.HasPrefix(d.Got, tt.got) || d.At < 1 {
				t.Errorf("%s: %+v", tt.name, d)
			}
			code := sdkapi.ToolError
			if tt.run == "describe" {
				code = sdkapi.ValidationError // what cannot describe itself is refused
			}
			wantCode(t, err, code, d.Error())
		})
	}
	longer := text + `{"run":"call","op":"config.get","input":"more","answer":{"found":false}}` + "\n"
	_, err, left := w.replay(longer, wasmtools.Snapshot, w.url)
	var d *wasmtools.DivergenceError
	if err != nil || !errors.As(left, &d) || d.Want != `config.get "more"` || d.Got != "" {
		t.Errorf("less than was recorded: %v, %v", err, left)
	}
}

// What a plugin was refused when it was recorded it is refused again, with the
// same words.
func TestReplayRefusesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var recording bytes.Buffer
	was, err := w.ask(wasmtools.NewRecorder(&recording).Wrap, wasmtools.Grant{}, w.url)
	if err != nil || !was.IsError || !strings.Contains(was.Content[0].Text, "has no rule for") {
		t.Fatalf("%v, %+v", err, was)
	}
	is, err, left := w.replay(recording.String(), "", w.url)
	if err != nil || left != nil || !is.IsError || is.Content[0].Text != was.Content[0].Text || is.Usage.Fuel != was.Usage.Fuel {
		t.Errorf("%v, %v\nwas %+v\nis  %+v", err, left, was, is)
	}
}

// A recording without a describe is of a plugin that was open already.
func TestReplayWithoutDescribe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var recording bytes.Buffer
	if _, err := w.ask(wasmtools.NewRecorder(&recording).Wrap, w.grant, w.url); err != nil {
		t.Fatal(err)
	}
	text := keep(recording.String(), func(run, _ string) bool { return run == "call" })
	is, err, left := w.replay(text, wasmtools.Snapshot, w.url)
	if err != nil || left != nil || !strings.Contains(string(is.Structured), `"page":"page 1 for ada`) {
		t.Errorf("%v, %v, %s", err, left, is.Structured)
	}
}

func TestRecordingsAreRefused(t *testing.T) {
	t.Parallel()
	begin := `{"run":"call","op":"begin"}` + "\n"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "line 1: it has no call"},
		{"no call", `{"run":"describe","op":"begin"}`, "line 2: it has no call"},
		{"no JSON", begin + "{", "line 2: unexpected EOF"},
		{"another field", begin + `{"run":"call","op":"clock.now","when":1}`, `line 2: json: unknown field "when"`},
		{"another run", `{"run":"walk","op":"begin"}`, `line 1: it has a run "walk"`},
		{"no beginning", `{"run":"call","op":"clock.now"}`, "line 1: a run begins with"},
		{"two beginnings", begin + begin, "line 2: a run begins with"},
		{"too long", begin + strings.Repeat(" ", wasmtools.MaxRecordingBytes), "line 2: the recording is over its limit"},
	} {
		_, err := wasmtools.ReadRecording(strings.NewReader(tt.text))
		wantCode(t, err, sdkapi.ValidationError, tt.want)
	}
}

// host answers each read of the clock.
type host struct{ abi.Host }

func (host) Monotonic() int64             { return 1 }
func (host) Config(string) (string, bool) { return strings.Repeat("x", 1<<20), true }

// A recording is as long as its limit and no longer, and then says so.
func TestRecordingsAreBounded(t *testing.T) {
	t.Parallel()
	var n int
	recorder := wasmtools.NewRecorder(writerFunc(func(p []byte) (int, error) { n += len(p); return len(p), nil }))
	h := recorder.Wrap(agent.Call{ID: "1"}, host{})
	for i := range 70 {
		if value, ok := h.Config("a"); !ok || len(value) != 1<<20 {
			t.Fatal("the recorder keeps an answer from the guest")
		}
		if full := errors.Is(recorder.Err(), wasmtools.ErrRecordingFull); full != (i >= 63) {
			t.Fatalf("after %d MiB: %v", i+1, recorder.Err())
		}
	}
	if n > wasmtools.MaxRecordingBytes || n < wasmtools.MaxRecordingBytes-2<<20 {
		t.Errorf("%d bytes were written", n)
	}
	broken := wasmtools.NewRecorder(writerFunc(func([]byte) (int, error) { return 0, errors.New("the disk is full") }))
	broken.Wrap(agent.Call{}, host{}).Monotonic()
	if err := broken.Err(); err == nil || err.Error() != "the disk is full" {
		t.Errorf("a disk that is full: %v", err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
