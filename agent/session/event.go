package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// The kinds of events in a session's control stream: messages to the worker.
const (
	KindQueued      = "turn.queued"
	KindCancelAsked = "turn.cancel-asked"
	KindDeleteAsked = "session.delete-asked"
)

// The kinds of events in a session's stream. For each there is a type with the same name for its
// data, and a row in decoders.
const (
	KindCreated           = "session.created"
	KindConfigured        = "session.configured"
	KindReplaced          = "history.replaced"
	KindTurnStarted       = "turn.started"
	KindSystemPrompt      = "prompt.system"
	KindUserMessage       = "prompt.user"
	KindToolSchemas       = "prompt.tools"
	KindModelAsked        = "model.asked"
	KindModelThought      = "model.thought"
	KindModelText         = "model.text"
	KindModelAnswered     = "model.answered"
	KindRepaired          = "turn.repaired"
	KindApprovalRequested = "approval.requested"
	KindApprovalDecided   = "approval.decided"
	KindToolRequested     = "tool.requested"
	KindToolStarted       = "tool.started"
	KindToolEnded         = "tool.ended"
	KindTurnEnded         = "turn.ended"
	KindWarned            = "session.warned"
	KindProgressed        = "tool.progressed"
)

// Event is the data of a journal event. The types that implement it are in this package. Each type
// belongs to one kind of journal event.
type Event interface{ kind() string }

func (Created) kind() string           { return KindCreated }
func (Configured) kind() string        { return KindConfigured }
func (Replaced) kind() string          { return KindReplaced }
func (TurnStarted) kind() string       { return KindTurnStarted }
func (SystemPrompt) kind() string      { return KindSystemPrompt }
func (UserMessage) kind() string       { return KindUserMessage }
func (ToolSchemas) kind() string       { return KindToolSchemas }
func (ModelAsked) kind() string        { return KindModelAsked }
func (ModelThought) kind() string      { return KindModelThought }
func (ModelText) kind() string         { return KindModelText }
func (ModelAnswered) kind() string     { return KindModelAnswered }
func (Repaired) kind() string          { return KindRepaired }
func (ApprovalRequested) kind() string { return KindApprovalRequested }
func (ApprovalDecided) kind() string   { return KindApprovalDecided }
func (ToolRequested) kind() string     { return KindToolRequested }
func (ToolStarted) kind() string       { return KindToolStarted }
func (ToolEnded) kind() string         { return KindToolEnded }
func (TurnEnded) kind() string         { return KindTurnEnded }
func (Warned) kind() string            { return KindWarned }
func (Progressed) kind() string        { return KindProgressed }
func (Queued) kind() string            { return KindQueued }
func (CancelAsked) kind() string       { return KindCancelAsked }
func (DeleteAsked) kind() string       { return KindDeleteAsked }
func (Resync) kind() string            { return journal.Resync }

var decoders = map[string]func(journal.Event) (Event, error){
	KindCreated:           decode[Created],
	KindConfigured:        decode[Configured],
	KindReplaced:          decode[Replaced],
	KindRecalled:          decode[Recalled],
	KindTurnStarted:       decode[TurnStarted],
	KindDropped:           decode[Dropped],
	KindSystemPrompt:      decode[SystemPrompt],
	KindUserMessage:       decode[UserMessage],
	KindToolSchemas:       decode[ToolSchemas],
	KindModelAsked:        decode[ModelAsked],
	KindModelThought:      decode[ModelThought],
	KindModelText:         decode[ModelText],
	KindModelAnswered:     decode[ModelAnswered],
	KindRepaired:          decode[Repaired],
	KindApprovalRequested: decode[ApprovalRequested],
	KindApprovalDecided:   decode[ApprovalDecided],
	KindToolRequested:     decode[ToolRequested],
	KindToolStarted:       decode[ToolStarted],
	KindToolEnded:         decode[ToolEnded],
	KindTurnEnded:         decode[TurnEnded],
	KindWarned:            decode[Warned],
	KindProgressed:        decode[Progressed],
	KindQueued:            decode[Queued],
	KindCancelAsked:       decode[CancelAsked],
	KindDeleteAsked:       decode[DeleteAsked],
	KindHeard:             decode[Heard],
	KindSnapshot:          decode[piece],
	KindText:              decode[shared],
	journal.Resync:        func(e journal.Event) (Event, error) { return Resync{e.Data}, nil },
}

// changesNothing reports whether events of a kind are only for people who watch. They are the most
// frequent and the largest events, so a state does not decode them.
func changesNothing(kind string) bool {
	switch kind {
	case KindSystemPrompt, KindUserMessage, KindToolSchemas, KindModelThought, KindModelText, KindWarned, KindProgressed:
		return true
	}
	return false
}

// Resync replaces old events that are no longer in the stream.
type Resync struct {
	Snapshot json.RawMessage // the session's State after the replaced events; null if it was too large to store
}

// Created is the first event of a session. It names the session's user.
type Created struct {
	User string `json:"user"`
}

// Configured is a change of the session's settings. It contains the new settings.
type Configured struct{ Settings }

// Replaced is a change of the session's history. It contains the new history.
type Replaced struct {
	Messages []Message `json:"messages"`
}

// TurnStarted is the start of a turn, with the user's message.
type TurnStarted struct {
	Turn    string    `json:"turn"`
	Ref     string    `json:"ref,omitempty"` // the client's id for the message
	Started time.Time `json:"started"`
	Fence   string    `json:"fence"` // mark around untrusted text; see Message.Fence
	Parts   []Part    `json:"parts"`
	Control int64     `json:"control"` // number of the last event in the control stream before this turn
	// Queued is the number of the last entry that was taken from the queue in the control stream.
	Queued int64 `json:"queued,omitempty"`
	// Install is the install whose token sent the message. It may be empty; see revoke.go.
	Install string `json:"install,omitempty"`
	Query   string `json:"query,omitempty"` // the client's id by which CancelQuery finds the message; see StartQuery
}

// QueryID returns the client's id for the message that began the turn. It is Query or Ref. It is empty if the message
// has no id.
func (e TurnStarted) QueryID() string { return cmp.Or(e.Query, e.Ref) }

// Queued is a user's message that waits for the end of the open turn.
type Queued struct {
	Turn    string `json:"turn"`
	Ref     string `json:"ref,omitempty"` // the client's id for the message; see TurnStarted.Ref
	Parts   []Part `json:"parts"`
	Install string `json:"install,omitempty"` // the install whose token sent the message; see TurnStarted.Install
	Query   string `json:"query,omitempty"`   // the client's id for CancelQuery; see TurnStarted.Query
}

// CancelAsked asks the turn's worker to end the turn.
type CancelAsked struct {
	Turn string `json:"turn"`
}

// DeleteAsked asks the session's worker to end any open turn and to drop the waiting messages.
type DeleteAsked struct{}

// SystemPrompt shows the system prompt of a turn's first request.
type SystemPrompt struct {
	Turn string `json:"turn"`
	Text string `json:"text,omitempty"`
	Hash string `json:"hash,omitempty"` // hash of the text; a stored event has Hash instead of Text, see texts.go
	Own  bool   `json:"own,omitempty"`  // whether the text with this Hash is stored with the session
}

// UserMessage shows the user's message in a turn's first request.
type UserMessage struct {
	Turn   string `json:"turn"`
	Text   string `json:"text"`
	Images int    `json:"images"`
}

// ToolSchemas shows the tools that the model can call.
type ToolSchemas struct {
	Turn  string       `json:"turn"`
	Tools []ToolSchema `json:"tools"`
}

// ToolSchema describes a tool in the form that the model gets.
type ToolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	// Hash is the hash of Description and Input. A stored event has Hash instead of Description and Input, see
	// texts.go.
	Hash string `json:"hash,omitempty"`
	Own  bool   `json:"own,omitempty"` // whether the text with this Hash is stored with the session
}

// ModelAsked begins a round: the history is sent to the model. A round is repeated if its gateway
// is gone or if the answer was interrupted. A repeated round keeps its number, and the text of the
// earlier answer is discarded.
type ModelAsked struct {
	Turn  string `json:"turn"`
	Round int    `json:"round"`           // number of the round, from 1
	Model string `json:"model"`           // id of the model in the catalogue
	Again bool   `json:"again,omitempty"` // whether the round is repeated, with the same history
}

// ModelThought is a piece of the model's thought, to show to the user.
type ModelThought struct {
	Turn string `json:"turn"`
	Text string `json:"text"`
}

// ModelText is a piece of the model's answer, to show to the user.
type ModelText struct {
	Turn string `json:"turn"`
	Text string `json:"text"`
}

// ModelAnswered is the model's answer, as in the history. If End is empty, the answer was
// interrupted. If the turn was canceled or has failed, the text of an interrupted answer is stored
// and marked as cut. If another gateway takes over the turn, it discards the interrupted answer.
type ModelAnswered struct {
	Turn    string           `json:"turn"`
	Message Message          `json:"message"`
	Usage   models.Usage     `json:"usage"`
	End     models.EndReason `json:"end"`    // reason why the answer ended; empty if the answer was interrupted
	Tokens  int              `json:"tokens"` // tokens of all rounds of the session so far
}

// Repaired replaces the history with a condensed one, because the model failed with the old one.
// The model's unfinished answer is discarded. A turn has at most one repair. If the model fails
// again, the gateway restores the original history at the end of the turn.
type Repaired struct {
	Turn     string       `json:"turn"`
	Reason   RepairReason `json:"reason"`
	LeftOut  LeftOut      `json:"left_out"`
	Messages []Message    `json:"messages"` // the new history
}

// LeftOut counts what a repair removed from a history.
type LeftOut struct {
	Messages int `json:"messages"` // number of messages that were replaced by condensed messages
	Images   int `json:"images"`   // number of removed images that the model saw before
	Bytes    int `json:"bytes"`    // size of the removed text, in bytes
}

// ApprovalRequested asks the user to approve a call. An open decision in the journal already waits
// for the user's answer.
type ApprovalRequested struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Decision  string          `json:"decision"`
	Reason    string          `json:"reason"` // reason for the question, for the user to read
	// Of is the agent.Descriptor.Hash of the tool. It is empty if an older gateway asked.
	Of      string    `json:"of,omitempty"`
	Expires time.Time `json:"expires"`
}

// ApprovalDecided is the user's answer to an approval, or the end of the wait for the answer.
type ApprovalDecided struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Denied    bool            `json:"denied"`
	Expired   bool            `json:"expired,omitempty"` // whether the call was denied because no answer came in time
	Reason    string          `json:"reason,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // arguments that the user has changed; empty if unchanged
}

// consent returns how the user decided.
func (e ApprovalDecided) consent() agent.Consent {
	switch {
	case e.Expired:
		return agent.UserSilent
	case e.Denied:
		return agent.UserDenied
	case len(e.Arguments) > 0:
		return agent.UserEdited
	}
	return agent.UserApproved
}

// ToolRequested asks the client to run a tool. The journal already has an open decision for this request. The client
// answers the decision with the tool's result. The requests of one bundle run in order.
type ToolRequested struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Decision  string          `json:"decision"`
	Risk      agent.Risk      `json:"risk,omitempty"`
	// Allowed reports whether a rule allows the call. Then the client need not ask its user.
	Allowed bool `json:"allowed,omitempty"`
	// Reason is the reason why the client should ask its user. It is empty if the user need not
	// approve the call.
	Reason  string    `json:"reason,omitempty"`
	Bundle  string    `json:"bundle,omitempty"`
	Last    bool      `json:"last,omitempty"` // whether this is the last request of its bundle
	Expires time.Time `json:"expires"`
}

// ToolStarted reports that a tool of the gateway begins to run. If no ToolEnded follows, the
// outcome of the call is unknown.
type ToolStarted struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// ToolEnded is the result of a call, as in the history.
type ToolEnded struct {
	Turn    string  `json:"turn"`
	Call    string  `json:"call"`
	Tool    string  `json:"tool"`
	Result  Result  `json:"result"`
	Outcome Outcome `json:"outcome"`

	// Malformed reports that the model named an unknown tool, or wrote arguments that do not fit
	// the tool.
	Malformed bool `json:"malformed,omitempty"`

	// Output is the tool's structured output, for people who watch the session. It is set only if
	// the model reads a different text. It is not in the history.
	Output json.RawMessage `json:"output,omitempty"`

	Seconds float64     `json:"seconds,omitempty"` // duration of the call; 0 if not measured
	Usage   agent.Usage `json:"usage,omitzero"`
}

// Outcome is the outcome of a call.
type Outcome string

// Outcomes of a call.
const (
	Done     Outcome = "done"     // the call was made, with any result
	Refused  Outcome = "refused"  // the call was not made: unknown tool, invalid arguments, or forbidden by the policy
	Denied   Outcome = "denied"   // the call was not made: the user denied it or did not answer
	Canceled Outcome = "canceled" // the call was not made: the turn ended first, or another call stopped this call
	Unknown  Outcome = "unknown"  // the call was possibly made: the gateway is gone, or the client does not answer
)

// Warned is a warning for people who watch the session. It does not change the state, and may occur
// between any two events.
type Warned struct {
	Turn    string `json:"turn,omitempty"` // the turn that the warning is about; may be empty
	Call    string `json:"call,omitempty"` // the call that the warning is about; may be empty
	Message string `json:"message"`
}

// Progressed is a progress report of a running call. It does not change the state.
type Progressed struct {
	Turn    string `json:"turn"`
	Call    string `json:"call"`
	Message string `json:"message"`          // line about the progress, for people; empty if only Output is new
	Output  string `json:"output,omitempty"` // output of the tool since the previous event
}

// TurnEnded is the end of a turn.
type TurnEnded struct {
	Turn    string       `json:"turn"`
	Reason  EndReason    `json:"reason"`
	Message string       `json:"message,omitempty"` // message for the user; empty if Reason is EndDone
	Answer  string       `json:"answer,omitempty"`  // the model's last text; only if Reason is EndDone
	Code    sdkapi.Code  `json:"code,omitempty"`    // error code of a turn that failed
	Usage   models.Usage `json:"usage"`             // usage of all rounds of the turn
	// Resets is the time at which the budget is renewed. It is set only if Reason is EndBudget.
	Resets *time.Time `json:"resets,omitempty"`
}

// EndReason is the reason for the end of a turn.
type EndReason string

// The reasons. All except EndDone have a message for the user.
const (
	EndDone     EndReason = "done"
	EndCanceled EndReason = "canceled"
	EndFailed   EndReason = "failed"   // the model or the gateway failed
	EndRefused  EndReason = "refused"  // the provider's filter stopped the answer
	EndLength   EndReason = "length"   // the model's answer was too long and was cut off
	EndRounds   EndReason = "rounds"   // the turn reached Limits.Rounds
	EndTokens   EndReason = "tokens"   // the turn reached Limits.Tokens
	EndTime     EndReason = "time"     // the turn reached Limits.WallTime
	EndRepeated EndReason = "repeated" // the turn reached Limits.Repeated
	EndRevoked  EndReason = "revoked"  // the token that started the turn was revoked, or its user was deleted
	EndBudget   EndReason = "budget"   // the user's budget of tokens or money for the day is used up
	EndSilent   EndReason = "silent"   // the model gave two empty answers
)

// KindRecalled is the kind of the event Recalled.
const KindRecalled = "memory.recalled"

// Recalled is the part of the user's memory that every session gets. It is appended before
// TurnStarted if the text has changed since the previous turn. The model gets the text before the
// history. The text is fenced, because it may contain text of other people.
type Recalled struct {
	Text  string `json:"text,omitempty"` // text from the user's memory; may be empty
	Fence string `json:"fence,omitempty"`
}

func (Recalled) kind() string { return KindRecalled }

// KindDropped is the kind of the event Dropped.
const KindDropped = "turn.dropped"

// Dropped is a queued message that begins no turn, because its install was revoked or its user was
// deleted.
type Dropped struct {
	Turn string `json:"turn"`
	// Queued is the number of the message's entry in the queue of the control stream. The event
	// takes this entry from the queue.
	Queued int64 `json:"queued"`
}

func (Dropped) kind() string { return KindDropped }

// KindHeard is the kind of the event Heard. It belongs to a session's control stream.
const KindHeard = "turn.heard"

// Heard records that a client has received the end of a turn. If the client sends the same message again after Heard
// was recorded, the message begins a new turn. If no Heard was recorded, the gateway assumes that the client has missed
// the end of the turn.
type Heard struct {
	Turn string `json:"turn"`
}

func (Heard) kind() string { return KindHeard }

// KindSnapshot is the kind of an event that stores a piece of a session's state. The streams
// stateOf and markOf contain these events.
const KindSnapshot = "state.kept"

// piece is a part of a state. All pieces of a state are appended at once.
type piece struct {
	Of       int       `json:"of"`                 // total number of pieces
	State    *State    `json:"state,omitempty"`    // only in the first piece; without messages and memory
	Memory   *Recalled `json:"memory,omitempty"`   // only in a piece without messages; may be missing
	Messages []Message `json:"messages,omitempty"` // the next messages
	// Whether the first of Messages continues the last message of the previous piece.
	Joined bool `json:"joined,omitempty"`
}

func (piece) kind() string { return KindSnapshot }

// KindText is the kind of an event that stores a shared text. The stream textsOf contains these
// events.
const KindText = "text.kept"

// shared is a text that events refer to by its hash.
type shared struct {
	Hash string          `json:"hash"`
	Text json.RawMessage `json:"text"`
}

func (shared) kind() string { return KindText }

// RepairReason is the reason why a history was replaced by a condensed one.
type RepairReason string

// Message describes the repair for the user.
func (e Repaired) Message() string {
	why := map[RepairReason]string{
		ContextFull: "The conversation is too long for the model.", ContextRefused: "The model's provider refused the conversation.",
		BrokenOff: "The model's answers were interrupted.", EmptyAnswers: "The model's answers were empty.",
		MalformedCalls: "The model made malformed tool calls.", RepeatedCalls: "The model made the same call again and again.",
	}[e.Reason]
	if why == "" { // a reason of a newer gateway
		why = "The model failed on the conversation."
	}
	if e.LeftOut.Bytes == 0 && e.LeftOut.Images == 0 {
		return why + " The gateway asks the model again."
	}
	return why + " The gateway shortens the conversation and asks the model again."
}

// The reasons.
const (
	ContextFull    RepairReason = "context_full"    // the history is too long for the model
	ContextRefused RepairReason = "refused"         // the provider refuses the request
	BrokenOff      RepairReason = "broken_off"      // the model's answers were interrupted
	EmptyAnswers   RepairReason = "empty"           // the model's answers had neither text nor calls
	MalformedCalls RepairReason = "malformed_calls" // the model called unknown tools, or used invalid arguments
	RepeatedCalls  RepairReason = "repeated_calls"  // the model repeated a call too often; see Limits.Repeated
)

// Decode returns the data of an event. It returns nil for an unknown kind, which a newer gateway
// may write. The type of the data distinguishes the events, for example in State.Apply.
func Decode(e journal.Event) (Event, error) {
	decoder, known := decoders[e.Kind]
	if !known {
		return nil, nil
	}
	return decoder(e)
}

// As decodes the data of an event into the type T. If the event is of another kind, As returns a
// zero T, and ok is false.
func As[T Event](e journal.Event) (data T, ok bool, err error) {
	if ok = e.Kind == data.kind(); ok {
		err = json.Unmarshal(e.Data, &data)
	}
	return data, ok, err
}

// decode decodes an event whose data is a T.
func decode[T Event](e journal.Event) (Event, error) {
	var data T
	err := json.Unmarshal(e.Data, &data)
	return data, err
}

// encode converts events for the journal.
func encode[E Event](events []E) ([]journal.Event, error) {
	list := make([]journal.Event, len(events))
	for i, e := range events {
		data, err := marshal(e)
		if err != nil {
			return nil, err
		}
		list[i] = journal.Event{Kind: e.kind(), Data: data}
	}
	return list, nil
}

// marshal returns JSON without HTML escapes: "<" takes one byte instead of six.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// The kinds of a turn's decisions.
const (
	Approval = "approval" // a decision of the user: the approval of a call
	Outside  = "result"   // a decision of the client: the result of a client's tool
)
