//go:build system

package terminal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/sdkapi"
)

// waitingCalls returns the calls that wait, as the command in another process
// prints them.
func waitingCalls(t *testing.T, data string) []approval {
	t.Helper()
	code, out, complaint := onData(t, data, "approvals", "--json")
	var list struct{ Approvals []approval }
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		t.Fatalf("%d, %v:\n%s%s", code, err, out, complaint)
	}
	return list.Approvals
}

// agentView is what an MCP client and its model come to see.
type agentView struct {
	session *mcp.ClientSession
	seen    bytes.Buffer
}

// remember makes a call that the rules ask about: it changes the memory.
func (v *agentView) remember(t *testing.T, text string) *mcp.CallToolResult {
	t.Helper()
	result, err := v.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_write", Arguments: map[string]any{"text": text}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	v.seen.Write(raw)
	return result
}

// Only a person approves: an agent that may use MCP, HTTP and WebSockets gets
// nothing by which it could approve its own call, and refused on every route
// that decides; a command of another process approves it; and the very same
// call is made then, once. So also where no gateway runs, but for the client.
func TestOnlyPeopleApprove(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]func(t *testing.T, data string) (url string, transport mcp.Transport){
		"over HTTP": func(t *testing.T, data string) (string, mcp.Transport) {
			url := rig.Serve(t, "WINDIE_DATA_DIR="+data)
			return url, &mcp.StreamableClientTransport{Endpoint: url + sdkapi.MCPPath}
		},
		"over pipes, beside a gateway": func(t *testing.T, data string) (string, mcp.Transport) {
			return rig.Serve(t, "WINDIE_DATA_DIR="+data), &mcp.CommandTransport{Command: rig.Command(t.Context(), []string{"WINDIE_DATA_DIR=" + data}, "mcp")}
		},
		"over pipes, without a gateway": func(t *testing.T, data string) (string, mcp.Transport) {
			return "", &mcp.CommandTransport{Command: rig.Command(t.Context(), []string{"WINDIE_DATA_DIR=" + data}, "mcp")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			url, transport := connect(t, data)
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			view := &agentView{session: session}
			const note = "The user's \"door\" code\u202e is 4711"
			if r := view.remember(t, note); !r.IsError {
				t.Fatalf("a risky call is made: %s", view.seen.String())
			}
			waiting := waitingCalls(t, data)
			if len(waiting) != 1 || waiting[0].Tool != "memory.write" || waiting[0].Protocol != "mcp" || waiting[0].UserID != sdkapi.LocalUser {
				t.Fatalf("what waits: %+v", waiting)
			}
			id := waiting[0].ID
			view.seesNothing(t, data, url, id)
			if url != "" {
				cannotDecide(t, url, id)
			}
			code, out, complaint := onData(t, data, "approvals", "approve", id[:20], "--reason", "yes, my door")
			if code != 0 || !strings.Contains(out, id) || !strings.Contains(out, `"text": "The user's \"door\" code\u202e is 4711"`) || !strings.Contains(out, "Approved.") {
				t.Fatalf("approve: %d\n%s%s", code, out, complaint)
			}
			if r := view.remember(t, note+"!"); !r.IsError {
				t.Error("a yes to one call let another be made")
			}
			if r := view.remember(t, note); r.IsError {
				t.Errorf("after a yes the call is not made: %s", view.seen.String())
			}
			if r := view.remember(t, note); !r.IsError {
				t.Error("after one yes the call is made twice")
			}
			view.seesNothing(t, data, url, id)
			if made := strings.Count(memoryOf(t, data), "4711"); made != 1 {
				t.Errorf("it is remembered %d times", made)
			}
		})
	}
}

// seesNothing fails where the agent was shown what an approval takes.
func (v *agentView) seesNothing(t *testing.T, data, url, id string) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(data, "approval.key"))
	if err != nil {
		t.Fatal(err)
	}
	for what, secret := range map[string]string{
		"the key": strings.TrimSpace(string(key)), "its header": sdkapi.KeyHeader, "its file": "approval.key", "the id": strings.TrimPrefix(id, session.Approval+"_"), "the route": sdkapi.DecisionsPath,
		"the gateway's URL": strings.TrimPrefix(url, "http://"), "a body": `approved`, "the data folder": data,
	} {
		t.Run(what, func(t *testing.T) {
			if secret != "" && strings.Contains(strings.ToLower(v.seen.String()), strings.ToLower(secret)) {
				t.Errorf("the agent is shown %s: %s", what, v.seen.String())
			}
		})
	}
	if !strings.Contains(v.seen.String(), "windie approvals") {
		t.Errorf("the agent is not told what to ask its user for: %s", v.seen.String())
	}
}

// cannotDecide fails where somebody without the key, who has even come to know
// the id, can see or decide a call on any route of the API document that is
// about decisions, or answer it where other calls are answered.
func cannotDecide(t *testing.T, url, id string) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]any
	}
	if _, raw := askAgent(t, http.MethodGet, url+"/openapi.json", ""); json.Unmarshal([]byte(raw), &document) != nil {
		t.Fatalf("the API document: %.300s", raw)
	}
	tried := 0
	for path, methods := range document.Paths {
		if !strings.Contains(path, "decision") {
			continue
		}
		for method := range methods {
			tried++
			at := url + strings.NewReplacer("{decision_id}", id).Replace(path)
			for _, body := range []string{`{"approved":true}`, `{"approved":false}`, ``} {
				if status, answer := askAgent(t, strings.ToUpper(method), at, body); status != http.StatusForbidden || !strings.Contains(answer, string(sdkapi.KeyRequired)) || strings.Contains(answer, id) {
					t.Errorf("%s %s with %s: %d %s", method, at, body, status, answer)
				}
			}
		}
	}
	if tried < 3 {
		t.Errorf("the API document has %d operations with decisions", tried)
	}
	for path, body := range map[string]string{
		"/api/prompts/" + id + "/approve": fmt.Sprintf(`{"toolCallId":%q}`, id),
		"/v1/tools/result":                fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":%q,"name":"memory_write","ok":true,"result":""}}`, id, id),
	} {
		t.Run(path, func(t *testing.T) {
			if status, answer := askAgent(t, http.MethodPost, url+path, body); status != http.StatusNotFound {
				t.Errorf("%s: %d %s", path, status, answer)
			}
		})
	}
	if answer := decideAtWS(t, url, id); !strings.Contains(answer, string(sdkapi.KeyRequired)) {
		t.Errorf("at /ws: %s", answer)
	}
}

// decideAtWS approves as a client of the WebSocket would, and returns the answer.
func decideAtWS(t *testing.T, url, id string) string {
	t.Helper()
	c, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, m := range []string{
		`{"type":"handshake","user_id":"local"}`,
		`{"id":"6f1f7e0a-3d0c-4e5b-9a44-0c1b6e1f2a3d","type":"approval-decision","payload":{"request_id":"` + id + `","approved":true},"timestamp":""}`,
	} {
		if err := c.WriteMessage(websocket.TextMessage, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second)) // an answer that is taken is not answered
	_, answer, err := c.ReadMessage()
	if err != nil {
		return err.Error()
	}
	return string(answer)
}
