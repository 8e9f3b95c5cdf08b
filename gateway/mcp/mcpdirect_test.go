package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

const (
	plainly    = "application/json"  // how a plain call is answered
	bySDK      = "text/event-stream" // how the SDK answers a call
	echoParams = `"name":"test_echo","arguments":{"a":1}`
)

// A plain call is answered as the SDK answers the same call.
func TestMCPPlainCallsAreAnsweredAsBySDK(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tools := doorstest.RegistryOf(t, doorstest.EchoTool{Input: `{"type":"object","required":["a"]}`},
			doorstest.FakeTool{About: agent.Descriptor{Name: "test.parts"}, Answer: doorstest.Always(agent.Result{Structured: json.RawMessage(`[1]`), Content: []agent.Part{
				agent.Text("<b>\u2028"), agent.Image("image/png", []byte("png")), agent.JSON(json.RawMessage(`{"b":2}`))}})},
			doorstest.FakeTool{About: agent.Descriptor{Name: "test.nothing"}, Answer: doorstest.Always(agent.Result{})},
			doorstest.FakeTool{About: agent.Descriptor{Name: "test.fails"}, Answer: doorstest.Always(agent.Failf("cannot").Result())},
			doorstest.FakeTool{About: agent.Descriptor{Name: "test.breaks"}, Answer: func(context.Context, agent.Call) (agent.Result, error) { panic("broken") }})
		url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools})
		header := doorstest.MCPSession(t, url, version)
		doorstest.MCPCall(t, url, version, "test_nothing", `{}`, header...) // the SDK has the first of a session
		for _, params := range []string{
			`"name":"test_echo","arguments":{"a":1.50,"b":"<\u0001>"}`, `"name":"test_echo","arguments":{}`, `"name":"test_echo","arguments":null`,
			`"name":"test_echo","arguments":[1]`, `"name":"test_echo"`, `"name":"test_parts"`, `"name":"test_nothing","arguments":{}`, `"name":"test_fails"`, `"name":"test_breaks"`,
		} {
			plain, got := doorstest.MCPPost(t, url, version, "tools/call", params, header...)
			sdk, want := doorstest.MCPPost(t, url, version, "tools/call", params+`,"unknown":0`, header...)
			if a, b := plain.Header.Get("Content-Type"), sdk.Header.Get("Content-Type"); a != plainly || b != bySDK || plain.StatusCode != sdk.StatusCode {
				t.Errorf("%s: %s %s, by the SDK %s %s", params, plain.Status, a, sdk.Status, b)
			}
			if a, b := withoutIDs(t, got), withoutIDs(t, want); !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %s\nby the SDK %s", params, got, want)
			}
		}
	})
}

// requestID matches the ids of requests.
var requestID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// withoutIDs is a message without what is another for each request.
func withoutIDs(t *testing.T, message string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(requestID.ReplaceAllString(message, `x`)), &v); err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	return v
}

// What is not plain beyond doubt the SDK gets, which refuses what is wrong.
func TestMCPCallsThatAreNotPlain(t *testing.T) {
	t.Parallel()
	tools := doorstest.RegistryOf(t, doorstest.EchoTool{}, doorstest.FakeTool{About: agent.Descriptor{Name: "test.risky", Risk: agent.Risky}, Answer: doorstest.Always(agent.Result{})},
		doorstest.FakeTool{About: agent.Descriptor{Name: "test.header", Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}`)}, Answer: doorstest.Always(agent.Result{})})
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools, Journal: doorstest.MemoryJournal(t)})
	const old, now = "2025-11-25", "2026-07-28"
	session, other, fresh := doorstest.MCPSession(t, url, old), doorstest.MCPSession(t, url, old), doorstest.MCPSession(t, url, old)
	doorstest.MCPCall(t, url, old, "test_echo", `{}`, session...)
	doorstest.MCPCall(t, url, old, "test_echo", `{}`, other...)
	for name, tt := range map[string]struct {
		version, params string
		edit            [2]string // what to write for what in the message
		header          []string
		status          int
		answered        string
	}{
		"plain in a session":             {old, echoParams, [2]string{}, session, 200, plainly},
		"plain without a session":        {now, echoParams, [2]string{}, nil, 200, plainly},
		"a text for an id":               {now, echoParams, [2]string{`"id":1`, `"id":"ä 1"`}, nil, 200, plainly},
		"the first of a session":         {old, echoParams, [2]string{}, fresh, 200, bySDK},
		"another version in a session":   {old, echoParams, [2]string{}, append([]string{sdkapi.MCPVersionHeader, "2025-06-18"}, other...), 200, bySDK},
		"meta in a session":              {old, echoParams + `,"_meta":{}`, [2]string{}, session, 200, bySDK},
		"progress":                       {now, echoParams, [2]string{`"_meta":{`, `"_meta":{"progressToken":1,`}, nil, 200, bySDK},
		"an odd id":                      {now, echoParams, [2]string{`"id":1`, `"id":1e0`}, nil, 200, bySDK},
		"another member":                 {now, echoParams, [2]string{`"id":1`, `"id":1,"x":1`}, nil, 200, bySDK},
		"other letters":                  {now, echoParams, [2]string{`"method"`, `"Method"`}, nil, 202, ""},
		"no id":                          {now, echoParams, [2]string{`"id":1,`, ``}, nil, 400, ""},
		"no JSON":                        {now, echoParams, [2]string{`"id":1,`, `"id":1;`}, nil, 400, ""},
		"another JSON-RPC":               {now, echoParams, [2]string{`"2.0"`, `"1.0"`}, nil, 400, ""},
		"a batch":                        {now, echoParams, [2]string{`{"jsonrpc"`, `[{"jsonrpc"`}, nil, 400, ""},
		"another version than it says":   {now, echoParams, [2]string{`Version":"2026-07-28"`, `Version":"2026-07-29"`}, nil, 400, ""},
		"no capabilities":                {now, echoParams, [2]string{`/clientCapabilities":{}`, `/clientCapabilities":null`}, nil, 400, ""},
		"another method in the header":   {now, echoParams, [2]string{}, []string{sdkapi.MCPMethodHeader, "tools/list"}, 400, ""},
		"another name in the header":     {now, echoParams, [2]string{}, []string{"Mcp-Name", "test_other"}, 400, ""},
		"an argument without its header": {now, `"name":"test_header","arguments":{"a":"x"}`, [2]string{}, nil, 400, ""},
		"takes events alone":             {now, echoParams, [2]string{}, []string{"Accept", "text/event-stream"}, 400, ""},
		"not sent as JSON":               {now, echoParams, [2]string{}, []string{"Content-Type", "text/plain"}, 415, ""},
		"a call that is asked about":     {now, `"name":"test_risky"`, [2]string{}, nil, 200, bySDK},
		"a tool that is not there":       {now, `"name":"test_none"`, [2]string{}, nil, 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			req := doorstest.MCPMessage(t, url, tt.version, "tools/call", tt.params, tt.header...)
			raw, _ := io.ReadAll(req.Body)
			body := strings.Replace(string(raw), tt.edit[0], tt.edit[1], 1)
			if tt.edit[0] != "" && body == string(raw) {
				t.Fatalf("%s: there is no %s in %s", name, tt.edit[0], body)
			}
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != tt.status || tt.answered != "" && resp.Header.Get("Content-Type") != tt.answered {
				t.Errorf("%s: %s %s %s", name, resp.Status, resp.Header.Get("Content-Type"), answer)
			}
		})
	}
}

// A plain call of a session ends when the client says that it is not wanted any
// longer, or ends the session.
func TestMCPPlainCallsAreCanceled(t *testing.T) {
	t.Parallel()
	const version = "2025-11-25"
	tool, started, _ := doorstest.StayingTool()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool, doorstest.EchoTool{})})
	header := doorstest.MCPSession(t, url, version)
	doorstest.MCPCall(t, url, version, "test_echo", `{}`, header...)
	ends := func(how string, end func(call context.Context)) {
		answered := make(chan string, 1)
		go func() {
			resp, _ := doorstest.MCPPost(t, url, version, "tools/call", `"name":"test_stay","arguments":{}`, header...)
			answered <- resp.Header.Get("Content-Type")
		}()
		call := doorstest.Receive(t, started, "the call")
		end(call)
		doorstest.Receive(t, call.Done(), "the call to end by "+how)
		if form := doorstest.Receive(t, answered, "the answer"); form != plainly {
			t.Errorf("%s: the call was not plain: %s", how, form)
		}
	}
	ends("a message", func(call context.Context) {
		doorstest.MCPPost(t, url, version, "notifications/cancelled", `"requestId":2`, header...)
		select {
		case <-call.Done():
			t.Error("a call ended when another was not wanted")
		case <-time.After(100 * time.Millisecond):
		}
		doorstest.MCPPost(t, url, version, "notifications/cancelled", `"requestId":1`, header...)
	})
	ends("the end of its session", func(context.Context) {
		req := doorstest.MCPMessage(t, url, version, "x", "", header...)
		req.Method, req.Body, req.ContentLength = http.MethodDelete, nil, 0
		if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode/100 != 2 {
			t.Error(resp, err)
		}
	})
	if resp, body := doorstest.MCPPost(t, url, version, "tools/call", echoParams, header...); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a call in a session that has ended: %s %s", resp.Status, body)
	}
}

// A session in which nearly all calls are plain is not idle: the SDK gets one now
// and then, long before it would end the session.
func TestMCPPlainCallsKeepTheSession(t *testing.T) {
	t.Parallel()
	const version, idle = "2025-11-25", 2 * time.Second
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, doorstest.EchoTool{}), MCPSessionTTL: idle})
	header := doorstest.MCPSession(t, url, version)
	call := func() (plain bool) {
		t.Helper()
		resp, body := doorstest.MCPPost(t, url, version, "tools/call", echoParams, header...)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("a call is answered %s %s", resp.Status, body)
		}
		return resp.Header.Get("Content-Type") == plainly
	}
	call() // the SDK gets the first
	plain := 0
	testkit.Eventually(t, "the SDK gets a call, behind a quarter of the time", func() (int, bool) {
		if !call() {
			return plain, true
		}
		plain++
		return plain, false
	})
	if resp, body := doorstest.MCPPost(t, url, version, "ping", "", header...); plain < 2 || resp.StatusCode != http.StatusOK {
		t.Errorf("%d calls were plain; then the SDK says %s %s", plain, resp.Status, body)
	}
}
