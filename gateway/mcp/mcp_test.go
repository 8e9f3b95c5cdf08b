package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	mcproom "github.com/windieos/windie/gateway/mcp"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// overEachVersion runs a test for both ways of the protocol.
func overEachVersion(t *testing.T, test func(t *testing.T, version string)) {
	t.Parallel()
	for _, version := range doorstest.MCPVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, version)
		})
	}
}

// Tools are listed as clients want them, whatever they are like, and those that
// no model should see are not.
func TestMCPListsTools(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		nothing := doorstest.Always(agent.Result{})
		tools := doorstest.RegistryOf(t,
			doorstest.FakeTool{About: agent.Descriptor{Name: "a.safe", Description: "Looks.", Input: json.RawMessage(`{"type":["object"]}`), Output: json.RawMessage(`{"type":"object"}`)}, Answer: nothing},
			doorstest.FakeTool{About: agent.Descriptor{Name: "b.risky", Risk: agent.Risky, Output: json.RawMessage(`{"type":"array"}`)}, Answer: nothing},
			doorstest.FakeTool{About: agent.Descriptor{Name: "c.forbidden", Risk: agent.Forbidden}, Answer: nothing},
			doorstest.FakeTool{About: agent.Descriptor{Name: "d.clients", APIOnly: true}, Answer: nothing},
			doorstest.FakeTool{About: agent.Descriptor{Name: "e.starting", Starting: true}, Answer: nothing},
			doorstest.FakeTool{About: agent.Descriptor{Name: "f.odd", Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"no header"}}}`)}, Answer: nothing})
		url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools})
		_, body := doorstest.MCPPost(t, url, version, "tools/list", "", doorstest.MCPSession(t, url, version)...)
		for _, want := range []string{
			`{"_meta":{"windie/name":"a.safe"},"annotations":{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true},"description":"Looks.","inputSchema":{"properties":{},"type":"object"},"name":"a_safe","outputSchema":{"type":"object"},"title":"A: safe"}`,
			`{"_meta":{"windie/name":"b.risky"},"annotations":{"destructiveHint":true,"idempotentHint":false,"readOnlyHint":false},"inputSchema":{"properties":{},"type":"object"},"name":"b_risky","title":"B: risky"}`,
		} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in\n%s", want, body)
			}
		}
		if strings.Count(body, `"inputSchema"`) != 2 {
			t.Errorf("more than two tools: %s", body)
		}
		for _, name := range []string{"c_forbidden", "d_clients"} {
			if _, body := doorstest.MCPPost(t, url, version, "tools/call", `"name":"`+name+`"`, doorstest.MCPSession(t, url, version)...); !strings.Contains(body, "unknown tool") {
				t.Errorf("%s: %s", name, body)
			}
		}
	})
}

// What a tool answers arrives: text, images, JSON, its own failures and others.
func TestMCPResults(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tools := doorstest.RegistryOf(t, doorstest.EchoTool{Input: `{"type":"object","required":["a"]}`},
			doorstest.FakeTool{About: agent.Descriptor{Name: "test.parts"}, Answer: doorstest.Always(agent.Result{Structured: json.RawMessage(`[1]`), Content: []agent.Part{
				agent.Text("text"), agent.Image("image/png", []byte("png")), agent.JSON(json.RawMessage(`{"b":2}`))}})},
			doorstest.FakeTool{About: agent.Descriptor{Name: "test.fails"}, Answer: doorstest.Always(agent.Failf("cannot").Result())},
			doorstest.FakeTool{About: agent.Descriptor{Name: "test.breaks"}, Answer: func(context.Context, agent.Call) (agent.Result, error) { panic("broken") }})
		url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools})
		header := doorstest.MCPSession(t, url, version)
		call := func(tool, arguments string) doorstest.MCPAnswer {
			return doorstest.MCPCall(t, url, version, tool, arguments, header...)
		}
		if r := call("test_echo", `{"a":1}`); string(r.StructuredContent) != `{"a":1}` || r.Text() != `{"a":1}` || r.IsError {
			t.Errorf("echo: %+v", r)
		}
		if r := call("test_parts", `{}`); len(r.Content) != 3 || r.Text() != "text" || r.Content[1].Type != "image" || r.Content[1].Data != "cG5n" || r.Content[2].Text != `{"b":2}` || r.StructuredContent != nil {
			t.Errorf("parts: %+v", r)
		}
		if r := call("test_fails", `{}`); !r.IsError || r.Text() != "cannot" {
			t.Errorf("fails: %+v", r)
		}
		if r := call("test_breaks", `{}`); !r.IsError || !strings.HasPrefix(r.Text(), string(sdkapi.ToolError)+": ") || !strings.Contains(string(r.Meta.Error), `{"code"`) || strings.Contains(r.Text(), "panic") {
			t.Errorf("breaks: %+v", r)
		}
		if r := call("test_echo", `{"b":1}`); !r.IsError || !strings.Contains(r.Text(), "\narguments.a: ") || strings.Contains(r.Text(), "{") {
			t.Errorf("wrong arguments: %+v", r)
		}
	})
}

// A call that nobody waits for any longer ends, however it is made.
func TestMCPCallEndsWhenTheClientLeaves(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tool, started, _ := doorstest.StayingTool()
		url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool)})
		header := doorstest.MCPSession(t, url, version)
		for name, wait := range map[string]time.Duration{"at once": 0, "after a while": 50 * time.Millisecond} {
			t.Run(name, func(t *testing.T) {
				conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				if err := doorstest.MCPMessage(t, url, version, "tools/call", `"name":"test_stay","arguments":{}`, header...).Write(conn); err != nil {
					t.Fatal(err)
				}
				call := doorstest.Receive(t, started, "the call "+name)
				time.Sleep(wait)
				conn.Close()
				doorstest.Receive(t, call.Done(), "the call to end when the client left "+name)
			})
		}
	})
}

// A stopping gateway lets calls finish, and ends streams that have no end.
func TestMCPDrain(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tool, started, end := doorstest.StayingTool()
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + ln.Addr().String()
		server := doors.New(gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool), DrainTimeout: doorstest.Patience})
		ctx, stop := context.WithCancel(t.Context())
		ended, answered := make(chan error, 1), make(chan doorstest.MCPAnswer, 1)
		go func() { ended <- server.Serve(ctx, ln) }()
		header := doorstest.MCPSession(t, url, version)
		stream := mcpStream(t, url, version, header)
		go func() { answered <- doorstest.MCPCall(t, url, version, "test_stay", `{}`, header...) }()
		doorstest.Receive(t, started, "the call")
		stop()
		doorstest.Receive(t, stream, "the end of the stream")
		select {
		case err := <-ended:
			t.Fatalf("Serve returned with a call running: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		close(end)
		if r := doorstest.Receive(t, answered, "the answer"); r.IsError || r.Text() != `"done"` {
			t.Errorf("the call that was running: %+v", r)
		}
		if err := doorstest.Receive(t, ended, "Serve"); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// mcpStream opens the stream on which a client hears of changes, and returns
// a channel that is closed when it ends.
func mcpStream(t *testing.T, url, version string, header []string) <-chan struct{} {
	t.Helper()
	req := doorstest.MCPMessage(t, url, version, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`, header...)
	if version < "2026" {
		req.Method, req.Body, req.ContentLength = http.MethodGet, nil, 0
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s %v", resp.Status, line, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, lines)
	}()
	return ended
}

// A risky call of a client that cannot ask waits for a decision. After a yes
// the very same call is made, once; after a no it is not.
func TestMCPApproval(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		made := make(chan agent.Call, 10)
		tools := doorstest.RegistryOf(t, doorstest.FakeTool{About: agent.Descriptor{Name: "test.risky", Risk: agent.Risky, Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}, Answer: func(_ context.Context, call agent.Call) (agent.Result, error) {
			made <- call
			return agent.Result{Content: []agent.Part{agent.Text("did it")}}, nil
		}})
		url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools, Journal: doorstest.MemoryJournal(t), ApprovalKey: doorstest.TestKey})
		header := doorstest.MCPSession(t, url, version, sdkapi.UserHeader, "ada")
		call := func(arguments string) doorstest.MCPAnswer {
			return doorstest.MCPCall(t, url, version, "test_risky", arguments, header...)
		}
		if r := call(`{"n":"x"}`); !strings.Contains(r.Text(), string(sdkapi.ValidationError)) {
			t.Errorf("a call that cannot be made: %+v", r)
		}
		first := call(`{"n":1}`)
		if !doorstest.Waits(first) {
			t.Fatalf("a risky call: %+v", first)
		}
		id := doorstest.IdOf(t, url, "ada", `{"n":1}`)
		if strings.Contains(fmt.Sprint(first), id) { // a model could approve its own call by it
			t.Errorf("the answer has the decision's id: %+v", first)
		}
		if again := call(`{ "n" : 1 }`); !doorstest.Waits(again) || doorstest.IdOf(t, url, "ada", `{"n":1}`) != id {
			t.Errorf("the same call is asked about anew: %+v", again)
		}
		if other := call(`{"n":2}`); !doorstest.Waits(other) || doorstest.IdOf(t, url, "ada", `{"n":2}`) == id {
			t.Errorf("another call is not asked about: %+v", other)
		}
		if _, list := doorstest.AskKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, "ada", ""); strings.Count(list, `"state":"pending"`) != 2 || !strings.Contains(list, `"tool":"test.risky","arguments":{"n":1},"via":"mcp","why":"the tool can change something"`) {
			t.Errorf("what waits: %s", list)
		}
		checkOthersDecision(t, url, id)
		if status, body := doorstest.AnswerDecision(t, url, "ada", id, `{"approved":true}`); status != http.StatusOK || !strings.Contains(body, `"state":"approved"`) {
			t.Errorf("yes: %d %s", status, body)
		}
		if other := call(`{"n":2}`); !doorstest.Waits(other) {
			t.Errorf("a call that nobody said yes to: %+v", other)
		}
		if r := call(`{"n":1}`); r.IsError || r.Text() != "did it" {
			t.Errorf("after a yes: %+v", r)
		}
		if r := call(`{"n":1}`); !doorstest.Waits(r) || doorstest.IdOf(t, url, "ada", `{"n":1}`) == id {
			t.Errorf("the same call after it was made: %+v", r)
		} else if status, body := doorstest.AnswerDecision(t, url, "ada", doorstest.IdOf(t, url, "ada", `{"n":1}`), `{"approved":false,"reason":"enough"}`); status != http.StatusOK {
			t.Errorf("no: %d %s", status, body)
		}
		if r := call(`{"n":1}`); !r.IsError || !strings.Contains(r.Text(), "enough") {
			t.Errorf("after a no: %+v", r)
		}
		if len(made) != 1 {
			t.Errorf("%d calls were made", len(made))
		}
	})
}

// checkOthersDecision looks whether a decision of ada's is nobody else's.
func checkOthersDecision(t *testing.T, url, id string) {
	t.Helper()
	if status, body := doorstest.AnswerDecision(t, url, "bob", id, `{"approved":true}`); status != http.StatusNotFound {
		t.Errorf("another's answer: %d %s", status, body)
	}
	status, body := doorstest.AskKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath+"/"+id, "bob", "")
	if _, never := doorstest.AskKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath+"/"+strings.ToUpper(id), "bob", ""); status != http.StatusNotFound || strings.ReplaceAll(never, strings.ToUpper(id), id) != body {
		t.Errorf("another looks: %d %s, at none %s", status, body, never)
	}
	if _, list := doorstest.AskKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, "bob", ""); strings.TrimSpace(list) != `{"decisions":[]}` {
		t.Errorf("another's list: %s", list)
	}
}

// Of calls that are made at the same time after one yes, one is.
func TestMCPApprovalIsUsedOnce(t *testing.T) {
	t.Parallel()
	made := make(chan struct{}, 100)
	tools := doorstest.RegistryOf(t, doorstest.FakeTool{About: agent.Descriptor{Name: "test.risky", Risk: agent.Risky}, Answer: func(context.Context, agent.Call) (agent.Result, error) {
		made <- struct{}{}
		return agent.Result{}, nil
	}})
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools, Journal: doorstest.MemoryJournal(t), ApprovalKey: doorstest.TestKey})
	const version = "2026-07-28"
	if r := doorstest.MCPCall(t, url, version, "test_risky", `{}`); !doorstest.Waits(r) {
		t.Fatalf("%+v", r)
	}
	if status, body := doorstest.AnswerDecision(t, url, sdkapi.LocalUser, doorstest.IdOf(t, url, sdkapi.LocalUser, `{}`), `{"approved":true}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	answers := make(chan doorstest.MCPAnswer, 20)
	for range cap(answers) {
		go func() { answers <- doorstest.MCPCall(t, url, version, "test_risky", `{}`) }()
	}
	for range cap(answers) {
		doorstest.Receive(t, answers, "the answers")
	}
	if len(made) != 1 {
		t.Errorf("%d calls were made", len(made))
	}
}

// A yes is for the tool that was asked about, and not for one that has its name since.
func TestMCPApprovalOfAnotherTool(t *testing.T) {
	t.Parallel()
	made := make(chan string, 10)
	origin := agent.Origin{Kind: agent.MCP, Owner: "notes"}
	tools := doorstest.RegistryOf(t)
	put := func(description string) {
		t.Helper()
		tool := doorstest.FakeTool{About: agent.Descriptor{Name: "notes.put", Description: description, Risk: agent.Risky, Origin: origin}, Answer: func(context.Context, agent.Call) (agent.Result, error) {
			made <- description
			return agent.Result{}, nil
		}}
		if err := tools.Update(origin, []agent.Tool{tool}); err != nil {
			t.Fatal(err)
		}
	}
	put("Notes something.")
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools, Journal: doorstest.MemoryJournal(t), ApprovalKey: doorstest.TestKey})
	const version = "2026-07-28"
	call := func() doorstest.MCPAnswer { return doorstest.MCPCall(t, url, version, "notes_put", `{"n":1}`) }
	if r := call(); !doorstest.Waits(r) {
		t.Fatalf("%+v", r)
	}
	if status, body := doorstest.AnswerDecision(t, url, sdkapi.LocalUser, doorstest.IdOf(t, url, sdkapi.LocalUser, `{"n":1}`), `{"approved":true}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	put("Deletes something.")
	if r := call(); !doorstest.Waits(r) || len(made) > 0 {
		t.Fatalf("another tool: %+v; made: %d", r, len(made))
	}
	put("Notes something.")
	if r := call(); r.IsError || len(made) != 1 {
		t.Errorf("the tool that was approved: %+v; made: %d", r, len(made))
	}
}

// The deployment's rules hold, and no answer overrules a deny.
func TestMCPPolicy(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		yes := doorstest.Always(agent.Result{Content: []agent.Part{agent.Text("did it")}})
		tools := doorstest.RegistryOf(t, doorstest.FakeTool{About: agent.Descriptor{Name: "test.allowed", Risk: agent.Risky}, Answer: yes}, doorstest.FakeTool{About: agent.Descriptor{Name: "test.denied"}, Answer: yes})
		log := doorstest.MemoryJournal(t)
		all := session.New(session.Config{
			Journal: log, Tools: tools, Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
				panic("nobody asks")
			},
			Policy: session.Policy{{Tool: "test_allowed", Verdict: session.Allow}, {Tool: "test_denied", Verdict: session.Deny, Reason: "not here"}},
		})
		t.Cleanup(all.Close)
		url := gatewaytest.Start(t, gateway.App{Models: doorstest.OneModel{}, Store: new(storetest.Memory), Tools: tools, Journal: log, Sessions: all})
		header := doorstest.MCPSession(t, url, version)
		if r := doorstest.MCPCall(t, url, version, "test_allowed", `{}`, header...); r.IsError || r.Text() != "did it" {
			t.Errorf("allowed: %+v", r)
		}
		if r := doorstest.MCPCall(t, url, version, "test_denied", `{}`, header...); !r.IsError || !strings.Contains(r.Text(), "not here") {
			t.Errorf("denied: %+v", r)
		}
	})
}

// Sessions and artifacts are for their users alone, and nobody is served without
// a token where tokens are asked for.
func TestMCPIsolation(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		store := owned.Open(new(storetest.Memory), doorstest.StateOf(t), owned.Options{})
		url := doorstest.StartOwned(t, gateway.App{Store: store, Tools: doorstest.RegistryOf(t, doorstest.EchoTool{})})
		stored := doorstest.UploadAs(t, url, "ada", gatewaytest.Card())
		token := func(name string) []string {
			req, err := http.NewRequest(http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			doorstest.Sign(t, url, name, req)
			return []string{"Authorization", req.Header.Get("Authorization")}
		}
		if resp, body := doorstest.MCPPost(t, url, version, "tools/list", ""); resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("without a token: %s %s", resp.Status, body)
		}
		ada, bob := doorstest.MCPSession(t, url, version, token("ada")...), doorstest.MCPSession(t, url, version, token("bob")...)
		read := func(header []string, id string) string {
			_, body := doorstest.MCPPost(t, url, version, "resources/read", `"uri":"`+sdkapi.ArtifactURI+id+`"`, header...)
			return body
		}
		if body := read(ada, stored.ArtifactID); !strings.Contains(body, `"mimeType":"image/png","blob":"iVBOR`) {
			t.Errorf("its owner reads %.200s", body)
		}
		never := strings.Replace(stored.ArtifactID, stored.ArtifactID[:8], "00000000", 1)
		if body := read(bob, stored.ArtifactID); body != strings.ReplaceAll(read(bob, never), never, stored.ArtifactID) || !strings.Contains(body, "Resource not found") {
			t.Errorf("another reads %s", body)
		}
		if version < "2026" {
			resp, body := doorstest.MCPPost(t, url, version, "tools/list", "", append(token("bob"), sdkapi.MCPSessionHeader, ada[3])...)
			if resp.StatusCode != http.StatusNotFound {
				t.Errorf("another's session: %s %s", resp.Status, body)
			}
		}
	})
}

// What is too much is refused.
func TestMCPLimits(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, doorstest.EchoTool{}), MCPSessionTTL: 200 * time.Millisecond})
	const version = "2025-03-26"
	header := doorstest.MCPSession(t, url, version)
	send := func(body string) (int, string) {
		req := doorstest.MCPMessage(t, url, version, "tools/call", "", header...)
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(raw)
	}
	var calls []string
	for i := range 33 {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"test_echo"}}`, i+10))
	}
	if status, body := send(" [" + strings.Join(calls[:32], ",") + "]"); status != http.StatusOK || strings.Count(body, "structuredContent") != 32 {
		t.Errorf("32 calls: %d %.300s", status, body)
	}
	if status, body := send(" [" + strings.Join(calls, ",") + "]"); status != http.StatusRequestEntityTooLarge {
		t.Errorf("33 calls: %d %.300s", status, body)
	}
	if status, body := send(strings.Repeat(" ", perception.MaxImageBytes/3*4+128<<10+1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d %.300s", status, body)
	}
	testkit.Eventually(t, "the session ends", func() (string, bool) {
		time.Sleep(300 * time.Millisecond) // as a ping keeps it for 200 ms
		resp, _ := doorstest.MCPPost(t, url, version, "ping", "", append([]string{"Origin", url}, header...)...)
		return resp.Status, resp.StatusCode == http.StatusNotFound
	})
	if resp, body := doorstest.MCPPost(t, url, version, "ping", "", "Origin", "https://evil.example"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another site: %s %s", resp.Status, body)
	}
}

// A user who begins too many sessions loses the oldest, and nobody else's.
func TestMCPSessionsAreBounded(t *testing.T) {
	t.Parallel()
	const version = "2025-11-25"
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory)})
	bob := doorstest.MCPSession(t, url, version, sdkapi.UserHeader, "bob")
	var ada [][]string
	for range 65 {
		ada = append(ada, doorstest.MCPSession(t, url, version, sdkapi.UserHeader, "ada"))
	}
	for name, tt := range map[string]struct {
		header []string
		status int
	}{"the oldest": {ada[0], 404}, "the second": {ada[1], 200}, "the last": {ada[64], 200}, "another user's": {bob, 200}} {
		t.Run(name, func(t *testing.T) {
			if resp, body := doorstest.MCPPost(t, url, version, "ping", "", tt.header...); resp.StatusCode != tt.status {
				t.Errorf("%s: %s %s", name, resp.Status, body)
			}
		})
	}
}

// Over standard input and output there is the same server.
func TestMCPOverPipes(t *testing.T) {
	t.Parallel()
	tools := doorstest.RegistryOf(t, doorstest.EchoTool{}, doorstest.FakeTool{About: agent.Descriptor{Name: "test.risky", Risk: agent.Risky}, Answer: doorstest.Always(agent.Result{})})
	app := gateway.App{Store: new(storetest.Memory), Tools: tools, Journal: doorstest.MemoryJournal(t)}
	server := doors.New(app)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcproom.ServeStdio(context.Background(), server, app, in, out, "ada", "http://gateway.example")
	}()
	changed := make(chan struct{}, 10)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "test_echo", Arguments: map[string]any{"a": 1}})
	if err != nil || r.IsError || fmt.Sprint(r.StructuredContent) != "map[a:1]" {
		t.Errorf("%+v %v", r, err)
	}
	r, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "test_risky"})
	if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "windie approvals") || strings.Contains(fmt.Sprint(r.Content[0], r.Meta), "gateway.example") {
		t.Errorf("%+v %v", r, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := doorstest.Receive(t, ended, "the server's end"); err != nil {
		t.Error(err)
	}
}
