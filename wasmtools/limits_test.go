package wasmtools_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// edge is how a limit is tested: what the tool attack does needs exactly the
// limit, and with one less it is stopped.
type edge struct {
	body    func(g *handmade) []byte
	need    func(p *wasmtools.Plugin, t *testing.T) int64 // of the limit
	spare   int64                                         // that it takes after the last look at the limit
	imports []string
	code    sdkapi.Code // default TOOL_ERROR
	says    string      // default that it went over the limit of that name
}

func exactly(n int64) func(*wasmtools.Plugin, *testing.T) int64 {
	return func(*wasmtools.Plugin, *testing.T) int64 { return n }
}

// used is the fuel that a call is seen to take.
func used(p *wasmtools.Plugin, t *testing.T) int64 {
	_, result, err := call(t.Context(), t, p, "attack", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	return int64(result.Usage.Fuel)
}

// edges has an entry for each limit but those of edgesElsewhere.
var edges = map[string]edge{
	"fuel": {body: func(g *handmade) []byte { // a call looks at the fuel, and the answer is written after it
		return w.Seq(w.Repeat(10_000, w.I32(1), w.Drop), w.Call(g.add("", "", "", w.Nop)))
	}, need: used, spare: 503},
	"input_bytes": {body: is(w.Nop), need: exactly(int64(len(`{"name":"attack","arguments":{}}`)))},
	"output_bytes": {body: func(g *handmade) []byte {
		g.Text(0x100, strings.Repeat(" ", 1000))
		return g.try("output_write", w.I32(0x100), w.I32(1000))
	}, need: exactly(int64(1000 + len(goodAnswer)))},
	"host_calls":   {body: func(g *handmade) []byte { return w.Repeat(7, operation("config.get", `{"key":"x"}`)(g)) }, need: exactly(7)},
	"random_bytes": {body: func(g *handmade) []byte { return w.Repeat(2, operation("random.bytes", `{"n":500}`)(g)) }, need: exactly(1000)},
	"memory_bytes": {body: is(w.Repeat(4, growOr(w.Seq(w.I32(1), w.MemoryGrow()), w.Unreachable))), need: exactly(5 * onePage),
		says: "(its memory was at the limit memory_bytes of 262144)"},
	"table_entries": {body: func(g *handmade) []byte {
		g.Table(1, -1)
		return growOr(w.Seq(nullRef, w.I32(99), tableGrow), w.Unreachable)
	}, need: exactly(100), says: "unreachable"},
	"stack_depth": {body: func(g *handmade) []byte { // one frame for call, and one for each number down to 0
		self := g.ImportedFuncs + len(g.Funcs)
		return w.Seq(w.I32(8), w.Call(g.add("i", "", "", w.Get(0), w.When(w.Get(0), w.I32(1), w.Sub, w.Call(self)))))
	}, need: exactly(10)},
	"file_bytes": {imports: wasi("path_open", "fd_write", "fd_close"), need: exactly(1024 + 4096), says: "file_bytes limits the folder's bytes", body: func(g *handmade) []byte {
		g.Text(0x100, "new")
		open := g.try("path_open", w.I32(3), w.I32(0), w.I32(0x100), w.I32(3), w.I32(1|8), w.I64(1<<6), w.I64(1<<6), w.I32(0), w.I32(0x200)) // create, truncate
		write := w.Seq(w.I32(0x200), w.Load(0), w.I32(0x300), w.I32(1), w.I32(0x400), g.host("fd_write"), w.When(g.try("error_write", w.I32(0x100), w.I32(3))))
		return w.Seq(open, i32s(0x300, 0x1000, 4096), write, w.I32(0x200), w.Load(0), g.host("fd_close"), w.Drop)
	}},
	"wall_ms": {imports: wasi("poll_oneoff"), body: func(g *handmade) []byte { return sleep(g, 2e9) }, need: nil, code: sdkapi.Timeout, says: "wall_ms (100 "},
}

// edgesElsewhere names the tests of the other limits.
var edgesElsewhere = map[string]func(*testing.T){
	"log_lines": TestLogsEnd, "log_bytes": TestLogsEnd,
	"http_requests": TestRequestsEnd, "http_bytes": TestRequestsEnd,
	"concurrent_calls": TestCallsWaitTheirTurn, "queued_calls": TestCallsWaitTheirTurn,
}

// TestLimitsAtTheirEdge needs as much as each limit allows, and then one more.
func TestLimitsAtTheirEdge(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[wasmtools.Limits]()
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		e, here := edges[name]
		if _, elsewhere := edgesElsewhere[name]; here == elsewhere {
			t.Errorf("the limit %s has %v tests here", name, here)
		}
		if here {
			t.Run(name, func(t *testing.T) { t.Parallel(); e.test(t, name, i) })
		}
	}
}

// test tests the limit that is a field of Limits.
func (e edge) test(t *testing.T, name string, field int) {
	t.Helper()
	pages, most := 1, -1
	module := attacker(abi.Bulk, pages, most, e.imports, e.body)
	open := func(limit int64) *wasmtools.Plugin {
		grant := wasmtools.Grant{}
		if name == "file_bytes" {
			grant.Permissions.FS = []wasmtools.Mount{{Path: t.TempDir(), At: "/data", Write: true}}
		}
		reflect.ValueOf(&grant.Limits).Elem().Field(field).SetInt(limit)
		return openSource(t, wasmtools.Config{}, grant, wasmtools.Source{Name: "edge", Module: module})
	}
	enough, less := int64(5000*slowness), int64(100)
	if e.need != nil {
		enough = e.need(open(0), t)
		less = enough - 1 - e.spare
	}
	if e.code == "" {
		e.code = sdkapi.ToolError
	}
	if e.says == "" {
		e.says = fmt.Sprintf("exceeded its limit %s of %d", name, less)
	}
	p := open(enough)
	if _, _, err := call(t.Context(), t, p, "attack", `{}`); err != nil {
		t.Errorf("with %d: %v", enough, err)
	}
	_, _, err := call(t.Context(), t, open(less), "attack", `{}`)
	wantCode(t, err, e.code, e.says)
}

// lines gathers what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestLogsEnd drops what is over the limits of logging, and says so.
func TestLogsEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limits  wasmtools.Limits
		dropped string
	}{
		{wasmtools.Limits{LogLines: 6}, ""}, {wasmtools.Limits{LogLines: 5}, "1 more lines were dropped"}, {wasmtools.Limits{LogLines: 2}, "4 more lines were dropped"},
		{wasmtools.Limits{LogBytes: 60}, ""}, {wasmtools.Limits{LogBytes: 59}, "1 more lines were dropped"}, {wasmtools.Limits{LogBytes: 9}, "6 more lines were dropped"},
	} {
		t.Run(fmt.Sprint(tt.limits), func(t *testing.T) {
			var log lines
			module := attacker(abi.Bulk, 1, 1, nil, func(g *handmade) []byte {
				g.Text(0x100, "ten bytes.")
				return w.Repeat(6, g.try("log", w.I32(2), w.I32(0x100), w.I32(10)))
			})
			p := openSource(t, wasmtools.Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, limits(tt.limits), wasmtools.Source{Name: "logs", Module: module})
			if _, _, err := call(t.Context(), t, p, "attack", `{}`); err != nil {
				t.Error(err)
			}
			got, lost := strings.Count(log.String(), "ten bytes."), 0
			_, _ = fmt.Sscan(tt.dropped, &lost)
			if got != 6-lost || !strings.Contains(log.String(), tt.dropped) || strings.Contains(log.String(), "dropped") != (lost > 0) {
				t.Errorf("%+v: %d lines and\n%s", tt.limits, got, log.String())
			}
		})
	}
}

// TestRequestsEnd finds the least with which a request gets through.
func TestRequestsEnd(t *testing.T) {
	t.Parallel()
	const body = 20_000
	port := answerWith(t, func(rw http.ResponseWriter, r *http.Request) {
		if n := strings.TrimPrefix(r.URL.Path, "/on"); n != "" && n != r.URL.Path {
			http.Redirect(rw, r, "/on"+n[1:], http.StatusFound)
			return
		}
		_, _ = rw.Write(make([]byte, body))
	})
	get := func(limits wasmtools.Limits, path string) (agent.Result, error) {
		grant := wasmtools.Grant{Limits: limits, Permissions: wasmtools.Permissions{HTTP: []egress.Rule{{Host: "a.test:" + port, Schemes: []string{"http"}, Private: true}}}}
		p := openSource(t, wasmtools.Config{Resolver: local}, grant, wasmtools.Source{Name: "asks", Module: attacker(abi.Bulk, 1, 1, nil, sends)})
		_, result, err := call(t.Context(), t, p, "attack", `{"url":"http://a.test:`+port+path+`"}`)
		return result, err
	}
	if _, err := get(wasmtools.Limits{HTTPRequests: 3}, "/onxx"); err != nil {
		t.Errorf("three requests: %v", err)
	}
	_, err := get(wasmtools.Limits{HTTPRequests: 2}, "/onxx")
	wantCode(t, err, sdkapi.ToolError, "the name of this limit is http_requests")
	low, high := int64(1), int64(1<<20)
	for low+1 < high {
		middle := (low + high) / 2
		if _, err = get(wasmtools.Limits{HTTPBytes: middle}, "/"); err == nil {
			high = middle
		} else {
			low = middle
			wantCode(t, err, sdkapi.ToolError, "the name of this limit is http_bytes")
		}
	}
	result, err := get(wasmtools.Limits{HTTPBytes: high}, "/")
	if sent := result.Usage.EgressBytes; err != nil || sent < 50 || high < body+sent || high > body+sent+1000 {
		t.Errorf("a request of %d and an answer of %d take %d, %v", sent, body, high, err)
	}
}

// TestCallsWaitTheirTurn has two calls run, one wait, and one too many.
func TestCallsWaitTheirTurn(t *testing.T) {
	t.Parallel()
	gate := newGate()
	p := openSource(t, gate.config(), limits(wasmtools.Limits{ConcurrentCalls: 2, QueuedCalls: 1}), gate.source())
	errs := make(chan error, 3)
	start := func() {
		go func() { _, _, err := call(t.Context(), t, p, "attack", `{}`); errs <- err }()
	}
	start()
	start()
	<-gate.entered
	<-gate.entered
	start()
	err := testkit.Eventually(t, "the third call waits", func() (error, bool) { // until then a fourth would wait
		select {
		case err := <-errs: // the fourth waited when the third came
			wantCode(t, err, sdkapi.Overloaded, "")
			start()
		default:
		}
		_, _, err := call(cancelled(t), t, p, "good", `{}`)
		return err, fault.CodeOf(err) == sdkapi.Overloaded
	})
	wantCode(t, err, sdkapi.Overloaded, "its limits concurrent_calls and queued_calls")
	select {
	case <-gate.entered:
		t.Error("three calls run at once")
	case <-time.After(20 * time.Millisecond):
	}
	close(gate.open)
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	mustAnswer(t, p)
}

// TestUsage: a call reports what it took.
func TestUsage(t *testing.T) {
	t.Parallel()
	module := attacker(abi.Bulk, 1, -1, wasi("poll_oneoff"), func(g *handmade) []byte {
		return w.Seq(w.I32(3), w.MemoryGrow(), w.Drop, sleep(g, 20e6), w.Repeat(5, operation("clock.now", `{}`)(g)), g.try("log", w.I32(2), w.I32(0), w.I32(1)))
	})
	p := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "usage", Module: module})
	var first agent.Usage
	for i := range 3 {
		begun := time.Now()
		_, result, err := call(t.Context(), t, p, "attack", `{}`)
		u := result.Usage
		if err != nil || u.PeakMemory != 4*onePage || u.HostCalls != 6 || u.EgressBytes != 0 || u.WallTime < 20*time.Millisecond || u.WallTime > time.Since(begun) {
			t.Errorf("%+v, %v", u, err)
		}
		if i == 0 {
			first = u
		}
		if u.Fuel != first.Fuel || u.Fuel < 9*500 { // nine calls of the host
			t.Errorf("fuel %d, and at first %d", u.Fuel, first.Fuel)
		}
	}
	_, result, _ := call(t.Context(), t, p, "good", `{}`)
	if u := result.Usage; u.PeakMemory != onePage || u.HostCalls != 0 {
		t.Errorf("of another call: %+v", u)
	}
}
