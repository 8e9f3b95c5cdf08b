package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/test/recorded"
	"github.com/windieos/windie/sdkapi"
)

// talk is a client's conversation over a socket.
type talk struct {
	recorded.Listener

	call    *call
	wire    *wire
	resumed bool              // the client may have heard before what comes
	ended   bool              // the client was told to close it
	waits   map[string]string // the kinds of requests whose tools or questions wait in the client
	alias   *[]string         // ids that the dialogue has, and the client's, in turn
	host    *hosting          // at a tool host; nil at /ws
}

// The operations by which a driver has a conversation over a socket. The first is a stream, which begins with the event
// open, and whose events are the messages that the client hands on.
const (
	opSession = "session"        // wakes an agent up, whose tools and whose user wait for answers
	opSend    = "session.send"   // sends a message of the type that is its name
	opAnswer  = "session.answer" // answers the request whose id is its name
	openEvent = "open"
)

// talk plays a part of a socket. typed is unset for one that no typed client can have: it comes from a page.
func (p *player) talk(s *Step) (typed bool, why string) {
	t := p.sockets[s.Name]
	frames := slices.DeleteFunc(slices.Clone(s.frames), func(f recorded.Frame) bool { return f.Mark == recorded.Remark })
	if at := p.at(s); at != sdkapi.WSPath && sessionOf(at) == "" {
		return true, "the client has no WebSocket at " + at
	}
	if t == nil {
		if len(frames) == 0 || frames[0].Mark != recorded.FromClient || s.header.Get("Origin") != "" {
			return false, ""
		}
		if isRefusal(frames) {
			return true, p.refused(s, frames)
		}
		if t, why = p.open(s, frames[0]); why != "" {
			return true, why
		}
		p.sockets[s.Name] = t
		frames = frames[1:]
	}
	for len(frames) > 0 {
		if frames[0].Mark == recorded.FromClient {
			if why := p.say(t, frames); why != "" {
				return true, why
			}
			frames = frames[1:]
		}
		n := recorded.UntilClient(frames)
		if why := t.hear(frames[:n]); why != "" {
			return true, why
		}
		if slices.ContainsFunc(frames[:n], recorded.Frame.IsClose) && !t.ended {
			if why := t.close(); why != "" { // it would come back amid what follows
				return true, why
			}
		}
		frames = frames[n:]
	}
	return true, ""
}

// at is the path of a socket.
func (p *player) at(s *Step) string {
	target, _ := queryOf(p.vars.Fill(s.target))
	return target
}

// greet has the client begin a conversation, with the dialogue's hello in the place of its own.
func (p *player) greet(s *Step, first recorded.Frame, refused bool) (*talk, error) {
	text, err := expand(first.Text, p.files)
	if err != nil {
		return nil, err
	}
	at, hello, opts := p.at(s), []byte(p.vars.FillNew(text)), p.opts(s)
	opts.Stream = true
	op, args, wrongIn := opSession, Args{}, wrongHandshake("")
	t := &talk{waits: map[string]string{}, alias: &p.alias}
	if session := sessionOf(at); session != "" {
		t.host, op = &hosting{session: session, spoken: &p.spoken}, opHost
		args, wrongIn = hostArgs(session, hello)
	} else {
		var handshake sdkapi.WSHandshake
		if json.Unmarshal(hello, &handshake) == nil || !refused {
			opts.UserID, wrongIn = handshake.UserID, wrongHandshake(handshake.UserID)
		}
		args.Body, _ = json.Marshal(map[string]any{"tools": p.tools}) // names are JSON
	}
	t.wire = newWire(at, hello, wrongIn)
	t.wire.refused = refused
	t.Listener = recorded.Listener{Vars: p.vars, Came: t.wire.came, Wait: patience}
	p.onlyReads()
	p.proxy.expectSocket(t.wire)
	t.call, err = p.driver.call(op, args, opts)
	return t, err
}

// onlyReads has the proxy refuse requests that change something.
func (p *player) onlyReads() {
	p.proxy.expect(func(x *exchange) string {
		if x.method != http.MethodGet {
			return fmt.Sprintf("%s %s is sent", x.method, x.target)
		}
		return ""
	})
}

// wrongHandshake says what is wrong with a client's handshake for a user; any user if that is empty.
func wrongHandshake(user string) func([]byte) string {
	return func(text []byte) string {
		var own sdkapi.WSHandshake
		if err := json.Unmarshal(text, &own); err != nil || own.Type != sdkapi.WSHandshakeType || user != "" && own.UserID != user {
			return fmt.Sprintf("it should be a handshake of %q", user)
		}
		return ""
	}
}

// open has the client begin a conversation that the gateway takes.
func (p *player) open(s *Step, first recorded.Frame) (*talk, string) {
	t, err := p.greet(s, first, false)
	if err != nil {
		return nil, err.Error()
	}
	for {
		line, err := t.call.next(patience)
		switch {
		case err != nil:
			return nil, err.Error()
		case line.Cannot != "":
			return nil, line.Cannot
		case line.Error != nil:
			return nil, "the client does not get in: " + line.Error.Message
		case line.Event == nil:
			return nil, "the client ends"
		case line.Event.Event == openEvent:
			return t, t.wire.complaint()
		}
	}
}

var toolNames = regexp.MustCompile(`"(?:tool_name|name)": "([a-z_]+)"`)

// toolsOf returns the names of the tools in a dialogue's sockets: the client has all of them.
func toolsOf(d *Dialogue) []string {
	names := map[string]bool{}
	for _, s := range d.Steps {
		for _, f := range s.frames {
			for _, found := range toolNames.FindAllStringSubmatch(f.Text, -1) {
				names[found[1]] = true
			}
		}
	}
	return slices.AppendSeq([]string{}, maps.Keys(names))
}

// message is one of /ws.
type message struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// say has the client send a frame. What no client sends, the proxy sends in its place.
func (p *player) say(t *talk, frames []recorded.Frame) string {
	f := frames[0]
	if f.IsClose() {
		return t.close()
	}
	text, err := expand(p.vars.Fill(t.own(f.Text)), p.files)
	if err != nil {
		return err.Error()
	}
	if t.host != nil {
		return p.sayAsHost(t, text, frames[1:])
	}
	var m message
	if json.Unmarshal([]byte(text), &m) != nil || !sendable(text) {
		if err := t.wire.send([]byte(p.vars.FillNew(text))); err != nil {
			return err.Error()
		}
		return ""
	}
	t.resumed = t.resumed || m.Type == sdkapi.WSResume
	op, args := t.told(m)
	if why := p.made(op, args, m.Type); why != "" {
		return why
	}
	return p.sent(t, &m)
}

// close has the client end the conversation.
func (t *talk) close() string {
	t.ended = true
	if err := t.call.abort(); err != nil {
		return err.Error()
	}
	return ""
}

// made has the client send a message of a kind.
func (p *player) made(op string, args Args, kind string) string {
	c, err := p.driver.call(op, args, Opts{BaseURL: p.proxy.url})
	if err != nil {
		return err.Error()
	}
	line, _, err := c.end()
	switch {
	case err != nil:
		return err.Error()
	case line.Cannot != "":
		return line.Cannot
	case line.Error != nil:
		return fmt.Sprintf("%s is not sent: %s", kind, line.Error.Message)
	}
	return ""
}

var uuidLike = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// sendable reports whether a frame is a message as clients send them.
func sendable(text string) bool {
	var fields map[string]any
	_ = json.Unmarshal([]byte(text), &fields) // it was JSON
	id, _ := fields["id"].(string)
	_, object := fields["payload"].(map[string]any)
	object = object && (strings.HasPrefix(id, "${") || uuidLike.MatchString(id))
	for name := range fields {
		object = object && slices.Contains([]string{"id", "type", "payload", "timestamp"}, name)
	}
	return object
}

// answers are the messages that answer requests, and the kinds of these.
var answers = map[string]string{sdkapi.WSToolResult: sdkapi.WSToolCall, sdkapi.WSApprovalDecision: sdkapi.WSApprovalRequest}

// told returns the call by which a driver has its client send a message: the answer of a tool or of the user, if one
// waits for it, or the message itself.
func (t *talk) told(m message) (op string, args Args) {
	var answer struct {
		RequestID string `json:"request_id"`
		Success   *bool
		Approved  *bool
		Data      map[string]any
		Error     *string
		Reason    string
	}
	plain := json.Unmarshal(m.Payload, &answer) == nil && t.waits[answer.RequestID] == answers[m.Type]
	args = Args{Call: t.call.id, Name: m.Type, Body: m.Payload}
	if !plain || answers[m.Type] == "" || !onlyHas(m.Payload, "request_id", "success", "approved", "data", "error", "reason") {
		return opSend, args
	}
	var body map[string]any
	switch {
	case m.Type == sdkapi.WSToolResult && answer.Success != nil && *answer.Success && len(answer.Data) == 1 && answer.Data["output"] != nil:
		body = map[string]any{"output": answer.Data["output"]}
	case m.Type == sdkapi.WSApprovalDecision && answer.Approved != nil:
		body = map[string]any{"approved": *answer.Approved}
		if answer.Reason != "" {
			body["reason"] = answer.Reason
		}
	default:
		return opSend, args
	}
	delete(t.waits, answer.RequestID)
	args.Name = answer.RequestID
	args.Body, _ = json.Marshal(body) // it was JSON
	return opAnswer, args
}

// onlyHas reports whether an object has no other fields.
func onlyHas(raw []byte, names ...string) bool {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(raw, &fields) // it was JSON
	for name := range maps.Keys(fields) {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// sent compares what the client sends with a message, and notes the id that it has.
func (p *player) sent(t *talk, want *message) string {
	text, why := t.saidNext(want.Type)
	if why != "" {
		return why
	}
	var got message
	if err := json.Unmarshal([]byte(text), &got); err != nil || got.Type != want.Type || got.ID == "" {
		return fmt.Sprintf("the client sends %.300s, not %s", text, want.Type)
	}
	if name, ok := strings.CutPrefix(want.ID, "${"); ok {
		p.vars.Values[strings.TrimSuffix(name, "}")] = got.ID
	} else if want.ID != "" {
		*t.alias = append(*t.alias, want.ID, got.ID)
	}
	if diff := recorded.SameJSON(withoutNulls(p.vars.FillNew(string(want.Payload))), withoutNulls(string(got.Payload)), p.vars.Match); diff != "" {
		return fmt.Sprintf("the client's %s: %s", want.Type, diff)
	}
	return ""
}

// saidNext returns the next message of the client, which should be of a kind.
func (t *talk) saidNext(kind string) (text, why string) {
	select {
	case f := <-t.wire.said:
		return f.Text, ""
	case <-time.After(patience):
		return "", fmt.Sprintf("the client does not send %s", kind)
	}
}

// own is a text of the dialogue with the ids that the client gave in place of those that it has.
func (t *talk) own(text string) string { return strings.NewReplacer(*t.alias...).Replace(text) }

// withoutNulls takes fields that are null from an object, and from those in it.
func withoutNulls(text string) string {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return text
	}
	var drop func(object map[string]any)
	drop = func(object map[string]any) {
		maps.DeleteFunc(object, func(_ string, value any) bool { return value == nil })
		for _, value := range object {
			if inner, ok := value.(map[string]any); ok {
				drop(inner)
			}
		}
	}
	drop(object)
	raw, _ := json.Marshal(object) // it was JSON
	return string(raw)
}

// hear compares what the gateway sends with the wanted frames, and what the client hands on with what it was sent.
func (t *talk) hear(wanted []recorded.Frame) string {
	if t.ended {
		return "" // the client closed it, and hears nothing any more
	}
	wanted = slices.Clone(wanted)
	for i := range wanted {
		wanted[i].Text = t.own(wanted[i].Text)
		if t.host != nil {
			wanted[i].Text = t.host.named(wanted[i])
		}
	}
	if err := t.Expect(wanted); err != nil {
		return err.Error()
	}
	for {
		select {
		case text := <-t.wire.passed:
			if why := t.took(text); why != "" {
				return why
			}
		default:
			return ""
		}
	}
}

// took notes a message that the client got, and says what is wrong with what it does of it.
func (t *talk) took(text string) string {
	if t.host != nil {
		return t.tookAsHost(text)
	}
	t.note(text)
	return t.handedOn(text)
}

// note notes what a message has the client do.
func (t *talk) note(text string) {
	var m struct {
		Type    string
		Payload struct {
			RequestID string `json:"request_id"`
		}
	}
	if json.Unmarshal([]byte(text), &m) == nil && (m.Type == sdkapi.WSToolCall || m.Type == sdkapi.WSApprovalRequest) {
		t.waits[m.Payload.RequestID] = m.Type
	}
}

// handedOn says what is wrong with what the client hands on of a message: it comes once, in order, and whole.
func (t *talk) handedOn(text string) string {
	if t.resumed {
		return "" // what comes may have come before, and is heard once
	}
	line, err := t.call.next(patience)
	switch {
	case err != nil:
		return fmt.Sprintf("%v, though it was sent %.200s", err, text)
	case line.Event == nil:
		return fmt.Sprintf("the client ends, though it was sent %.200s", text)
	}
	if diff := recorded.SameJSON(kept(text), kept(string(line.Event.Data)), func(want, got string) bool { return want == got }); diff != "" {
		return fmt.Sprintf("the client hands on something else than %.200s: %s", text, diff)
	}
	return ""
}

// kept are the fields of a message that a client hands on.
func kept(text string) string {
	var fields map[string]any
	_ = json.Unmarshal([]byte(text), &fields) // no object is not the same as one
	maps.DeleteFunc(fields, func(name string, value any) bool {
		return value == nil || !slices.Contains([]string{"type", "payload", "seq", "conversation_ref", "turn_ref", "query_ref", "in_reply_to"}, name)
	})
	raw, _ := json.Marshal(fields) // it was JSON
	return string(raw)
}
