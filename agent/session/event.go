package session

import (
	"encoding/json"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// The kinds of events in a session's control stream, by which those who watch
// tell those who work what to do.
const (
	KindQueued      = "turn.queued"
	KindCancelAsked = "turn.cancel-asked"
)

// The kinds of events in a session's stream. Each has a type of the same name
// that says what its data holds, and a row in decoders.
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
)

// Event is the data of an event, as one of the types of this package. Its kind
// is the one that the journal keeps the data under.
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
func (Queued) kind() string            { return KindQueued }
func (CancelAsked) kind() string       { return KindCancelAsked }
func (Resync) kind() string            { return journal.Resync }

// decoders lists the decoder of each kind.
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
	KindQueued:            decode[Queued],
	KindCancelAsked:       decode[CancelAsked],
	KindHeard:             decode[Heard],
	KindSnapshot:          decode[piece],
	journal.Resync:        func(e journal.Event) (Event, error) { return Resync{e.Data}, nil },
}

// Resync stands for the events that are not kept any longer.
type Resync struct {
	Snapshot json.RawMessage // the State that they led to; null where it was too large to keep
}

// Created begins a session.
type Created struct {
	User string `json:"user"`
}

// Configured changes the settings.
type Configured struct{ Settings }

// Replaced puts another history in place of what there was.
type Replaced struct {
	Messages []Message `json:"messages"`
}

// TurnStarted is a user's message.
type TurnStarted struct {
	Turn    string    `json:"turn"`
	Ref     string    `json:"ref,omitempty"` // what the client calls the message
	Started time.Time `json:"started"`
	Fence   string    `json:"fence"` // see Message
	Parts   []Part    `json:"parts"`
	Control int64     `json:"control"`           // last event of the control stream that is not about this turn
	Queued  int64     `json:"queued,omitempty"`  // last entry of the control stream's queue that was taken
	Install string    `json:"install,omitempty"` // whose token brought the message; empty for nobody's, see revoke.go
}

// Queued is a user's message that waits for the end of the open turn.
type Queued struct {
	Turn    string `json:"turn"`
	Ref     string `json:"ref,omitempty"` // as TurnStarted has it
	Parts   []Part `json:"parts"`
	Install string `json:"install,omitempty"` // likewise
}

// CancelAsked asks whichever gateway works on a turn to end it.
type CancelAsked struct {
	Turn string `json:"turn"`
}

// SystemPrompt shows what the model is told before a turn's first question.
type SystemPrompt struct {
	Turn string `json:"turn"`
	Text string `json:"text"`
}

// UserMessage shows what the model is told that the user said.
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

// ToolSchema is a tool as the model is told of it.
type ToolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
}

// ModelAsked begins a round: what is known is sent to the model. A round that
// is asked again, because the gateway that asked first is gone, or the answer
// broke off, has the same number; what its model said before is void.
type ModelAsked struct {
	Turn  string `json:"turn"`
	Round int    `json:"round"`           // from 1
	Model string `json:"model"`           // its id in the catalogue
	Again bool   `json:"again,omitempty"` // it was asked for this round before, with the same history
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

// ModelAnswered ends the asking: this is what the model said, as it enters the
// history. Without an End the answer broke off, and its text is all that is kept
// of it, marked as cut: that is so only where the turn ends with it, canceled or
// failed. Of a turn that is left to another gateway nothing is kept of an answer
// that is not whole.
type ModelAnswered struct {
	Turn    string           `json:"turn"`
	Message Message          `json:"message"`
	Usage   models.Usage     `json:"usage"`
	End     models.EndReason `json:"end"`    // empty where the answer broke off
	Tokens  int              `json:"tokens"` // of all rounds of the session until here
}

// Repaired puts a condensed history in place of one that the model does not get
// on with, and has the model asked anew. What its answer had so far is void. A
// turn is repaired once at most. If the model does not answer after it either,
// the turn's end takes it back.
type Repaired struct {
	Turn     string       `json:"turn"`
	Reason   RepairReason `json:"reason"`
	LeftOut  LeftOut      `json:"left_out"`
	Messages []Message    `json:"messages"` // all that there is from here on
}

// LeftOut says how much of a history a repair left out.
type LeftOut struct {
	Messages int `json:"messages"` // that the condensed ones stand for
	Images   int `json:"images"`   // that the model was shown, and is not shown any longer
	Bytes    int `json:"bytes"`    // of text
}

// ApprovalRequested asks the user whether a call may be made. The decision of
// that id is there already.
type ApprovalRequested struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Decision  string          `json:"decision"`
	Reason    string          `json:"reason"` // why it is asked, for the user
	Expires   time.Time       `json:"expires"`
}

// ApprovalDecided is the user's answer, or that there was none in time.
type ApprovalDecided struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Denied    bool            `json:"denied"`
	Expired   bool            `json:"expired,omitempty"` // denied, as there was no answer in time
	Reason    string          `json:"reason,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // what they were changed to; empty for as they were
}

// consent is what the answer makes of a call.
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

// ToolRequested asks the client to run a tool. The decision of that id is there
// already; its answer is the result. Requests of one bundle are run in order,
// one after the other.
type ToolRequested struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Decision  string          `json:"decision"`
	Risk      agent.Risk      `json:"risk,omitempty"`
	Allowed   bool            `json:"allowed,omitempty"` // a rule says that nobody needs to ask
	Reason    string          `json:"reason,omitempty"`  // why the client should ask its user; empty where it need not
	Bundle    string          `json:"bundle,omitempty"`
	Last      bool            `json:"last,omitempty"` // of its bundle
	Expires   time.Time       `json:"expires"`
}

// ToolStarted says that a tool of the gateway's begins to run. Without a
// ToolEnded behind it nobody knows what came of it.
type ToolStarted struct {
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// ToolEnded is the result of a call, as it enters the history.
type ToolEnded struct {
	Turn    string  `json:"turn"`
	Call    string  `json:"call"`
	Tool    string  `json:"tool"`
	Result  Result  `json:"result"`
	Outcome Outcome `json:"outcome"`

	// Malformed says that the call was refused for what the model wrote: there is
	// no such tool, or the arguments are not what it takes.
	Malformed bool `json:"malformed,omitempty"`

	// Output is the tool's structured output, for who watches, where the text that
	// the model reads is another. It is no part of the history.
	Output json.RawMessage `json:"output,omitempty"`

	Seconds float64     `json:"seconds,omitempty"` // it took; 0 where nobody measured
	Usage   agent.Usage `json:"usage,omitzero"`
}

// Outcome says how a call ended.
type Outcome string

// The outcomes.
const (
	Done     Outcome = "done"     // it ran; the result may be that it failed
	Refused  Outcome = "refused"  // it was not run: unknown, wrong, or against the policy
	Denied   Outcome = "denied"   // it was not run: the user did not want it, or did not answer
	Canceled Outcome = "canceled" // it was not run: the turn ended first, or what was to come before it did not
	Unknown  Outcome = "unknown"  // it may have run: the gateway that ran it is gone
)

// Warned tells who watches of something that somebody should see to, and that
// keeps nothing from going on. It changes no state, and may stand anywhere.
type Warned struct {
	Turn    string `json:"turn,omitempty"` // in which it came up; empty for none
	Call    string `json:"call,omitempty"` // likewise
	Message string `json:"message"`
}

// TurnEnded is the end of a turn.
type TurnEnded struct {
	Turn    string       `json:"turn"`
	Reason  EndReason    `json:"reason"`
	Message string       `json:"message,omitempty"` // for the user, unless Reason is EndDone
	Answer  string       `json:"answer,omitempty"`  // the model's last words, where Reason is EndDone
	Code    sdkapi.Code  `json:"code,omitempty"`    // of a failure
	Usage   models.Usage `json:"usage"`             // of all rounds
}

// EndReason says why a turn ended.
type EndReason string

// The reasons. All but EndDone have a message that tells the user what happened.
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
	EndSilent   EndReason = "silent"   // the model said nothing, also when it was asked again
)
