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

// The kinds of events in a session's stream. Each has a type of the same name for
// its data, and a row in decoders.
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

// Event is the data of an event, of a type of this package. Its kind is the kind in the journal.
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

// Resync stands for forgotten events.
type Resync struct {
	Snapshot json.RawMessage // the State that they led to; null if it was too large to keep
}

// Created begins a session.
type Created struct {
	User string `json:"user"`
}

// Configured changes the settings.
type Configured struct{ Settings }

// Replaced replaces the history.
type Replaced struct {
	Messages []Message `json:"messages"`
}

// TurnStarted is a user's message.
type TurnStarted struct {
	Turn    string    `json:"turn"`
	Ref     string    `json:"ref,omitempty"` // the client's name for the message
	Started time.Time `json:"started"`
	Fence   string    `json:"fence"` // see Message
	Parts   []Part    `json:"parts"`
	Control int64     `json:"control"`           // last event of the control stream before this turn
	Queued  int64     `json:"queued,omitempty"`  // last entry of the control stream's queue that was taken
	Install string    `json:"install,omitempty"` // whose token brought the message; may be empty, see revoke.go
	Query   string    `json:"query,omitempty"`   // see StartQuery
}

// QueryID is the client's id of the message that began the turn, however it is kept; empty if it has none.
func (e TurnStarted) QueryID() string { return cmp.Or(e.Query, e.Ref) }

// Queued is a user's message that waits for the end of the open turn.
type Queued struct {
	Turn    string `json:"turn"`
	Ref     string `json:"ref,omitempty"` // see TurnStarted
	Parts   []Part `json:"parts"`
	Install string `json:"install,omitempty"` // likewise
	Query   string `json:"query,omitempty"`   // likewise
}

// CancelAsked asks the turn's worker to end it.
type CancelAsked struct {
	Turn string `json:"turn"`
}

// DeleteAsked asks the session's worker to end whichever turn is open, and to begin none of
// the messages that wait.
type DeleteAsked struct{}

// SystemPrompt shows the system prompt of a turn's first request.
type SystemPrompt struct {
	Turn string `json:"turn"`
	Text string `json:"text,omitempty"`
	Hash string `json:"hash,omitempty"` // as stored: of a text in place of Text, see texts.go
	Own  bool   `json:"own,omitempty"`  // that text is the session's own
}

// UserMessage shows the user's message in a turn's first request.
type UserMessage struct {
	Turn   string `json:"turn"`
	Text   string `json:"text"`
	Images int    `json:"images"`
}

// ToolSchemas shows the tools that the model is offered.
type ToolSchemas struct {
	Turn  string       `json:"turn"`
	Tools []ToolSchema `json:"tools"`
}

// ToolSchema is a tool as the model gets it.
type ToolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Hash        string          `json:"hash,omitempty"` // as stored: of a text in place of Description and Input, see texts.go
	Own         bool            `json:"own,omitempty"`  // that text is the session's own
}

// ModelAsked begins a round: the history goes to the model. A round that is asked again, as its
// gateway is gone or the answer broke off, keeps its number; the answer so far is discarded.
type ModelAsked struct {
	Turn  string `json:"turn"`
	Round int    `json:"round"`           // from 1
	Model string `json:"model"`           // its id in the catalogue
	Again bool   `json:"again,omitempty"` // the round was asked before, with the same history
}

// ModelThought is a piece of a thought, to show.
type ModelThought struct {
	Turn string `json:"turn"`
	Text string `json:"text"`
}

// ModelText is a piece of the answer, to show.
type ModelText struct {
	Turn string `json:"turn"`
	Text string `json:"text"`
}

// ModelAnswered is the model's answer, as in the history. Without an End the answer
// broke off, and is kept as cut text in a turn that ends with it, canceled or
// failed. If another gateway takes up the turn, incomplete answers are discarded.
type ModelAnswered struct {
	Turn    string           `json:"turn"`
	Message Message          `json:"message"`
	Usage   models.Usage     `json:"usage"`
	End     models.EndReason `json:"end"`    // empty if the answer broke off
	Tokens  int              `json:"tokens"` // of all rounds of the session so far
}

// Repaired condenses a history that the model fails on, once a turn; the answer so
// far is discarded. If the model fails again, the turn's end restores the history.
type Repaired struct {
	Turn     string       `json:"turn"`
	Reason   RepairReason `json:"reason"`
	LeftOut  LeftOut      `json:"left_out"`
	Messages []Message    `json:"messages"` // the new history
}

// LeftOut counts what a repair left out of a history.
type LeftOut struct {
	Messages int `json:"messages"` // that the condensed ones stand for
	Images   int `json:"images"`   // that the model saw before
	Bytes    int `json:"bytes"`    // of text
}

// ApprovalRequested asks the user to approve a call. Its decision is open already.
type ApprovalRequested struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Decision  string          `json:"decision"`
	Reason    string          `json:"reason"`       // for the user
	Of        string          `json:"of,omitempty"` // agent.Descriptor.Hash of the tool; empty by an older gateway
	Expires   time.Time       `json:"expires"`
}

// ApprovalDecided is the user's answer, or the end of the wait for it.
type ApprovalDecided struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Denied    bool            `json:"denied"`
	Expired   bool            `json:"expired,omitempty"` // denied, without an answer in time
	Reason    string          `json:"reason,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // the changed ones; empty if unchanged
}

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

// ToolRequested asks the client to run a tool. Its decision is open already, and
// gets the result as the answer. Requests of one bundle run in order.
type ToolRequested struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Decision  string          `json:"decision"`
	Risk      agent.Risk      `json:"risk,omitempty"`
	Allowed   bool            `json:"allowed,omitempty"` // by a rule: nobody needs to ask
	Reason    string          `json:"reason,omitempty"`  // why the client should ask its user; empty if it need not
	Bundle    string          `json:"bundle,omitempty"`
	Last      bool            `json:"last,omitempty"` // of its bundle
	Expires   time.Time       `json:"expires"`
}

// ToolStarted says that a gateway's tool begins to run. Without ToolEnded its outcome is unknown.
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

	// Malformed says that the model named an unknown tool, or wrote arguments that
	// the tool does not take.
	Malformed bool `json:"malformed,omitempty"`

	// Output is the tool's structured output, for people who watch, if the model
	// reads another text. It is not in the history.
	Output json.RawMessage `json:"output,omitempty"`

	Seconds float64     `json:"seconds,omitempty"` // duration; 0 if not measured
	Usage   agent.Usage `json:"usage,omitzero"`
}

// Outcome says how a call ended.
type Outcome string

// Outcomes of a call.
const (
	Done     Outcome = "done"     // made, with any result
	Refused  Outcome = "refused"  // not made: unknown, invalid, or against the policy
	Denied   Outcome = "denied"   // not made: the user denied it, or did not answer
	Canceled Outcome = "canceled" // not made: the turn ended first, or another call stopped it
	Unknown  Outcome = "unknown"  // perhaps made: the gateway is gone, or the client silent
)

// Warned is a warning for people who watch. It changes no state, and may stand anywhere.
type Warned struct {
	Turn    string `json:"turn,omitempty"` // that it is about; may be empty
	Call    string `json:"call,omitempty"` // likewise
	Message string `json:"message"`
}

// Progressed is what a running call reports. It changes no state.
type Progressed struct {
	Turn    string `json:"turn"`
	Call    string `json:"call"`
	Message string `json:"message"`          // how far it is, in a line for people; empty if Output alone is new
	Output  string `json:"output,omitempty"` // what it put out since the event before
}

// TurnEnded is the end of a turn.
type TurnEnded struct {
	Turn    string       `json:"turn"`
	Reason  EndReason    `json:"reason"`
	Message string       `json:"message,omitempty"` // for the user, unless Reason is EndDone
	Answer  string       `json:"answer,omitempty"`  // the model's last text, if Reason is EndDone
	Code    sdkapi.Code  `json:"code,omitempty"`    // of a failure
	Usage   models.Usage `json:"usage"`             // of all rounds
	Resets  *time.Time   `json:"resets,omitempty"`  // when there is a new budget, if Reason is EndBudget
}

// EndReason says why a turn ended.
type EndReason string

// The reasons. All but EndDone come with a message for the user.
const (
	EndDone     EndReason = "done"
	EndCanceled EndReason = "canceled"
	EndFailed   EndReason = "failed"   // the model, or the gateway
	EndRefused  EndReason = "refused"  // the provider's filter
	EndLength   EndReason = "length"   // the answer was cut off
	EndRounds   EndReason = "rounds"   // Limits.Rounds
	EndTokens   EndReason = "tokens"   // Limits.Tokens
	EndTime     EndReason = "time"     // Limits.WallTime
	EndRepeated EndReason = "repeated" // Limits.Repeated
	EndRevoked  EndReason = "revoked"  // the install that began it was revoked, or its user deleted
	EndBudget   EndReason = "budget"   // the user's tokens or money of the day are used up
	EndSilent   EndReason = "silent"   // the model said nothing, twice
)

// KindRecalled is the kind of Recalled.
const KindRecalled = "memory.recalled"

// Recalled is the text of the user's memory for all sessions, if it has changed
// since the turn before. It stands before TurnStarted. The model gets it before the
// history, in a fence, as other people's text may be in it.
type Recalled struct {
	Text  string `json:"text,omitempty"` // empty for nothing
	Fence string `json:"fence,omitempty"`
}

func (Recalled) kind() string { return KindRecalled }

// KindDropped is the kind of Dropped.
const KindDropped = "turn.dropped"

// Dropped is a queued message that begins no turn: its install was revoked, or its user deleted.
type Dropped struct {
	Turn   string `json:"turn"`
	Queued int64  `json:"queued"` // its entry of the control stream's queue, which this takes
}

func (Dropped) kind() string { return KindDropped }

// KindHeard is the kind of the event in a session's control stream by which a
// gateway notes that a turn's end is sent to a client, or has reached it.
const KindHeard = "turn.heard"

// Heard says that a turn's end was sent to a client. The same message, sent after it,
// is new; before it, the client has missed the end.
type Heard struct {
	Turn string `json:"turn"`
}

func (Heard) kind() string { return KindHeard }

// KindSnapshot is the kind of a piece of a state, in the streams of states.
const KindSnapshot = "state.kept"

// piece is a part of a state. The pieces of one state are appended at once.
type piece struct {
	Of       int       `json:"of"`                 // number of pieces
	State    *State    `json:"state,omitempty"`    // without messages and memory; in the first piece
	Memory   *Recalled `json:"memory,omitempty"`   // in a piece without messages; may be missing
	Messages []Message `json:"messages,omitempty"` // the next ones
	Joined   bool      `json:"joined,omitempty"`   // the first of Messages continues the last one of the piece before
}

func (piece) kind() string { return KindSnapshot }

// KindText is the kind of a shared text, in the streams of texts.
const KindText = "text.kept"

// shared is a text that events name by its hash.
type shared struct {
	Hash string          `json:"hash"`
	Text json.RawMessage `json:"text"`
}

func (shared) kind() string { return KindText }

// RepairReason says how a model failed on a history.
type RepairReason string

// Message says what happened, for the user.
func (e Repaired) Message() string {
	why := map[RepairReason]string{
		ContextFull: "The conversation is too long for the model.", ContextRefused: "The model's provider refused the conversation.",
		BrokenOff: "The model's answers broke off.", EmptyAnswers: "The model did not say anything.",
		MalformedCalls: "The model called tools in ways that there are not.", RepeatedCalls: "The model made the same call again and again.",
	}[e.Reason]
	if why == "" { // a newer gateway's
		why = "The model did not get on with the conversation."
	}
	if e.LeftOut.Bytes == 0 && e.LeftOut.Images == 0 {
		return why + " The model is asked again."
	}
	return why + " The conversation was shortened, and the model is asked again."
}

// The reasons.
const (
	ContextFull    RepairReason = "context_full"    // too long for the model
	ContextRefused RepairReason = "refused"         // the provider refuses the request
	BrokenOff      RepairReason = "broken_off"      // answers broke off, or did not end
	EmptyAnswers   RepairReason = "empty"           // answers without text and calls
	MalformedCalls RepairReason = "malformed_calls" // calls of unknown tools, or with invalid arguments
	RepeatedCalls  RepairReason = "repeated_calls"  // equal calls, see Limits.Repeated
)

// Decode returns the data of an event; nil for an unknown kind, which a newer
// gateway wrote. The state and the protocols' views are type switches over it.
func Decode(e journal.Event) (Event, error) {
	decoder, known := decoders[e.Kind]
	if !known {
		return nil, nil
	}
	return decoder(e)
}

// As returns the data of an event if it is a T. It decodes no other kinds.
func As[T Event](e journal.Event) (data T, is bool, err error) {
	if is = e.Kind == data.kind(); is {
		err = json.Unmarshal(e.Data, &data)
	}
	return data, is, err
}

// decode is a decoder of events whose data is a T.
func decode[T Event](e journal.Event) (Event, error) {
	var data T
	err := json.Unmarshal(e.Data, &data)
	return data, err
}

// encode returns events for the journal.
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

// marshal returns JSON that no page embeds: "<" takes one byte in it, and not six.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// The kinds of a turn's decisions.
const (
	Approval = "approval" // by the user, of a call
	Outside  = "result"   // by the client, of a tool that it runs
)
