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

// WakeTool is a tool of the program, for an agent.
type WakeTool struct {
	Name        string
	Description string          // empty for the name
	Schema      json.RawMessage // JSON Schema of the arguments
	Risk        string          // "safe" or "risky"; empty for risky

	// Run runs the tool. Its context ends when the agent is closed. It may be called from several goroutines at once, but
	// once for each call.
	Run func(ctx context.Context, call WakeCall) WakeResult
}

// WakeCall is a call of a tool of the program.
type WakeCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
	Risk      string // "safe" or "risky"
	Reason    string // why it is asked about, for the user; empty if there is no need
}

// WakeResult is what came of a call.
type WakeResult struct {
	Output any    // text, or what becomes JSON
	Error  string // why the tool failed; empty if it did not
	Screen string // the artifact that shows the screen behind the call; empty for none
}

// WakeOptions describe a program to an agent.
type WakeOptions struct {
	User         string // default: that of WithUser, or else "local"
	SystemPrompt string // comes with each query, before the conversation
	Workspace    string // the folder that the user works in
	OS           string // what the program runs on
	Tools        []WakeTool
	Disabled     []string // names of the gateway's tools that the agent may not call

	// Approve answers questions about calls of the gateway's tools, and of those of the program that are risky. Without
	// it the former are denied and the latter run. It may be called from several goroutines at once.
	Approve func(ctx context.Context, question sdkapi.WSApprovalRequestPayload) (approved bool, reason string)

	// Heard gets each message of /ws once, in order. It must be quick.
	Heard func(m sdkapi.WSMessage)
}

// WokenAgent is an agent at /ws that has the program's tools. Its methods may be called from several goroutines at once.
type WokenAgent struct {
	client *Client
	opts   WakeOptions
	ctx    context.Context // of all that it does; it ends with Close
	stop   context.CancelFunc
	all    sync.WaitGroup

	mu       sync.Mutex
	link     *wakeLink // nil while there is no connection
	err      error     // why there is none any more
	outbox   []wakeMessage
	places   map[string]*wakePlace // by conversation
	open     []*wakeTurn           // queries whose turns have not ended
	named    bool                  // the gateway says on this connection which queries began turns; an older one does not
	results  map[string]*wakeDone  // of calls, by their ids
	unheard  []wakeReport          // answers that the gateway may not have
	asked    []wakeMessage         // of types in wakeAnswered, until their answers come
	manifest sdkapi.WSManifestResult
}

// wakeTurn is a query whose turn has not ended.
type wakeTurn struct {
	id, ref, turn string
	payload       sdkapi.WSQueryPayload
	begun         bool
	gone          bool // nobody waits for its end
	failed        error
	done          chan error
	text          string
}

// WakeQuestion is what an agent is asked.
type WakeQuestion struct {
	Text         string
	Conversation string // default: one of the agent's own
	Screen       string // the artifact that shows the screen
	OnBusy       string // what to do while a turn runs: reject, queue or interrupt
	Context      *sdkapi.QueryContext
}

// WakeAnswer is what a turn ended with.
type WakeAnswer struct{ Text, Conversation, Turn string }

// WakeUp connects the program to an agent at /ws, and offers the program's tools. A connection that breaks is made
// again, and nothing is said, heard or run twice. Close ends it; ctx is for connecting alone.
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
		err = errors.New("sdk: the gateway does not take these tools: " + strings.Join(why, ", "))
	}
	if err != nil {
		a.stop()
		return nil, err
	}
	a.link = link
	a.all.Go(func() { a.run(link) })
	return a, nil
}

// Manifest returns what the gateway says of the program's tools.
func (a *WokenAgent) Manifest() sdkapi.WSManifestResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.manifest
}

// Close ends the connection, and waits for the calls that run. Turns go on without it.
func (a *WokenAgent) Close() {
	a.stop()
	a.mu.Lock()
	if a.link != nil {
		a.link.close()
	}
	a.mu.Unlock()
	a.all.Wait()
}

// Send sends a message of any type of /ws, now or on the next connection, and returns its id. payload becomes JSON; nil is
// an empty one. What the gateway answers by that id (load-settings, update-settings, list-models, wakeword-detected) is sent again on each
// connection until the answer is heard. Other types it does not answer: such a message is lost if the connection breaks while it is on the way,
// which nobody can see here. So look whether a cancel ends its turn, and a rehydrate-conversation is there, before you go on.
func (a *WokenAgent) Send(kind string, payload any) (id string, err error) {
	m, err := wakeMessageOf(newUUID(), kind, payload)
	if err == nil {
		err = a.send(m)
	}
	return m.ID, err
}

// Ask says something to the agent, and waits for the end of the turn. When ctx ends, that turn is canceled and no other; a question that
// waits for another's end is not asked.
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

// giveUp cancels a turn whose end nobody waits for. A question that was not sent yet never is. A cancel that is lost with its
// connection, lost sends again.
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
			_ = a.link.write(m) // a connection that breaks is noticed at reading
		}
	}
}

// cancel is what cancels a turn.
func (t *wakeTurn) cancel() []wakeMessage {
	return appendMessage(nil, newUUID(), sdkapi.WSCancel, sdkapi.WSCancelPayload{ConversationRef: t.ref, QueryID: t.id})
}

// query sends a question.
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
	a.open = append(a.open, turn) // before an answer can come
	a.mu.Unlock()
	if err := a.send(m); err != nil {
		return nil, err
	}
	return turn, nil
}

// hear takes a message.
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

// take does beside what a message asks for, unless nobody waits for it.
func take[P any](a *WokenAgent, m sdkapi.WSMessage, of func(P) (answered bool, do func())) {
	var payload P
	if json.Unmarshal(m.Payload, &payload) != nil {
		return // a later gateway's
	}
	if answered, do := of(payload); !answered {
		a.all.Go(do)
	}
}

// track notes how far the turns are.
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
	_ = json.Unmarshal(m.Payload, &end) // without one there is no text
	turn.text = end.FinalResponse
	a.open = slices.Delete(a.open, at, at+1)
	turn.done <- turn.failed
}

// about returns the place of the open turn that a message is about, -1 if there is none. The caller holds mu.
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
	if at < 0 && !a.named { // then the first turn that begins is taken for the query's
		at = slices.IndexFunc(a.open, func(t *wakeTurn) bool { return m.ConversationRef == t.ref && t.turn == "" })
	}
	return at
}

// failureOf returns the error that a message is.
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

// end ends all that waits, as there will be no other connection.
func (a *WokenAgent) end(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = fmt.Errorf("sdk: the connection to the agent is closed: %w", err)
	for _, turn := range a.open {
		turn.done <- a.err
	}
	a.open = nil
}
