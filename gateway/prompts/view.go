package prompts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// view converts the events of one turn of a session into the events of a prompt. It must get
// all events of the turn in order. The result depends only on them.
type view struct {
	id           string // of the prompt
	conversation string // empty for a prompt that stands alone
	deltas       bool
	registered   func(model string) string // returns a tool's registered name, by its name for models

	seq     int64 // of the last event
	turn    string
	input   string
	images  []sdkapi.ImageSource
	begun   time.Time
	round   int
	asked   time.Time        // when the gateway asked the model
	said    *strings.Builder // text so far of an incomplete answer; nil for none
	saidAt  time.Time        // time of the last piece of said
	calls   map[string]*call
	waiting []sdkapi.PromptApproval
	ended   time.Time // zero while the turn is open
}

// soFar returns the text so far of an incomplete answer; nil if there is none.
func (v *view) soFar() []sdkapi.PromptOutput {
	if v.said == nil {
		return nil
	}
	return []sdkapi.PromptOutput{{Type: sdkapi.PromptText, Content: v.said.String(), Cut: true, Start: v.asked, End: v.saidAt}}
}

// call holds the data of a tool call that is known before its result.
type call struct {
	input    json.RawMessage
	start    time.Time
	decision string // id of the last approval request; empty for none
}

// show returns the prompt's events for an event of the session.
func (v *view) show(e journal.Event) ([]turns.Event, error) {
	v.seq = e.Seq
	switch e.Kind {
	case session.KindSystemPrompt, session.KindUserMessage, session.KindToolSchemas, session.KindModelThought:
		return nil, nil // view ignores these frequent or large events, so they are not decoded
	}
	event, err := session.Decode(e)
	if err != nil {
		return nil, fmt.Errorf("event %d, %s: %w", e.Seq, e.Kind, err)
	}
	return v.view(event, e.Time), nil
}

// view returns the prompt's events for a decoded event of the session; nil for other kinds.
func (v *view) view(event session.Event, at time.Time) []turns.Event {
	switch e := event.(type) {
	case session.TurnStarted:
		return v.started(e, at)
	case session.ModelAsked:
		return v.modelAsked(e, at)
	case session.ModelText:
		if v.said == nil {
			v.said = new(strings.Builder)
		}
		v.said.WriteString(e.Text)
		v.saidAt = at
		if v.deltas {
			return turns.Show(sdkapi.EventPromptDelta, sdkapi.PromptDelta{PromptID: v.id, Text: e.Text})
		}
	case session.ModelAnswered:
		return v.answered(e, at)
	case session.Repaired:
		return turns.Show(sdkapi.EventPromptRepaired, sdkapi.PromptRepaired{PromptID: v.id, Reason: string(e.Reason), Message: e.Message()})
	case session.ApprovalRequested:
		return v.approval(e)
	case session.ApprovalDecided:
		v.decided(e, at)
	case session.ToolRequested:
		v.called(e.Call, e.Arguments, at)
	case session.ToolStarted:
		v.called(e.Call, e.Arguments, at)
	case session.ToolEnded:
		return v.toolEnded(e, at)
	case session.TurnEnded:
		return v.turnEnded(e, at)
	case session.Progressed:
		return turns.Show(sdkapi.EventPromptProgress, sdkapi.PromptProgress{PromptID: v.id, ToolCallID: e.Call, Message: e.Message, Output: e.Output})
	case session.Warned:
		return turns.Show(sdkapi.EventPromptWarning, sdkapi.PromptWarning{PromptID: v.id, ToolCallID: e.Call, Message: e.Message})
	}
	return nil
}

// started begins the view of a turn: it stores the user's message, and forgets all calls.
func (v *view) started(e session.TurnStarted, at time.Time) []turns.Event {
	v.turn, v.input, v.begun, v.calls = e.Turn, turns.TextOf(e.Parts), at, map[string]*call{}
	for _, p := range e.Parts {
		if p.Artifact != "" {
			v.images = append(v.images, sdkapi.ImageSource{ArtifactID: p.Artifact})
		}
	}
	return turns.Show(sdkapi.EventPromptCreated, sdkapi.PromptCreated{PromptID: v.id, ConversationID: v.conversation})
}

// modelAsked discards the text so far. If the gateway asks again in the same round, clients with
// deltas must discard their text too.
func (v *view) modelAsked(e session.ModelAsked, at time.Time) []turns.Event {
	again := e.Round == v.round
	v.round, v.asked, v.said = e.Round, at, nil
	if !again || !v.deltas {
		return nil
	}
	return turns.Show(sdkapi.EventPromptDelta, sdkapi.PromptDelta{PromptID: v.id, Restart: true})
}

// answered stores the calls of a complete answer. It returns the answer's text, or nil if the
// answer has only calls.
func (v *view) answered(e session.ModelAnswered, at time.Time) []turns.Event {
	v.said = nil
	for _, p := range e.Message.Parts {
		if p.Call != nil {
			v.calls[p.Call.ID] = &call{input: p.Call.Arguments, start: at}
		}
	}
	text := turns.TextOf(e.Message.Parts)
	if text == "" {
		return nil
	}
	return turns.Show(sdkapi.EventPromptOutput, sdkapi.PromptOutput{Type: sdkapi.PromptText, Content: text, Cut: e.End == "", Start: v.asked, End: at})
}

// call returns the data of a call and adds an entry for a new call.
func (v *view) call(id string) *call {
	if v.calls[id] == nil {
		v.calls[id] = &call{}
	}
	return v.calls[id]
}

// approval stores an approval request as waiting, and returns its event. followPrompt sets the
// event's Answered.
func (v *view) approval(e session.ApprovalRequested) []turns.Event {
	v.call(e.Call).decision = e.Decision
	asked := sdkapi.PromptApproval{
		PromptID: v.id, ToolCallID: e.Call, ToolName: v.registered(e.Tool), Input: e.Arguments, Reason: e.Reason,
		DecisionID: e.Decision, ExpiresAt: e.Expires,
	}
	v.waiting = append(v.waiting, asked)
	return turns.Show(sdkapi.EventPromptApproval, asked)
}

// decided ends the wait of a call. The call starts now, with the arguments of the decision if it
// has any.
func (v *view) decided(e session.ApprovalDecided, at time.Time) {
	v.asksNoLonger(e.Call)
	c := v.call(e.Call)
	c.start = at
	if len(e.Arguments) > 0 {
		c.input = e.Arguments
	}
}

// called records the arguments and the start of a call.
func (v *view) called(call string, arguments json.RawMessage, at time.Time) {
	c := v.call(call)
	c.input, c.start = arguments, at
}

// asksNoLonger removes the approval requests of a call from those that wait.
func (v *view) asksNoLonger(call string) {
	v.waiting = slices.DeleteFunc(v.waiting, func(a sdkapi.PromptApproval) bool { return a.ToolCallID == call })
}

// toolEnded returns the call with its result, and then a file for each artifact in the result.
func (v *view) toolEnded(e session.ToolEnded, at time.Time) []turns.Event {
	v.asksNoLonger(e.Call) // the approval request may have been withdrawn
	c := v.call(e.Call)
	list := []turns.Event{{Name: sdkapi.EventPromptOutput, Data: sdkapi.PromptOutput{
		Type: sdkapi.PromptTool, ID: e.Call, Function: v.registered(e.Tool), Input: c.input, Result: toolResult(e), Start: c.start, End: at,
	}}}
	for _, p := range e.Result.Parts {
		if p.Artifact != "" {
			list = append(list, turns.Event{Name: sdkapi.EventPromptOutput, Data: sdkapi.PromptOutput{
				Type: sdkapi.PromptFile, ID: p.Artifact, URL: sdkapi.ArtifactsPath + p.Artifact, Start: c.start, End: at,
			}})
		}
	}
	return list
}

// toolResult returns the wire form of a call's outcome.
func toolResult(e session.ToolEnded) *sdkapi.PromptCallResult {
	text := turns.OutputOf(e.Result.Parts)
	switch {
	case e.Outcome == session.Denied:
		return &sdkapi.PromptCallResult{Type: sdkapi.PromptToolDenied, Error: text}
	case e.Outcome != session.Done || e.Result.IsError:
		return &sdkapi.PromptCallResult{Type: sdkapi.PromptToolFailure, Error: text}
	case len(e.Output) > 0:
		return &sdkapi.PromptCallResult{Type: sdkapi.PromptToolSuccess, Output: e.Output}
	case json.Valid([]byte(text)):
		return &sdkapi.PromptCallResult{Type: sdkapi.PromptToolSuccess, Output: json.RawMessage(text)}
	}
	return &sdkapi.PromptCallResult{Type: sdkapi.PromptToolSuccess, Output: text}
}

// turnEnded returns the prompt's last event: prompt.completed if the turn is done, otherwise error
// with the reason.
func (v *view) turnEnded(e session.TurnEnded, at time.Time) []turns.Event {
	v.ended, v.waiting, v.said = at, nil, nil
	usage := usageOf(e.Usage)
	if e.Reason == session.EndDone {
		return turns.Show(sdkapi.EventPromptCompleted, sdkapi.PromptCompleted{PromptID: v.id, Usage: usage})
	}
	return []turns.Event{{Name: sdkapi.EventError, Data: sdkapi.PromptError{
		PromptID: v.id, Message: e.Message, Code: e.Code, Reason: string(e.Reason), Usage: &usage, ResetsAt: e.Resets,
	}}}
}

// usageOf returns the wire form of a usage. OutputTokens include ReasoningTokens.
func usageOf(u models.Usage) sdkapi.PromptUsage {
	return sdkapi.PromptUsage{
		InputTokens: u.Prompt(), OutputTokens: u.Output + u.Reasoning, TotalTokens: u.Total(), CachedTokens: u.CacheRead, ReasoningTokens: u.Reasoning,
	}
}
