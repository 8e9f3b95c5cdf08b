package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// FaultPrefix begins the names of faults for a stage, whose gateway then has the tools conformance.count, which counts
// its runs, and conformance.wait, which waits until its caller goes away.
const FaultPrefix = "fault-"

// Fault is a case in which something goes wrong on the way. It may be used again.
type Fault struct {
	Name  string
	model string // what the gateway's model says
	run   func(t *trial) string
}

// trial is one run of a fault. Its functions say what is wrong with the client.
type trial struct {
	ctx    context.Context
	driver *Driver
	proxy  *proxy
	user   string
}

// fault runs a fault against a gateway of its own.
func (r *Runner) fault(ctx context.Context, f *Fault, driver *Driver) (Outcome, error) {
	var model []byte
	if f.model != "" {
		model = []byte(f.model)
	}
	_, proxy, _, stop, err := r.begin(ctx, FaultPrefix+f.Name, model)
	if err != nil {
		return Outcome{}, err
	}
	defer stop()
	t := &trial{ctx: ctx, driver: driver, proxy: proxy, user: "ada"}
	why := f.run(t)
	judge := player{skips: func(step, why string) *Skip { return r.Skips.of(driver.Language, f.Name, step, why) }}
	return judge.judge("fault", why), nil
}

// OwnFaults are the faults that clients must bear, whose names match a pattern of path.Match.
func OwnFaults(pattern string) (list []*Fault) {
	for _, f := range slices.Concat(callFaults(), streamFaults(), agentFaults()) {
		if pattern == "" || matches(pattern, f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// call makes a call and returns its last line.
func (t *trial) call(op string, args Args, key string) (Line, error) {
	c, err := t.driver.call(op, args, t.opts(key, false))
	if err != nil {
		return Line{}, err
	}
	line, _, err := c.end()
	return line, err
}

func (t *trial) opts(key string, stream bool) Opts {
	return Opts{BaseURL: t.proxy.url, UserID: t.user, IdempotencyKey: key, Stream: stream}
}

// ends says what is wrong with a call that should succeed after n requests.
func (t *trial) succeeds(op string, args Args, key, method, path string, n int) string {
	line, err := t.call(op, args, key)
	switch sent := t.proxy.requests(method, path); {
	case err != nil:
		return err.Error()
	case line.Cannot != "":
		return line.Cannot
	case line.Error != nil:
		return fmt.Sprintf("the call fails with %s (%d), %s", line.Error.Code, line.Error.Status, line.Error.Message)
	case len(sent) != n:
		return fmt.Sprintf("%d requests are sent, not %d", len(sent), n)
	}
	return ""
}

// fails says what is wrong with a call that should fail with a status and a code, if that is not empty.
func (t *trial) fails(op string, args Args, status int, code string) string {
	switch line, err := t.call(op, args, ""); {
	case err != nil:
		return err.Error()
	case line.Error == nil:
		return fmt.Sprintf("the call does not fail: %s%s", line.Cannot, line.OK)
	case line.Error.Status != status, code != "" && line.Error.Code != code:
		return fmt.Sprintf("the call fails with %s (%d), not %s (%d)", line.Error.Code, line.Error.Status, code, status)
	}
	return ""
}

func errorBody(code, message string) string {
	body, err := json.Marshal(sdkapi.ErrorResponse{Error: sdkapi.Error{Code: sdkapi.Code(code), Message: message}})
	if err != nil {
		panic(err) // texts alone
	}
	return string(body)
}

const (
	toolsPath  = sdkapi.ToolsPath
	countTool  = "conformance.count"
	htmlPage   = "<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"
	jsonType   = "application/json"
	retryAfter = time.Second
)

var count = Args{Path: map[string]string{"tool_id": countTool}, Body: json.RawMessage(`{}`)}

// callFaults are those of single calls.
func callFaults() []*Fault {
	invoke := sdkapi.ToolPath(countTool)
	return []*Fault{
		{Name: "retry-after", run: func(t *trial) string {
			t.proxy.breakWith(&breakage{method: http.MethodGet, path: toolsPath, times: 1, status: http.StatusTooManyRequests, header: map[string]string{"Retry-After": "1", "Content-Type": jsonType}, body: errorBody("RATE_LIMITED", "too much")})
			began := time.Now()
			if why := t.succeeds("tools.list", Args{}, "", http.MethodGet, toolsPath, 2); why != "" {
				return why
			}
			if took := time.Since(began); took < retryAfter {
				return fmt.Sprintf("the second request comes after %s, before Retry-After", took.Round(time.Millisecond))
			}
			return ""
		}},
		{Name: "503-twice", run: func(t *trial) string {
			t.proxy.breakWith(&breakage{method: http.MethodGet, path: toolsPath, times: 2, status: http.StatusServiceUnavailable, header: map[string]string{"Content-Type": jsonType}, body: errorBody("STATE_UNAVAILABLE", "soon")})
			return t.succeeds("tools.list", Args{}, "", http.MethodGet, toolsPath, 3)
		}},
		{Name: "503-with-key", run: func(t *trial) string {
			t.proxy.breakWith(&breakage{method: http.MethodPost, path: invoke, times: 2, status: http.StatusServiceUnavailable, header: map[string]string{"Content-Type": jsonType}, body: errorBody("STATE_UNAVAILABLE", "soon")})
			return cmpFirst(t.succeeds("tools.invoke", count, "key-1", http.MethodPost, invoke, 3), t.sameKeys(invoke))
		}},
		{Name: "502-html", run: func(t *trial) string {
			t.proxy.breakWith(&breakage{method: http.MethodGet, path: toolsPath, times: 100, status: http.StatusBadGateway, header: map[string]string{"Content-Type": "text/html"}, body: htmlPage})
			return t.fails("tools.list", Args{}, http.StatusBadGateway, "")
		}},
		{Name: "lost-answer", run: lostAnswer},
		{Name: "unsafe-once", run: func(t *trial) string {
			// A request that may have had an effect is sent again only with a key, by which it has it once.
			t.proxy.breakWith(&breakage{method: http.MethodPost, path: invoke, times: 1, lose: true})
			if _, err := t.call("tools.invoke", count, ""); err != nil {
				return err.Error()
			}
			return cmpFirst(t.sameKeys(invoke), t.ran(1))
		}},
		{Name: "unknown-field", run: func(t *trial) string {
			t.proxy.breakWith(&breakage{method: http.MethodGet, path: "*", times: 100, edit: withField})
			return cmpFirst(t.succeeds("tools.list", Args{}, "", http.MethodGet, toolsPath, 1), t.succeeds("capabilities", Args{}, "", http.MethodGet, sdkapi.CapabilitiesPath, 1))
		}},
		{Name: "unknown-enum", run: unknownEnum},
		{Name: "unknown-code", run: func(t *trial) string {
			t.proxy.breakWith(&breakage{method: http.MethodGet, path: toolsPath, times: 100, status: http.StatusConflict, header: map[string]string{"Content-Type": jsonType}, body: errorBody("OF_A_LATER_RELEASE", "new")})
			return t.fails("tools.list", Args{}, http.StatusConflict, "OF_A_LATER_RELEASE")
		}},
	}
}

// cmpFirst returns the first complaint.
func cmpFirst(complaints ...string) string {
	for _, complaint := range complaints {
		if complaint != "" {
			return complaint
		}
	}
	return ""
}

// sameKeys says whether requests that were sent again differ in their key, or have none.
func (t *trial) sameKeys(path string) string {
	sent := t.proxy.requests(http.MethodPost, path)
	for _, x := range sent {
		if key := x.header.Get("Idempotency-Key"); len(sent) > 1 && (key == "" || key != sent[0].header.Get("Idempotency-Key")) {
			return fmt.Sprintf("a request that may have had an effect is sent again with the key %q, after %q", key, sent[0].header.Get("Idempotency-Key"))
		}
	}
	return ""
}

// ran says whether the counting tool ran another number of times than n before this.
func (t *trial) ran(n int) string {
	t.proxy.breakWith()
	line, err := t.call("tools.invoke", count, "")
	if err != nil || line.Error != nil {
		return fmt.Sprintf("the tool cannot be called: %v %v", err, line.Error)
	}
	if want := fmt.Sprintf(`"count":%d`, n+1); !bytes.Contains(bytes.ReplaceAll(line.OK, []byte(" "), nil), []byte(want)) {
		return fmt.Sprintf("the tool did not run %d times: the next call returns %s", n, line.OK)
	}
	return ""
}

// lostAnswer breaks the connection before the answer to a call with a key: it is made again, and has its effect once.
func lostAnswer(t *trial) string {
	invoke := sdkapi.ToolPath(countTool)
	t.proxy.breakWith(&breakage{method: http.MethodPost, path: invoke, times: 1, lose: true})
	return cmpFirst(t.succeeds("tools.invoke", count, "key-2", http.MethodPost, invoke, 2), t.sameKeys(invoke), t.ran(1))
}

// unknownEnum has a tool of a risk that a later release may have.
func unknownEnum(t *trial) string {
	const risk = "of a later release"
	t.proxy.breakWith(&breakage{method: http.MethodGet, path: toolsPath, times: 1, edit: func(list map[string]any) {
		tools, _ := list["tools"].([]any)
		for _, tool := range tools {
			tool.(map[string]any)["risk"] = risk //nolint:forcetypeassert // a tool is an object
		}
	}})
	line, err := t.call("tools.list", Args{}, "")
	switch {
	case err != nil:
		return err.Error()
	case line.Error != nil:
		return "the call fails: " + line.Error.Message
	case !strings.Contains(string(line.OK), risk):
		return "the value is not handed on"
	}
	return ""
}
