package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// WakeTool is a tool that the program offers to an agent.
type WakeTool struct {
	Name        string
	Description string          // what the tool does; empty means the same text as Name
	Schema      json.RawMessage // JSON Schema of the arguments
	Risk        string          // "safe" or "risky"; empty means "risky"

	// Run runs the tool. Its context ends when the agent is closed. Different calls may run at the
	// same time; each call runs once.
	Run func(ctx context.Context, call WakeCall) WakeResult
}

// WakeCall is a call of one of the program's tools.
type WakeCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
	Risk      string // "safe" or "risky"
	Reason    string // why the user should approve the call, as text for the user; empty if no approval is needed
}

// WakeResult is the outcome of a call.
type WakeResult struct {
	Output any    // text, or a value that encodes as JSON
	Error  string // why the tool failed; empty if it succeeded
	Screen string // artifact id of a screenshot after the call; empty means no screenshot
}

// WakeOptions describe a program to an agent.
type WakeOptions struct {
	User         string // the user of the agent; default: the user of WithUser, or else "local"
	SystemPrompt string // text that is sent with each query, before the conversation
	Workspace    string // the folder in which the user works
	OS           string // operating system of the program's machine
	Tools        []WakeTool
	Disabled     []string // names of the gateway's tools that the agent may not call

	// Approve decides calls that need the user's approval: calls of the gateway's tools, and risky
	// calls of the program's tools. If Approve is nil, calls of the gateway's tools are denied, and
	// the program's tools run. Several calls may be decided at the same time.
	Approve func(ctx context.Context, question sdkapi.WSApprovalRequestPayload) (approved bool, reason string)

	// Heard gets each message of /ws once, in order. It must return quickly.
	Heard func(m sdkapi.WSMessage)
}

// WokenAgent is an agent at /ws that can call the program's tools. Its methods are safe for
// concurrent use.
type WokenAgent struct {
	client *Client
	opts   WakeOptions
	ctx    context.Context // context of all its work; Close ends it
	stop   context.CancelFunc
	all    sync.WaitGroup

	mu     sync.Mutex
	link   *wakeLink // nil while there is no connection
	err    error     // why the agent has no connection for good
	outbox []wakeMessage
	places map[string]*wakePlace // by conversation
	open   []*wakeTurn           // queries whose turns have not ended
	// on this connection the gateway names the query of each turn; an older gateway does not
	named    bool
	results  map[string]*wakeDone // outcomes of calls, by request id
	unheard  []wakeReport         // answers that the gateway may not have
	asked    []wakeMessage        // messages of the types wakeAnswered that have no answer yet
	manifest sdkapi.WSManifestResult
}

// wakeTurn is a query whose turn has not ended.
type wakeTurn struct {
	id, ref, turn string
	payload       sdkapi.WSQueryPayload
	begun         bool
	gone          bool // the caller no longer waits for its end
	failed        error
	done          chan error
	text          string
}

// WakeQuestion is a query to an agent.
type WakeQuestion struct {
	Text         string
	Conversation string // conversation id; default: a new conversation
	Screen       string // artifact id of a screenshot
	OnBusy       string // what to do while another turn runs: reject, queue or interrupt
	Context      *sdkapi.QueryContext
}

// WakeAnswer is the result of a turn: its last text, and the ids of the conversation and the turn.
type WakeAnswer struct{ Text, Conversation, Turn string }

// WakeUp connects the program to an agent at /ws and offers the program's tools. After a break it
// reconnects; no message is sent or delivered twice and no call runs twice. It fails if the gateway
// rejects one of the tools. ctx limits only the first connection. To end the connection, call
// Close.
func (c *Client) WakeUp(ctx context.Context, opts WakeOptions) (*WokenAgent, error) {
	opts.User = cmp.Or(opts.User, c.header.Get(sdkapi.UserHeader), sdkapi.LocalUser)
	a := &WokenAgent{client: c, opts: opts, places: map[string]*wakePlace{}, results: map[string]*wakeDone{}}
	a.ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	link, err := a.connect(ctx)
	if err == nil && len(a.manifest.Rejected) > 0 {
		var why []string
		for _, t := range a.manifest.Rejected {
			why = append(why, t.Name+" ("+t.Reason+")")
		}
		link.close()
		err = errors.New("sdk: the gateway rejected these tools: " + strings.Join(why, ", "))
	}
	if err != nil {
		a.stop()
		return nil, err
	}
	a.link = link
	a.all.Go(func() { a.run(link) })
	return a, nil
}

// Manifest returns which of the program's tools the gateway accepted.
func (a *WokenAgent) Manifest() sdkapi.WSManifestResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.manifest
}

// Close ends the connection and waits for running calls. The agent's turns continue without it.
func (a *WokenAgent) Close() {
	a.stop()
	a.mu.Lock()
	if a.link != nil {
		a.link.close()
	}
	a.mu.Unlock()
	a.all.Wait()
}

// Send sends a message of any type that /ws accepts, now or on the next connection, and returns its
// id. payload becomes JSON; nil means an empty object.
//
// The gateway's answer to load-settings, update-settings, list-models or wakeword-detected has the
// id of the message. Send repeats these messages on each new connection until the answer arrives.
// It does not repeat messages of other types. If the connection breaks before such a message
// arrives, the message is lost without an error. Before you continue, check that the message took
// effect, for example that a cancel has ended its turn.
func (a *WokenAgent) Send(kind string, payload any) (id string, err error) {
	m, err := wakeMessageOf(newUUID(), kind, payload)
	if err == nil {
		err = a.send(m)
	}
	return m.ID, err
}

// Ask sends a query to the agent and waits for the end of its turn. If ctx ends first, Ask cancels
// this turn and no other turn. If the query is still queued, it is dropped.
func (a *WokenAgent) Ask(ctx context.Context, question WakeQuestion) (WakeAnswer, error) {
	turn, err := a.query(question)
	if err != nil {
		return WakeAnswer{}, err
	}
	select {
	case err := <-turn.done:
		return WakeAnswer{Text: turn.text, Conversation: turn.ref, Turn: turn.turn}, err
	case <-ctx.Done():
		a.giveUp(turn)
		return WakeAnswer{}, context.Cause(ctx)
	}
}

// giveUp cancels a turn for which the caller no longer waits. It drops a query that was not sent
// yet. If the cancel is lost with its connection, lost sends it again.
func (a *WokenAgent) giveUp(turn *wakeTurn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	unsent := len(a.outbox)
	a.outbox = slices.DeleteFunc(a.outbox, func(m wakeMessage) bool { return m.ID == turn.id })
	if turn.gone = len(a.outbox) == unsent; !turn.gone {
		a.open = slices.DeleteFunc(a.open, func(t *wakeTurn) bool { return t == turn })
		return
	}
	if a.link != nil && slices.Contains(a.open, turn) {
		for _, m := range turn.cancel() {
			_ = a.link.write(m) // the reader notices a broken connection
		}
	}
}

// cancel returns the message that cancels the turn.
func (t *wakeTurn) cancel() []wakeMessage {
	return appendMessage(nil, newUUID(), sdkapi.WSCancel, sdkapi.WSCancelPayload{ConversationRef: t.ref, QueryID: t.id})
}

// query sends a question and records its turn.
func (a *WokenAgent) query(q WakeQuestion) (*wakeTurn, error) {
	payload := sdkapi.WSQueryPayload{
		Text: q.Text, ConversationRef: cmp.Or(q.Conversation, "conv_"+newUUID()), ScreenshotRef: q.Screen, OnBusy: q.OnBusy,
		QueryContext: q.Context, WorkspacePath: a.opts.Workspace,
	}
	if a.opts.SystemPrompt != "" {
		payload.RepoInstructionMessages = []sdkapi.RepoInstruction{{Path: "system-prompt", Content: a.opts.SystemPrompt}}
	}
	turn := &wakeTurn{id: newUUID(), ref: payload.ConversationRef, payload: payload, done: make(chan error, 1)}
	m, err := wakeMessageOf(turn.id, sdkapi.WSQuery, payload)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.open = append(a.open, turn) // before a response can arrive
	a.mu.Unlock()
	if err := a.send(m); err != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.open = slices.DeleteFunc(a.open, func(t *wakeTurn) bool { return t == turn })
		return nil, err
	}
	return turn, nil
}

// hear handles a message.
func (a *WokenAgent) hear(m sdkapi.WSMessage) {
	if !a.pass(m) {
		return
	}
	a.track(m)
	switch m.Type {
	case sdkapi.WSToolCall:
		take(a, m, func(p sdkapi.WSToolCallPayload) (bool, func()) { return p.Answered, func() { a.toolCall(m, p) } })
	case sdkapi.WSToolBundle:
		take(a, m, func(p sdkapi.WSToolBundlePayload) (bool, func()) { return p.Answered, func() { a.toolBundle(m, p) } })
	case sdkapi.WSApprovalRequest:
		take(a, m, func(p sdkapi.WSApprovalRequestPayload) (bool, func()) { return p.Answered, func() { a.approval(m, p) } })
	}
	if a.opts.Heard != nil {
		a.opts.Heard(m)
	}
}

// take decodes m and runs the request's handler in a goroutine, unless the request has its answer
// already.
func take[P any](a *WokenAgent, m sdkapi.WSMessage, of func(P) (answered bool, do func())) {
	var payload P
	if json.Unmarshal(m.Payload, &payload) != nil {
		return // an unknown payload of a newer gateway
	}
	if answered, do := of(payload); !answered {
		a.all.Go(do)
	}
}

// track updates the open turns.
func (a *WokenAgent) track(m sdkapi.WSMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle(m)
	a.asked = slices.DeleteFunc(a.asked, func(sent wakeMessage) bool { return sent.ID == m.InReplyTo })
	at := a.about(m)
	if at < 0 {
		return
	}
	turn := a.open[at]
	turn.begun = true
	turn.turn = cmp.Or(m.TurnRef, turn.turn)
	if m.Type == sdkapi.WSError {
		turn.failed = failureOf(m)
	}
	if m.Type != sdkapi.WSStreamingComplete && (m.Type != sdkapi.WSError || m.InReplyTo == "") {
		return
	}
	var end sdkapi.WSCompletePayload
	_ = json.Unmarshal(m.Payload, &end) // without a payload the text is empty
	turn.text = end.FinalResponse
	a.open = slices.Delete(a.open, at, at+1)
	turn.done <- turn.failed
}

// about returns the index in open of the turn that m concerns, or -1. The caller holds mu.
func (a *WokenAgent) about(m sdkapi.WSMessage) int {
	if m.Type == sdkapi.WSError && m.InReplyTo != "" {
		return slices.IndexFunc(a.open, func(t *wakeTurn) bool { return t.id == m.InReplyTo })
	}
	if m.QueryRef != "" {
		a.named = true
		return slices.IndexFunc(a.open, func(t *wakeTurn) bool { return t.id == m.QueryRef })
	}
	if m.TurnRef == "" {
		return -1
	}
	at := slices.IndexFunc(a.open, func(t *wakeTurn) bool { return m.ConversationRef == t.ref && t.turn == m.TurnRef })
	// an older gateway: the first turn that begins in the conversation belongs to the query
	if at < 0 && !a.named {
		at = slices.IndexFunc(a.open, func(t *wakeTurn) bool { return m.ConversationRef == t.ref && t.turn == "" })
	}
	return at
}

// failureOf returns the error that m reports.
func failureOf(m sdkapi.WSMessage) error {
	var told sdkapi.WSErrorPayload
	if err := json.Unmarshal(m.Payload, &told); err != nil {
		return err
	}
	code := told.Code
	if code == "" {
		code = sdkapi.Code(strings.ToUpper(cmp.Or(told.Reason, "failed")))
	}
	return &sdkapi.Error{Code: code, Message: told.Message, Details: told.Details}
}

// end fails all open turns, because no further connection will be made.
func (a *WokenAgent) end(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = fmt.Errorf("sdk: the connection to the agent is closed: %w", err)
	for _, turn := range a.open {
		turn.done <- a.err
	}
	a.open = nil
}
