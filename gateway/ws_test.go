package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// talking runs a gateway whose model is the commander, and returns its URL.
func talking(t *testing.T, origins ...string) string {
	t.Helper()
	scenes := gatewaytest.Scenes(t)
	store, err := dirstore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tools := agent.NewRegistry()
	for _, tool := range gateway.BuiltinTools(store, scenes) {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	log := journal.NewMemory()
	eyes := gateway.NewEyes(store, scenes)
	all := session.New(session.Config{
		Journal: log, Tools: tools, UserPolicy: gateway.UserPolicy(log), Image: eyes.Image, Keep: eyes.Keep, Prepare: desktop.Prepare(eyes), System: "You are a helpful assistant.",
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return commander.Model{}, models.Request{Model: "commander"}, nil
		},
	})
	t.Cleanup(func() {
		all.Close()
		_ = log.Close()
	})
	return gatewaytest.Start(t, gateway.Config{Store: store, Scenes: scenes, Tools: tools, Journal: journal.Count(log), Sessions: all, Models: oneModel{}, AllowedOrigins: origins})
}

// peer is a client at a WebSocket.
type peer struct {
	t    *testing.T
	conn *websocket.Conn
}

func dial(t *testing.T, url, handshake string) *peer {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p := &peer{t, conn}
	p.raw(handshake)
	return p
}

func (p *peer) raw(text string) {
	p.t.Helper()
	if err := p.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) send(kind, payload string) {
	p.t.Helper()
	p.raw(fmt.Sprintf(`{"id":%q,"type":%q,"payload":%s}`, uuid.NewString(), kind, payload))
}

// next returns the next message.
func (p *peer) next() sdkapi.WSMessage {
	p.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	var m sdkapi.WSMessage
	if err := p.conn.ReadJSON(&m); err != nil {
		p.t.Fatal(err)
	}
	return m
}

// until returns the messages up to one of a type.
func (p *peer) until(kind string) []sdkapi.WSMessage {
	p.t.Helper()
	var list []sdkapi.WSMessage
	for {
		m := p.next()
		list = append(list, m)
		if m.Type == kind {
			return list
		}
		if m.Type == sdkapi.WSError {
			p.t.Fatalf("waiting for %s: %s", kind, m.Payload)
		}
	}
}

func types(list []sdkapi.WSMessage) string {
	var out []string
	for _, m := range list {
		if len(out) == 0 || out[len(out)-1] != m.Type {
			out = append(out, m.Type)
		}
	}
	return strings.Join(out, " ")
}

const hello = `{"type":"handshake","user_id":"ada"}`

// A user uploads a screenshot and says where to click; the client gets the
// point, and answers with what the screen is then.
func TestWSClick(t *testing.T) {
	t.Parallel()
	url := talking(t)
	c, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	shot, err := c.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	p := dial(t, url, hello)
	p.send("query", fmt.Sprintf(`{"text":"Click the Check out button","conversation_ref":"c1","screenshot_ref":%q}`, shot.ArtifactID))
	list := p.until("tool-call")
	if got := types(list); got != "system-prompt user-message-full tool-schemas token-count tool-call" {
		t.Errorf("messages %s", got)
	}
	var call sdkapi.WSToolCallPayload
	if err := json.Unmarshal(list[len(list)-1].Payload, &call); err != nil {
		t.Fatal(err)
	}
	var at struct{ X, Y int }
	if err := json.Unmarshal(call.Parameters, &at); err != nil || at.X < 20 || at.X > 130 || at.Y < 20 || at.Y > 50 || call.ToolName != "mouse_control" {
		t.Errorf("the call %+v at %+v, %v", call, at, err)
	}
	result := fmt.Sprintf(`{"request_id":%q,"success":true,"data":{"output":"Clicked","screenshot_ref":%q,"system_state":{"active_window":"Shop","mouse_position":"(1, 2)"}},"error":null}`, call.RequestID, shot.ArtifactID)
	p.send("tool-result", result)
	rest := p.until("streaming-complete")
	if got := types(rest); got != "tool-output streaming-response assistant-message-full token-count streaming-complete" {
		t.Errorf("messages %s", got)
	}
	p.send("tool-result", result) // says it again: the answer was lost, perhaps
	p.send("tool-result", strings.Replace(result, "Clicked", "Missed", 1))
	if m := p.next(); m.Type != "error" || !strings.Contains(string(m.Payload), string(sdkapi.DecisionConflict)) {
		t.Errorf("another result: %+v %s", m, m.Payload)
	}
	// Another connection gets the rest from where this one was.
	again := dial(t, url, hello)
	again.send("resume", fmt.Sprintf(`{"conversation_ref":"c1","seq":%d}`, list[len(list)-1].Seq))
	replayed := again.until("streaming-complete")
	for i, m := range replayed {
		if m.Type != rest[i].Type || string(m.Payload) != string(rest[i].Payload) || m.Seq != rest[i].Seq {
			t.Errorf("message %d: %+v %s, was %+v %s", i, m, m.Payload, rest[i], rest[i].Payload)
		}
	}
}

// Several steps on the client's machine leave as one bundle.
func TestWSBundle(t *testing.T) {
	t.Parallel()
	url := talking(t)
	p := dial(t, url, hello)
	p.send("query", `{"text":"click 10, 20, then type hello, then press enter","conversation_ref":"c1"}`)
	list := p.until("tool-bundle")
	var bundle sdkapi.WSToolBundlePayload
	if err := json.Unmarshal(list[len(list)-1].Payload, &bundle); err != nil || len(bundle.Tools) != 3 {
		t.Fatalf("%+v, %v", bundle, err)
	}
	p.send("tool-bundle-result", fmt.Sprintf(`{"bundle_id":%q,"status":"partial_failure","step_results":[{"tool":"mouse_control","status":"ok","output":{"x":10}},{"tool":"keyboard_control","status":"error","error":"no focus"}]}`, bundle.BundleID))
	rest := p.until("streaming-complete")
	var said string
	for _, m := range rest {
		if m.Type == "assistant-message-full" {
			said = string(m.Payload)
		}
	}
	for _, want := range []string{`{\"x\":10}`, "no focus", "did not come to this step"} {
		if !strings.Contains(said, want) {
			t.Errorf("the answer %s lacks %s", said, want)
		}
	}
}

// What is not as it should be is told, and changes nothing.
func TestWSRefusals(t *testing.T) {
	t.Parallel()
	url := talking(t)
	for name, tt := range map[string]struct{ handshake, reason string }{
		"no JSON":         {`{`, "not one valid JSON object"},
		"another type":    {`{"type":"query","user_id":"ada"}`, "handshake"},
		"no user":         {`{"type":"handshake"}`, "user_id"},
		"a removed field": {`{"type":"handshake","user_id":"ada","operating_system":"macOS"}`, "unknown field \"operating_system\""},
		"a version":       {`{"type":"handshake","user_id":"ada","agent_definition":{"version":2}}`, "version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := dial(t, url, tt.handshake)
			_ = p.conn.SetReadDeadline(time.Now().Add(patience))
			_, _, err := p.conn.ReadMessage()
			closed, ok := err.(*websocket.CloseError) //nolint:errorlint // the library wraps nothing
			if !ok || closed.Code != websocket.ClosePolicyViolation || !strings.Contains(closed.Text, tt.reason) {
				t.Errorf("got %v", err)
			}
		})
	}
	p := dial(t, url, hello)
	for name, tt := range map[string]struct{ message, want string }{
		"no JSON":             {`{`, "MALFORMED_BODY"},
		"an unknown field":    {`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"query","payload":{},"extra":1}`, "unknown field"},
		"no UUID":             {`{"id":"1","type":"query","payload":{}}`, "UUID"},
		"an unknown type":     {`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"dance","payload":{}}`, "dance"},
		"no conversation":     {`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"query","payload":{"text":"hi"}}`, "conversation_ref"},
		"no text":             {`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"query","payload":{"conversation_ref":"c"}}`, "text"},
		"an unknown artifact": {`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"query","payload":{"text":"hi","conversation_ref":"c","screenshot_ref":"no.png"}}`, "ARTIFACT_NOT_FOUND"},
		"an unknown request":  {`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"tool-result","payload":{"request_id":"x","success":true}}`, "DECISION_NOT_FOUND"},
		"an unknown session":  {`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"resume","payload":{"conversation_ref":"nobody","seq":0}}`, "SESSION_NOT_FOUND"},
	} {
		p.raw(tt.message)
		if m := p.next(); m.Type != "error" || !strings.Contains(string(m.Payload), tt.want) {
			t.Errorf("%s: %+v %s", name, m, m.Payload)
		}
	}
}

// A client's own tools are taken, unless a name is the gateway's.
func TestWSManifest(t *testing.T) {
	t.Parallel()
	url := talking(t)
	p := dial(t, url, `{"type":"handshake","user_id":"ada","agent_definition":{"version":1,"tools":{"mode":"explicit","available_tools":["mouse_control"],"client_manifest":{"version":1,"tools":[
		{"name":"save_note","description":"Saves a note","schema":{"type":"object","properties":{"text":{"type":"string"}}}},
		{"name":"ocr_read","schema":{"type":"object"}},
		{"name":"save note","schema":{"type":"object"}},
		{"name":"bad_schema","schema":{"type":"strange"}}]}}}}`)
	m := p.next()
	var told sdkapi.WSManifestResult
	if err := json.Unmarshal(m.Payload, &told); err != nil || m.Type != "client-tool-manifest" || len(told.Accepted) != 1 || len(told.Rejected) != 3 {
		t.Fatalf("%s %s", m.Type, m.Payload)
	}
	p.send("query", `{"text":"what tools are there","conversation_ref":"c1"}`)
	for _, m := range p.until("streaming-complete") {
		if text := string(m.Payload); m.Type == "tool-schemas" && (!strings.Contains(text, "save_note") || !strings.Contains(text, "mouse_control") || strings.Contains(text, "keyboard_control")) {
			t.Errorf("the tools are %s", text)
		}
	}
}

// oneModel are the models of a gateway that has the commander alone.
type oneModel struct{}

func (oneModel) List(context.Context, string) sdkapi.ModelList {
	return sdkapi.ModelList{Local: []sdkapi.Model{{ID: "commander", Provider: "commander", DisplayName: "Commander"}}, Online: []sdkapi.Model{}, Vision: []sdkapi.Model{}}
}
func (oneModel) Default(string) string           { return "commander" }
func (oneModel) Keep(user, provider, key string) {}

// Settings last from one connection to the next; keys are never told.
func TestWSSettings(t *testing.T) {
	t.Parallel()
	url := talking(t)
	p := dial(t, url, hello)
	p.send("update-settings", `{"interaction_mode":"chat","wakeword_enabled":true,"provider_api_keys":{"openai":{"enabled":true,"api_key":"sk-canary"}}}`)
	if m := p.next(); m.Type != "settings-updated" || string(m.Payload) != `{"updated_keys":["interaction_mode","provider_api_keys","wakeword_enabled"]}` {
		t.Errorf("%s %s", m.Type, m.Payload)
	}
	again := dial(t, url, hello)
	again.send("load-settings", `{}`)
	want := `{"config":{"model_mode":"online","model_provider":"","selected_model_id":"commander","interaction_mode":"chat","speech_mode_enabled":false,"wakeword_enabled":true,` +
		`"wakeword_stt_enabled":false,"browser_automation_enabled":false,"include_query_screenshot":true,"provider_api_keys":{"openai":{"enabled":true,"api_key":""}}}}`
	if m := again.next(); m.Type != "settings-loaded" || string(m.Payload) != want {
		t.Errorf("%s %s", m.Type, m.Payload)
	}
	again.send("list-models", `{}`)
	if m := again.next(); m.Type != "models-listed" || !strings.Contains(string(m.Payload), `"local":[{"id":"commander"`) {
		t.Errorf("%s %s", m.Type, m.Payload)
	}
	for payload, want := range map[string]string{`{"model_mode":"off"}`: "VALIDATION_ERROR", `{"shoe_size":43}`: "unknown field", `{"wakeword_enabled":"yes"}`: "wakeword_enabled"} {
		again.send("update-settings", payload)
		if m := again.next(); m.Type != "error" || !strings.Contains(string(m.Payload), want) {
			t.Errorf("%s: %s %s", payload, m.Type, m.Payload)
		}
	}
	// In chat there are no tools.
	again.send("query", `{"text":"click 1, 2","conversation_ref":"c1"}`)
	for _, m := range again.until("streaming-complete") {
		if m.Type == "tool-call" || m.Type == "tool-schemas" && !strings.Contains(string(m.Payload), `"tool_schemas":[]`) {
			t.Errorf("%s %s", m.Type, m.Payload)
		}
	}
}

// Pages of other sites do not connect, unless their origin is allowed.
func TestWSOrigins(t *testing.T) {
	t.Parallel()
	url := talking(t, "https://app.example")
	for origin, want := range map[string]int{"": 101, "https://app.example": 101, url: 101, "https://evil.example": 403, "null": 403} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		conn, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, header)
		if conn != nil {
			_ = conn.Close()
		}
		if resp == nil || resp.StatusCode != want {
			t.Errorf("from %q: %v, %v", origin, resp, err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+sdkapi.WSPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket") // and no key, nor a version
	if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("half a request: %v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	if resp, _ := get(t, url+sdkapi.WSPath); resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a plain request: %s", resp.Status)
	}
}
