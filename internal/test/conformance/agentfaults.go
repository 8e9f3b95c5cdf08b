package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// waitTool is a tool of the stage that ends with its call's context.
const waitTool = "conformance.wait"

// callsTool is a model that calls a tool of the program, and says it.
var callsTool = `{"Calls": [{"ID": "call-1", "Name": "save_note", "Arguments": {"text": "x"}}], "Usage": {"Input": 5, "Output": 2}}` + "\n" + saysIt

// asks is an agent with a tool, and what it is asked.
var asks = Args{
	Input: "Keep this",
	Tool:  json.RawMessage(`{"name": "save_note", "description": "Keeps a note.", "schema": {"type": "object", "properties": {"text": {"type": "string"}}}}`),
}

// agentFaults are those of agents with tools of the program, on the client's way to hold a conversation: a socket at
// /ws, or the remote tool host. Their turn ends with the whole answer, and the tool runs once.
func agentFaults() []*Fault {
	return []*Fault{
		{Name: "agent", model: callsTool, run: (*trial).turn},
		{Name: "agent-cut-at-call", model: callsTool, run: agentBroken(`"tool-call"`, -1, "tool.call", true)},
		{Name: "agent-cut-after-call", model: callsTool, run: agentBroken(`"tool-call"`, 1001, "tool.call", false)},
		{Name: "agent-goes-away", model: callsTool, run: agentBroken(`"streaming-response"`, 1001, "assistant.text", false)},
		{Name: "agent-result-lost", model: callsTool, run: resultLost},
		{Name: "agent-call-twice", model: callsTool, run: agentTold(func(frame []byte) [][]byte {
			if bytes.Contains(frame, []byte(`"tool-call"`)) {
				return [][]byte{frame, frame}
			}
			return alone(frame)
		})},
		{Name: "agent-unknown-message", model: callsTool, run: agentTold(func(frame []byte) [][]byte {
			return [][]byte{[]byte(`{"id":"00000000-0000-4000-8000-000000000000","type":"of-a-later-release","payload":{"is":"new"},"timestamp":"2026-01-01T00:00:00Z"}`), frame}
		})},
		{Name: "agent-unknown-field", model: callsTool, run: agentTold(func(frame []byte) [][]byte {
			var message map[string]any
			if json.Unmarshal(frame, &message) != nil {
				return alone(frame)
			}
			if payload, ok := message["payload"].(map[string]any); ok {
				payload["of_a_later_release"] = map[string]any{"is": "new"}
			}
			withField(message)
			changed, _ := json.Marshal(message) // it was JSON
			return [][]byte{changed}
		})},
	}
}

// agentTold has an agent take a turn whose messages are changed on their way.
func agentTold(made func(frame []byte) [][]byte) func(t *trial) string {
	return func(t *trial) string {
		t.proxy.breakWith(&breakage{method: http.MethodGet, path: sdkapi.WSPath, times: 1, frames: made})
		if why := t.turn(); why != "" {
			return why
		}
		if len(t.proxy.requests(http.MethodGet, sdkapi.WSPath)) == 0 {
			return "the agent is at no WebSocket"
		}
		return ""
	}
}

// turn has an agent take a turn, and says what was wrong with it.
func (t *trial) turn() string {
	line, err := t.call("wakeUp", asks, "")
	switch {
	case err != nil:
		return err.Error()
	case line.Cannot != "":
		return line.Cannot
	case line.Error != nil:
		return "the turn fails: " + line.Error.Message
	}
	var got struct {
		Text string
		Runs int
	}
	if err := json.Unmarshal(line.OK, &got); err != nil {
		return err.Error()
	}
	if got.Runs != 1 {
		return fmt.Sprintf("the tool runs %d times", got.Runs)
	}
	if got.Text != said {
		return fmt.Sprintf("the answer is %q, not %q", got.Text, said)
	}
	return ""
}

// agentBroken breaks the connection at or behind a frame of a socket, or an event of a stream: the client comes back.
func agentBroken(frame string, code int, event string, before bool) func(t *trial) string {
	return func(t *trial) string {
		broken := false
		ends := func(text []byte) int {
			if broken || !bytes.Contains(bytes.ReplaceAll(text, []byte(" "), nil), []byte(`"type":`+frame)) {
				return 0
			}
			broken = true
			return code
		}
		cuts := func(_ int, text []byte) [][]byte {
			if !bytes.Contains(text, []byte(event)) {
				return [][]byte{text}
			}
			if before {
				return [][]byte{nil}
			}
			return [][]byte{text, nil}
		}
		socket := &breakage{method: http.MethodGet, path: sdkapi.WSPath, times: 1, frame: ends}
		stream := &breakage{method: http.MethodGet, path: "/api/agent/sessions/*", times: 1, event: cuts}
		t.proxy.breakWith(socket, stream)
		if why := t.turn(); why != "" {
			return why
		}
		sockets := t.proxy.requests(http.MethodGet, sdkapi.WSPath)
		streams := 0
		for _, x := range t.proxy.requests(http.MethodGet, "/api/agent/sessions/*") {
			if strings.Contains(x.target, "/stream") {
				streams++
			}
		}
		if len(sockets) < 2 && streams < 2 {
			return fmt.Sprintf("the connection did not break: %d sockets, %d streams", len(sockets), streams)
		}
		return ""
	}
}

// resultLost breaks the connection before the gateway gets a tool's result, or before the client hears that it has.
func resultLost(t *trial) string {
	broken := false
	socket := &breakage{method: http.MethodGet, path: sdkapi.WSPath, times: 1, frame: func(text []byte) int {
		if broken || !bytes.Contains(text, []byte("tool-output")) {
			return 0
		}
		broken = true
		return -1
	}}
	t.proxy.breakWith(socket, &breakage{method: http.MethodPost, path: "/api/agent/sessions/*", times: 3, status: http.StatusServiceUnavailable, header: map[string]string{"Content-Type": jsonType}, body: errorBody("STATE_UNAVAILABLE", "soon")})
	return t.turn()
}
