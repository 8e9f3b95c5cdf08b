package doorstest

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// MCPVersions are the MCP protocol versions that the tests use. The first version has sessions, the second has no
// sessions.
var MCPVersions = []string{"2025-11-25", "2026-07-28"}

// MCPPost sends a message over MCP in the form of the given protocol version. The parameter header contains pairs of
// names and values. MCPPost returns the response, and the JSON-RPC message in its body.
func MCPPost(t testing.TB, url, version, method, params string, header ...string) (*http.Response, string) {
	t.Helper()
	req := MCPMessage(t, url, version, method, params, header...)
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

// MCPMessage returns the request that MCPPost sends. The parameter params contains the fields of a JSON object,
// without the braces.
func MCPMessage(t testing.TB, url, version, method, params string, header ...string) *http.Request {
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

// MCPSession starts a session, if the protocol version has sessions. It returns header, with the header of the
// session added.
func MCPSession(t testing.TB, url, version string, header ...string) []string {
	t.Helper()
	if version >= "2026" {
		return header
	}
	resp, body := MCPPost(t, url, version, "initialize", `"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}`, header...)
	id := resp.Header.Get(sdkapi.MCPSessionHeader)
	if id == "" {
		t.Fatalf("%s %s", resp.Status, body)
	}
	header = append(header, sdkapi.MCPSessionHeader, id)
	MCPPost(t, url, version, "notifications/initialized", "", header...)
	return header
}

// MCPCall calls a tool over MCP and returns its result. The test fails if the status is not 200.
func MCPCall(t testing.TB, url, version, tool, arguments string, header ...string) (r MCPAnswer) {
	t.Helper()
	resp, body := MCPPost(t, url, version, "tools/call", `"name":"`+tool+`","arguments":`+arguments, header...)
	var answer struct{ Result MCPAnswer }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %v", resp.Status, body, err)
	}
	return answer.Result
}

// MCPAnswer is the result of a tool call.
type MCPAnswer struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Type, Text, MIMEType, Data string }
	Meta              struct {
		Decision map[string]string `json:"windie/decision"`
		Error    json.RawMessage   `json:"windie/error"`
	} `json:"_meta"`
}

// Text returns the text of the first content part, or an empty text if there are no parts.
func (r MCPAnswer) Text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// AnswerDecision posts a user's answer to a decision. It returns the status and the body of the response.
func AnswerDecision(t *testing.T, url, user, id, answer string) (int, string) {
	t.Helper()
	return AskKeyed(t, http.MethodPost, url+sdkapi.DecisionsPath+"/"+id, user, answer)
}

// Waits reports whether the result r says that the call waits for an approval. The text of r must also name the
// command windie approvals.
func Waits(r MCPAnswer) bool {
	return r.IsError && r.Meta.Decision["state"] == sdkapi.DecisionPending && strings.Contains(r.Text(), "windie approvals")
}

// IdOf returns the id of a user's pending decision. It searches the list of decisions for a call with these
// arguments. It uses the approval key.
func IdOf(t *testing.T, url, user, arguments string) string {
	t.Helper()
	_, raw := AskKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, user, "")
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
