package doors_test

import (
	"bufio"
	"cmp"
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
	"github.com/windieos/windie/gateway/services"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// The versions of the protocol that tests speak: with sessions, and without.
var mcpVersions = []string{"2025-11-25", "2026-07-28"}

// mcpPost sends a message over MCP as a client of a version does. Header has
// pairs of names and values; of the answer's body the message is returned.
func mcpPost(t testing.TB, url, version, method, params string, header ...string) (*http.Response, string) {
	t.Helper()
	req := mcpMessage(t, url, version, method, params, header...)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, message, found := strings.Cut(string(raw), "data: ")
	if !found || resp.Header.Get("Content-Type") != "text/event-stream" {
		message = string(raw)
	}
	return resp, strings.TrimSpace(message)
}

// mcpMessage returns the request of mcpPost. Params are the fields of an object.
func mcpMessage(t testing.TB, url, version, method, params string, header ...string) *http.Request {
	t.Helper()
	var about struct{ Name, URI string }
	if err := json.Unmarshal([]byte("{"+params+"}"), &about); err != nil {
		t.Fatal(err)
	}
	if version >= "2026" {
		params = strings.Trim(`"_meta":{"io.modelcontextprotocol/protocolVersion":"`+version+`","io.modelcontextprotocol/clientCapabilities":{},`+
			`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}},`+params, ",")
	}
	id := `"id":1,`
	if strings.HasPrefix(method, "notifications/") {
		id = ""
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+sdkapi.MCPPath, strings.NewReader(`{"jsonrpc":"2.0",`+id+`"method":"`+method+`","params":{`+params+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(sdkapi.MCPVersionHeader, version)
	req.Header.Set(sdkapi.MCPMethodHeader, method)
	if name := cmp.Or(about.Name, about.URI); name != "" {
		req.Header.Set("Mcp-Name", name)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

// mcpSession begins a session, where a version has them, and returns the header
// that goes with its messages.
func mcpSession(t testing.TB, url, version string, header ...string) []string {
	t.Helper()
	if version >= "2026" {
		return header
	}
	resp, body := mcpPost(t, url, version, "initialize", `"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}`, header...)
	id := resp.Header.Get(sdkapi.MCPSessionHeader)
	if id == "" {
		t.Fatalf("%s %s", resp.Status, body)
	}
	header = append(header, sdkapi.MCPSessionHeader, id)
	mcpPost(t, url, version, "notifications/initialized", "", header...)
	return header
}

// mcpCall calls a tool, and returns its result.
func mcpCall(t testing.TB, url, version, tool, arguments string, header ...string) (r mcpAnswer) {
	t.Helper()
	resp, body := mcpPost(t, url, version, "tools/call", `"name":"`+tool+`","arguments":`+arguments, header...)
	var answer struct{ Result mcpAnswer }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %v", resp.Status, body, err)
	}
	return answer.Result
}

// mcpAnswer is the result of a call.
type mcpAnswer struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Type, Text, MIMEType, Data string }
	Meta              struct {
		Decision map[string]string `json:"windie/decision"`
	} `json:"_meta"`
}

func (r mcpAnswer) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// overEachVersion runs a test for both ways of the protocol.
func overEachVersion(t *testing.T, test func(t *testing.T, version string)) {
	t.Parallel()
	for _, version := range mcpVersions {
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
		nothing := always(agent.Result{})
		tools := registryOf(t,
			fakeTool{agent.Descriptor{Name: "a.safe", Description: "Looks.", Input: json.RawMessage(`{"type":["object"]}`), Output: json.RawMessage(`{"type":"object"}`)}, nothing},
			fakeTool{agent.Descriptor{Name: "b.risky", Risk: agent.Risky, Output: json.RawMessage(`{"type":"array"}`)}, nothing},
			fakeTool{agent.Descriptor{Name: "c.forbidden", Risk: agent.Forbidden}, nothing},
			fakeTool{agent.Descriptor{Name: "d.clients", APIOnly: true}, nothing},
			fakeTool{agent.Descriptor{Name: "e.starting", Starting: true}, nothing},
			fakeTool{agent.Descriptor{Name: "f.odd", Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"no header"}}}`)}, nothing})
		url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Tools: tools})
		_, body := mcpPost(t, url, version, "tools/list", "", mcpSession(t, url, version)...)
		for _, want := range []string{
			`{"_meta":{"windie/name":"a.safe"},"annotations":{"destructiveHint":false,"idempotentHint":false,"readOnlyHint":true},"description":"Looks.","inputSchema":{"type":"object"},"name":"a_safe","outputSchema":{"type":"object"}}`,
			`{"_meta":{"windie/name":"b.risky"},"annotations":{"destructiveHint":true,"idempotentHint":false,"readOnlyHint":false},"inputSchema":{"type":"object"},"name":"b_risky"}`,
		} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in\n%s", want, body)
			}
		}
		if strings.Count(body, `"inputSchema"`) != 2 {
			t.Errorf("more than two tools: %s", body)
		}
		for _, name := range []string{"c_forbidden", "d_clients"} {
			if _, body := mcpPost(t, url, version, "tools/call", `"name":"`+name+`"`, mcpSession(t, url, version)...); !strings.Contains(body, "unknown tool") {
				t.Errorf("%s: %s", name, body)
			}
		}
	})
}

// What a tool answers arrives: text, images, JSON, its own failures and others.
func TestMCPResults(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tools := registryOf(t, echoTool{`{"type":"object","required":["a"]}`},
			fakeTool{agent.Descriptor{Name: "test.parts"}, always(agent.Result{Structured: json.RawMessage(`[1]`), Content: []agent.Part{
				agent.Text("text"), agent.Image("image/png", []byte("png")), agent.JSON(json.RawMessage(`{"b":2}`))}})},
			fakeTool{agent.Descriptor{Name: "test.fails"}, always(agent.Failf("cannot").Result())},
			fakeTool{agent.Descriptor{Name: "test.breaks"}, func(context.Context, agent.Call) (agent.Result, error) { panic("broken") }})
		url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Tools: tools})
		header := mcpSession(t, url, version)
		call := func(tool, arguments string) mcpAnswer { return mcpCall(t, url, version, tool, arguments, header...) }
		if r := call("test_echo", `{"a":1}`); string(r.StructuredContent) != `{"a":1}` || r.text() != `{"a":1}` || r.IsError {
			t.Errorf("echo: %+v", r)
		}
		if r := call("test_parts", `{}`); len(r.Content) != 3 || r.text() != "text" || r.Content[1].Type != "image" || r.Content[1].Data != "cG5n" || r.Content[2].Text != `{"b":2}` || r.StructuredContent != nil {
			t.Errorf("parts: %+v", r)
		}
		if r := call("test_fails", `{}`); !r.IsError || r.text() != "cannot" {
			t.Errorf("fails: %+v", r)
		}
		if r := call("test_breaks", `{}`); !r.IsError || !strings.Contains(r.text(), string(sdkapi.ToolError)) || strings.Contains(r.text(), "panic") {
			t.Errorf("breaks: %+v", r)
		}
		if r := call("test_echo", `{"b":1}`); !r.IsError || !strings.Contains(r.text(), `"path":"arguments.a"`) {
			t.Errorf("wrong arguments: %+v", r)
		}
	})
}

// A call that nobody waits for any longer ends, however it is made.
func TestMCPCallEndsWhenTheClientLeaves(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tool, started, _ := stayingTool()
		url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Tools: registryOf(t, tool)})
		header := mcpSession(t, url, version)
		for name, wait := range map[string]time.Duration{"at once": 0, "after a while": 50 * time.Millisecond} {
			t.Run(name, func(t *testing.T) {
				conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				if err := mcpMessage(t, url, version, "tools/call", `"name":"test_stay","arguments":{}`, header...).Write(conn); err != nil {
					t.Fatal(err)
				}
				call := receive(t, started, "the call "+name)
				time.Sleep(wait)
				conn.Close()
				receive(t, call.Done(), "the call to end when the client left "+name)
			})
		}
	})
}

// A stopping gateway lets calls finish, and ends streams that have no end.
func TestMCPDrain(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tool, started, end := stayingTool()
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + ln.Addr().String()
		server := doors.New(gateway.Config{Store: new(storetest.Memory), Tools: registryOf(t, tool), DrainTimeout: patience})
		ctx, stop := context.WithCancel(t.Context())
		ended, answered := make(chan error, 1), make(chan mcpAnswer, 1)
		go func() { ended <- server.Serve(ctx, ln) }()
		header := mcpSession(t, url, version)
		stream := mcpStream(t, url, version, header)
		go func() { answered <- mcpCall(t, url, version, "test_stay", `{}`, header...) }()
		receive(t, started, "the call")
		stop()
		receive(t, stream, "the end of the stream")
		select {
		case err := <-ended:
			t.Fatalf("Serve returned with a call running: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		close(end)
		if r := receive(t, answered, "the answer"); r.IsError || r.text() != `"done"` {
			t.Errorf("the call that was running: %+v", r)
		}
		if err := receive(t, ended, "Serve"); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// mcpStream opens the stream on which a client hears of changes, and returns
// a channel that is closed when it ends.
func mcpStream(t *testing.T, url, version string, header []string) <-chan struct{} {
	t.Helper()
	req := mcpMessage(t, url, version, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`, header...)
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

// answerDecision answers a decision as a user, and returns the status.
func answerDecision(t *testing.T, url, user, id, answer string) (int, string) {
	t.Helper()
	return askKeyed(t, http.MethodPost, url+sdkapi.DecisionsPath+"/"+id, user, answer)
}

// waits reports whether a call waits for a person, and its caller learns that.
func waits(r mcpAnswer) bool {
	return r.IsError && r.Meta.Decision["state"] == sdkapi.DecisionPending && strings.Contains(r.text(), "windie approvals")
}

// idOf returns the id under which a call with these arguments waits for a
// user, as a person's program finds it.
func idOf(t *testing.T, url, user, arguments string) string {
	t.Helper()
	_, raw := askKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, user, "")
	var list sdkapi.DecisionList
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	for _, d := range list.Decisions {
		if string(d.Arguments) == arguments {
			return d.ID
		}
	}
	t.Fatalf("nothing waits with %s: %s", arguments, raw)
	return ""
}

// A risky call of a client that cannot ask waits for a decision. After a yes
// the very same call is made, once; after a no it is not.
func TestMCPApproval(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		made := make(chan agent.Call, 10)
		tools := registryOf(t, fakeTool{agent.Descriptor{Name: "test.risky", Risk: agent.Risky, Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}, func(_ context.Context, call agent.Call) (agent.Result, error) {
			made <- call
			return agent.Result{Content: []agent.Part{agent.Text("did it")}}, nil
		}})
		url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Tools: tools, Journal: memoryJournal(t), ApprovalKey: testKey})
		header := mcpSession(t, url, version, sdkapi.UserHeader, "ada")
		call := func(arguments string) mcpAnswer { return mcpCall(t, url, version, "test_risky", arguments, header...) }
		if r := call(`{"n":"x"}`); !strings.Contains(r.text(), string(sdkapi.ValidationError)) {
			t.Errorf("a call that cannot be made: %+v", r)
		}
		if first := call(`{"n":1}`); !waits(first) {
			t.Fatalf("a risky call: %+v", first)
		}
		id := idOf(t, url, "ada", `{"n":1}`)
		if again := call(`{ "n" : 1 }`); !waits(again) || idOf(t, url, "ada", `{"n":1}`) != id {
			t.Errorf("the same call is asked about anew: %+v", again)
		}
		if other := call(`{"n":2}`); !waits(other) || idOf(t, url, "ada", `{"n":2}`) == id {
			t.Errorf("another call is not asked about: %+v", other)
		}
		if _, list := askKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, "ada", ""); strings.Count(list, `"state":"pending"`) != 2 || !strings.Contains(list, `"tool":"test.risky","arguments":{"n":1},"via":"mcp","why":"the tool can change something"`) {
			t.Errorf("what waits: %s", list)
		}
		checkOthersDecision(t, url, id)
		if status, body := answerDecision(t, url, "ada", id, `{"approved":true}`); status != http.StatusOK || !strings.Contains(body, `"state":"approved"`) {
			t.Errorf("yes: %d %s", status, body)
		}
		if other := call(`{"n":2}`); !waits(other) {
			t.Errorf("a call that nobody said yes to: %+v", other)
		}
		if r := call(`{"n":1}`); r.IsError || r.text() != "did it" {
			t.Errorf("after a yes: %+v", r)
		}
		if r := call(`{"n":1}`); !waits(r) || idOf(t, url, "ada", `{"n":1}`) == id {
			t.Errorf("the same call after it was made: %+v", r)
		} else if status, body := answerDecision(t, url, "ada", idOf(t, url, "ada", `{"n":1}`), `{"approved":false,"reason":"enough"}`); status != http.StatusOK {
			t.Errorf("no: %d %s", status, body)
		}
		if r := call(`{"n":1}`); !r.IsError || !strings.Contains(r.text(), "enough") {
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
	if status, body := answerDecision(t, url, "bob", id, `{"approved":true}`); status != http.StatusNotFound {
		t.Errorf("another's answer: %d %s", status, body)
	}
	status, body := askKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath+"/"+id, "bob", "")
	if _, never := askKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath+"/"+strings.ToUpper(id), "bob", ""); status != http.StatusNotFound || strings.ReplaceAll(never, strings.ToUpper(id), id) != body {
		t.Errorf("another looks: %d %s, at none %s", status, body, never)
	}
	if _, list := askKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, "bob", ""); strings.TrimSpace(list) != `{"decisions":[]}` {
		t.Errorf("another's list: %s", list)
	}
}

// Of calls that are made at the same time after one yes, one is.
func TestMCPApprovalIsUsedOnce(t *testing.T) {
	t.Parallel()
	made := make(chan struct{}, 100)
	tools := registryOf(t, fakeTool{agent.Descriptor{Name: "test.risky", Risk: agent.Risky}, func(context.Context, agent.Call) (agent.Result, error) {
		made <- struct{}{}
		return agent.Result{}, nil
	}})
	url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Tools: tools, Journal: memoryJournal(t), ApprovalKey: testKey})
	const version = "2026-07-28"
	if r := mcpCall(t, url, version, "test_risky", `{}`); !waits(r) {
		t.Fatalf("%+v", r)
	}
	if status, body := answerDecision(t, url, sdkapi.LocalUser, idOf(t, url, sdkapi.LocalUser, `{}`), `{"approved":true}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	answers := make(chan mcpAnswer, 20)
	for range cap(answers) {
		go func() { answers <- mcpCall(t, url, version, "test_risky", `{}`) }()
	}
	for range cap(answers) {
		receive(t, answers, "the answers")
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
	tools := registryOf(t)
	put := func(description string) {
		t.Helper()
		tool := fakeTool{agent.Descriptor{Name: "notes.put", Description: description, Risk: agent.Risky, Origin: origin}, func(context.Context, agent.Call) (agent.Result, error) {
			made <- description
			return agent.Result{}, nil
		}}
		if err := tools.Update(origin, []agent.Tool{tool}); err != nil {
			t.Fatal(err)
		}
	}
	put("Notes something.")
	url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Tools: tools, Journal: memoryJournal(t), ApprovalKey: testKey})
	const version = "2026-07-28"
	call := func() mcpAnswer { return mcpCall(t, url, version, "notes_put", `{"n":1}`) }
	if r := call(); !waits(r) {
		t.Fatalf("%+v", r)
	}
	if status, body := answerDecision(t, url, sdkapi.LocalUser, idOf(t, url, sdkapi.LocalUser, `{"n":1}`), `{"approved":true}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	put("Deletes something.")
	if r := call(); !waits(r) || len(made) > 0 {
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
		yes := always(agent.Result{Content: []agent.Part{agent.Text("did it")}})
		tools := registryOf(t, fakeTool{agent.Descriptor{Name: "test.allowed", Risk: agent.Risky}, yes}, fakeTool{agent.Descriptor{Name: "test.denied"}, yes})
		log := memoryJournal(t)
		all := session.New(session.Config{
			Journal: log, Tools: tools, Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
				panic("nobody asks")
			},
			Policy: session.Policy{{Tool: "test_allowed", Verdict: session.Allow}, {Tool: "test_denied", Verdict: session.Deny, Reason: "not here"}},
		})
		t.Cleanup(all.Close)
		url := gatewaytest.Start(t, gateway.Config{Services: services.Services{Models: oneModel{}}, Store: new(storetest.Memory), Tools: tools, Journal: log, Sessions: all})
		header := mcpSession(t, url, version)
		if r := mcpCall(t, url, version, "test_allowed", `{}`, header...); r.IsError || r.text() != "did it" {
			t.Errorf("allowed: %+v", r)
		}
		if r := mcpCall(t, url, version, "test_denied", `{}`, header...); !r.IsError || !strings.Contains(r.text(), "not here") {
			t.Errorf("denied: %+v", r)
		}
	})
}

// Sessions and artifacts are for their users alone, and nobody is served without
// a token where tokens are asked for.
func TestMCPIsolation(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		store := owned.Open(new(storetest.Memory), stateOf(t), owned.Options{})
		url := startOwned(t, gateway.Config{Store: store, Tools: registryOf(t, echoTool{})})
		stored := uploadAs(t, url, "ada", gatewaytest.Card())
		token := func(name string) []string {
			req, err := http.NewRequest(http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			sign(t, url, name, req)
			return []string{"Authorization", req.Header.Get("Authorization")}
		}
		if resp, body := mcpPost(t, url, version, "tools/list", ""); resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("without a token: %s %s", resp.Status, body)
		}
		ada, bob := mcpSession(t, url, version, token("ada")...), mcpSession(t, url, version, token("bob")...)
		read := func(header []string, id string) string {
			_, body := mcpPost(t, url, version, "resources/read", `"uri":"`+sdkapi.ArtifactURI+id+`"`, header...)
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
			resp, body := mcpPost(t, url, version, "tools/list", "", append(token("bob"), sdkapi.MCPSessionHeader, ada[3])...)
			if resp.StatusCode != http.StatusNotFound {
				t.Errorf("another's session: %s %s", resp.Status, body)
			}
		}
	})
}

// What is too much is refused.
func TestMCPLimits(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Tools: registryOf(t, echoTool{}), MCPSessionTTL: 200 * time.Millisecond})
	const version = "2025-03-26"
	header := mcpSession(t, url, version)
	send := func(body string) (int, string) {
		req := mcpMessage(t, url, version, "tools/call", "", header...)
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
		resp, _ := mcpPost(t, url, version, "ping", "", append([]string{"Origin", url}, header...)...)
		return resp.Status, resp.StatusCode == http.StatusNotFound
	})
	if resp, body := mcpPost(t, url, version, "ping", "", "Origin", "https://evil.example"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another site: %s %s", resp.Status, body)
	}
}

// A user who begins too many sessions loses the oldest, and nobody else's.
func TestMCPSessionsAreBounded(t *testing.T) {
	t.Parallel()
	const version = "2025-11-25"
	url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory)})
	bob := mcpSession(t, url, version, sdkapi.UserHeader, "bob")
	var ada [][]string
	for range 65 {
		ada = append(ada, mcpSession(t, url, version, sdkapi.UserHeader, "ada"))
	}
	for name, tt := range map[string]struct {
		header []string
		status int
	}{"the oldest": {ada[0], 404}, "the second": {ada[1], 200}, "the last": {ada[64], 200}, "another user's": {bob, 200}} {
		t.Run(name, func(t *testing.T) {
			if resp, body := mcpPost(t, url, version, "ping", "", tt.header...); resp.StatusCode != tt.status {
				t.Errorf("%s: %s %s", name, resp.Status, body)
			}
		})
	}
}

// Over standard input and output there is the same server.
func TestMCPOverPipes(t *testing.T) {
	t.Parallel()
	tools := registryOf(t, echoTool{}, fakeTool{agent.Descriptor{Name: "test.risky", Risk: agent.Risky}, always(agent.Result{})})
	server := doors.New(gateway.Config{Store: new(storetest.Memory), Tools: tools, Journal: memoryJournal(t)})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcproom.ServeStdio(context.Background(), server, in, out, "ada", "http://gateway.example")
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
	if err := receive(t, ended, "the server's end"); err != nil {
		t.Error(err)
	}
}
