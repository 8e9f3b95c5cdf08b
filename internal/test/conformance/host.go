package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/test/recorded"
	"github.com/windieos/windie/sdkapi"
)

// The operations by which a driver has a conversation with an agent as its tool host. The first is a stream, as opSession.
const (
	opHost       = "host"        // hears a session, whose tools and whose user wait for answers
	opHostSay    = "host.say"    // says what the user says
	opHostAnswer = "host.answer" // answers the call of a tool whose id is its name
	opHostDecide = "host.decide" // answers the question whose id is its name
	opHostCancel = "host.cancel"
)

// hosting is a client's part as the tool host of a session.
type hosting struct {
	session string
	working bool    // on what the client said
	later   []Event // were handed on, and are not looked at yet
	*spoken
}

// spoken is what clients said in a dialogue. Each gives what it says a name.
type spoken struct {
	names   map[string]bool
	unnamed bool // some of it has no name in the dialogue
}

// sessionOf returns the session of a tool host's socket, empty for another path.
func sessionOf(path string) string {
	before, after, _ := strings.Cut(sdkapi.AgentStreamPath, "{id}")
	id, isSession := strings.CutPrefix(path, before)
	id, isStream := strings.CutSuffix(id, after)
	if !isSession || !isStream {
		return ""
	}
	return id
}

var manifestNames = regexp.MustCompile(`"name": ?"([a-z_]+)"`)

// hostArgs are the parameters of a client that has the tools of a hello, and what says what is wrong with its own hello.
func hostArgs(session string, hello []byte) (Args, func([]byte) string) {
	var tools []string // nil for a client that only watches
	if strings.Contains(string(hello), `"toolManifest"`) {
		tools = namesIn(hello)
	}
	body, _ := json.Marshal(map[string]any{"tools": tools}) // names are JSON
	return Args{Path: map[string]string{"id": session}, Body: body}, func(text []byte) string {
		var own sdkapi.AgentClientMessage
		switch err := json.Unmarshal(text, &own); {
		case err != nil || own.Type != sdkapi.AgentHello || own.SessionID != session || own.ClientID == "":
			return "it should be a hello for the session " + session + " with a clientId"
		case !slices.Equal(namesIn(own.ToolManifest), slices.Concat([]string{}, tools)):
			return fmt.Sprintf("it should have the tools %q", tools)
		}
		return ""
	}
}

// namesIn returns the names of tools in a manifest, each once.
func namesIn(manifest []byte) []string {
	names := []string{}
	for _, found := range manifestNames.FindAllSubmatch(manifest, -1) {
		if name := string(found[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// sayAsHost has the client send a message of a tool host. next are the frames behind it.
func (p *player) sayAsHost(t *talk, text string, next []recorded.Frame) string {
	var m sdkapi.AgentClientMessage
	op, args := "", Args{}
	if json.Unmarshal([]byte(text), &m) == nil && (m.SessionID == "" || m.SessionID == t.host.session) {
		op, args = t.asHost(&m, text, next[:recorded.UntilClient(next)])
	}
	if op == "" {
		if err := t.wire.send([]byte(p.vars.FillNew(text))); err != nil {
			return err.Error()
		}
		return ""
	}
	args.Call = t.call.id
	if why := p.made(op, args, m.Type); why != "" {
		return why
	}
	return p.sentAsHost(t, &m, text)
}

// asHost returns the call by which a driver has its client send a message; op is empty for one that no client sends.
// A result may be that of a call which is in the frames behind it.
func (t *talk) asHost(m *sdkapi.AgentClientMessage, text string, next []recorded.Frame) (op string, args Args) {
	fields := func(names ...string) bool { return onlyHas([]byte(text), append(names, "type", "sessionId")...) }
	switch {
	case m.Type == sdkapi.AgentUserMessage && m.Content != "" && !t.host.names[m.MessageID] && fields("content", "messageId", "images"):
		op = opHostSay
	case m.Type == sdkapi.AgentToolResult && m.ToolCallID != "" && fields("toolCallId", "output", "isError", "images"):
		called := slices.ContainsFunc(next, func(f recorded.Frame) bool {
			return f.Kind() == sdkapi.AgentToolCall && f.Object()["toolCallId"] == m.ToolCallID
		})
		if t.waits[m.ToolCallID] != sdkapi.AgentToolCall && !called {
			return "", args
		}
		op, args.Name = opHostAnswer, m.ToolCallID
	case m.Type == sdkapi.AgentDecision && m.Approved != nil && t.waits[m.ApprovalID] == sdkapi.AgentApproval && fields("approvalId", "approved", "reason", "arguments"):
		op, args.Name = opHostDecide, m.ApprovalID
	case m.Type == sdkapi.AgentCancel && t.host.working && fields():
		op = opHostCancel
	}
	args.Body = json.RawMessage(text)
	return op, args
}

// sentAsHost compares what the client sends with a message, and notes the name that it has.
func (p *player) sentAsHost(t *talk, want *sdkapi.AgentClientMessage, text string) string {
	came, why := t.saidNext(want.Type)
	if why != "" {
		return why
	}
	var got sdkapi.AgentClientMessage
	if err := json.Unmarshal([]byte(came), &got); err != nil || got.SessionID != t.host.session || (want.Type == sdkapi.AgentUserMessage) != (got.MessageID != "") {
		return fmt.Sprintf("the client sends %.300s, not %s", came, want.Type)
	}
	switch want.Type {
	case sdkapi.AgentUserMessage:
		t.host.working, t.host.names[got.MessageID] = true, true
		if want.MessageID != "" {
			*t.alias = append(*t.alias, recorded.Quote(want.MessageID), recorded.Quote(got.MessageID))
		}
		t.host.unnamed = t.host.unnamed || want.MessageID == ""
	case sdkapi.AgentToolResult:
		delete(t.waits, want.ToolCallID)
	}
	if diff := recorded.SameJSON(without(p.vars.FillNew(text), "messageId", "sessionId"), without(came, "messageId", "sessionId", "turnId"), p.vars.Match); diff != "" {
		return fmt.Sprintf("the client's %s: %s", want.Type, diff)
	}
	return ""
}

// without takes fields from an object.
func without(text string, names ...string) string {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(text), &fields) // it was an object
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return slices.Contains(names, name) })
	raw, _ := json.Marshal(fields) // likewise
	return string(raw)
}

// named is a wanted frame with the name of what the client said, where the dialogue has none.
func (h *hosting) named(f recorded.Frame) string {
	o := f.Object()
	about := o["type"] == sdkapi.AgentUserMessage || o["inReplyTo"] == sdkapi.AgentUserMessage
	if _, ok := o["messageId"]; ok || !about || !h.unnamed {
		return f.Text
	}
	o["messageId"] = recorded.Elided
	text, _ := json.Marshal(o) // it was JSON
	return string(text)
}

// tookAsHost notes a message that the client got, and says what is wrong with what it does of it: a call is run, a
// heartbeat is kept from the program, and all else is handed on once, in order and whole.
func (t *talk) tookAsHost(text string) string {
	var m struct{ Type, ToolCallID, ApprovalID string }
	_ = json.Unmarshal([]byte(text), &m) // whoever compares it sees what it is
	want := text
	switch m.Type {
	case sdkapi.AgentHeartbeat:
		return ""
	case sdkapi.AgentToolCall:
		t.waits[m.ToolCallID] = m.Type
		want = without(text, "type", "sessionId", "seq", "turnId", "risk", "expiresAt")
	case sdkapi.AgentApproval:
		t.waits[m.ApprovalID] = m.Type
	case sdkapi.AgentDone:
		t.host.working = false
		maps.DeleteFunc(t.waits, func(_, kind string) bool { return kind == sdkapi.AgentToolCall })
	}
	event, err := t.nextOf(m.Type == sdkapi.AgentToolCall)
	if err != nil {
		return fmt.Sprintf("%v, though it was sent %.200s", err, text)
	}
	if diff := recorded.SameJSON(withoutNulls(want), withoutNulls(string(event.Data)), func(want, got string) bool { return want == got }); diff != "" {
		return fmt.Sprintf("the client hands on something else than %.200s: %s", text, diff)
	}
	return ""
}

// nextOf returns the next event that is a call, or the next one of another kind: calls run beside what is handed on.
func (t *talk) nextOf(call bool) (Event, error) {
	is := func(e Event) bool { return (e.Event == sdkapi.AgentToolCall) == call }
	if i := slices.IndexFunc(t.host.later, is); i >= 0 {
		found := t.host.later[i]
		t.host.later = slices.Delete(t.host.later, i, i+1)
		return found, nil
	}
	for {
		line, err := t.call.next(patience)
		switch {
		case err != nil:
			return Event{}, err
		case line.Error != nil:
			return Event{}, errors.New("the client ends: " + line.Error.Message)
		case line.Event == nil:
			return Event{}, errors.New("the client ends")
		case is(*line.Event):
			return *line.Event, nil
		}
		t.host.later = append(t.host.later, *line.Event)
	}
}
