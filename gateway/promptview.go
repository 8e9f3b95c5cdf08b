package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// promptView shows one turn of a session as the events of a prompt. It is shown
// all events of the turn in order, and the same events show the same.
type promptView struct {
	id           string // of the prompt
	conversation string // empty for a prompt that stands alone
	deltas       bool
	registered   func(model string) string // a tool's name, by the one that models know

	seq     int64 // of the last event
	turn    string
	input   string
	images  []sdkapi.ImageSource
	begun   time.Time
	round   int
	asked   time.Time // the model
	calls   map[string]*promptCall
	waiting []sdkapi.PromptApproval
	ended   time.Time // zero while the turn is open
}

// promptCall is what is known of a call before its result.
type promptCall struct {
	input    json.RawMessage
	start    time.Time
	decision string // that was asked for last
}

// show returns what an event of the session is to who watches the prompt.
func (v *promptView) show(e journal.Event) ([]promptEvent, error) {
	v.seq = e.Seq
	switch e.Kind {
	case session.KindSystemPrompt, session.KindUserMessage, session.KindToolSchemas, session.KindModelThought:
		return nil, nil // the most or the largest events, without a case in view: they are not decoded
	}
	event, err := session.Decode(e)
	if err != nil {
		return nil, fmt.Errorf("event %d, %s: %w", e.Seq, e.Kind, err)
	}
	return v.view(event, e.Time), nil
}

// view returns the events about one of the session. One without a case has none.
func (v *promptView) view(event session.Event, at time.Time) []promptEvent {
	switch e := event.(type) {
	case session.TurnStarted:
		return v.started(e, at)
	case session.ModelAsked:
		return v.modelAsked(e, at)
	case session.ModelText:
		return v.text(e)
	case session.ModelAnswered:
		return v.answered(e, at)
	case session.Repaired:
		return v.repaired(e)
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
	case session.Warned:
		return v.warned(e)
	}
	return nil
}

func (v *promptView) started(e session.TurnStarted, at time.Time) []promptEvent {
	v.turn, v.input, v.begun, v.calls = e.Turn, textOf(e.Parts), at, map[string]*promptCall{}
	for _, p := range e.Parts {
		if p.Artifact != "" {
			v.images = append(v.images, sdkapi.ImageSource{ArtifactID: p.Artifact})
		}
	}
	return []promptEvent{{sdkapi.EventPromptCreated, sdkapi.PromptCreated{PromptID: v.id, ConversationID: v.conversation}}}
}

func (v *promptView) modelAsked(e session.ModelAsked, at time.Time) []promptEvent {
	again := e.Round == v.round
	v.round, v.asked = e.Round, at
	if !again || !v.deltas {
		return nil
	}
	return []promptEvent{{sdkapi.EventPromptDelta, sdkapi.PromptDelta{PromptID: v.id, Restart: true}}}
}

func (v *promptView) repaired(e session.Repaired) []promptEvent {
	return []promptEvent{{sdkapi.EventPromptRepaired, sdkapi.PromptRepaired{PromptID: v.id, Reason: string(e.Reason), Message: e.Reason.Message()}}}
}

func (v *promptView) text(e session.ModelText) []promptEvent {
	if !v.deltas {
		return nil
	}
	return []promptEvent{{sdkapi.EventPromptDelta, sdkapi.PromptDelta{PromptID: v.id, Text: e.Text}}}
}

func (v *promptView) answered(e session.ModelAnswered, at time.Time) []promptEvent {
	for _, p := range e.Message.Parts {
		if p.Call != nil {
			v.calls[p.Call.ID] = &promptCall{input: p.Call.Arguments, start: at}
		}
	}
	text := textOf(e.Message.Parts)
	if text == "" {
		return nil
	}
	return []promptEvent{{sdkapi.EventPromptOutput, sdkapi.PromptOutput{Type: sdkapi.PromptText, Content: text, Cut: e.End == "", Start: v.asked, End: at}}}
}

// call returns what is known of a call.
func (v *promptView) call(id string) *promptCall {
	if v.calls[id] == nil {
		v.calls[id] = &promptCall{}
	}
	return v.calls[id]
}

func (v *promptView) approval(e session.ApprovalRequested) []promptEvent {
	v.call(e.Call).decision = e.Decision
	asked := sdkapi.PromptApproval{
		PromptID: v.id, ToolCallID: e.Call, ToolName: v.registered(e.Tool), Input: e.Arguments, Reason: e.Reason,
		DecisionID: e.Decision, ExpiresAt: e.Expires,
	}
	v.waiting = append(v.waiting, asked)
	return []promptEvent{{sdkapi.EventPromptApproval, asked}}
}

func (v *promptView) decided(e session.ApprovalDecided, at time.Time) {
	v.asksNoLonger(e.Call)
	c := v.call(e.Call)
	c.start = at
	if len(e.Arguments) > 0 {
		c.input = e.Arguments
	}
}

// called notes when and with what a call was made.
func (v *promptView) called(call string, arguments json.RawMessage, at time.Time) {
	c := v.call(call)
	c.input, c.start = arguments, at
}

// asksNoLonger forgets that the user was asked about a call.
func (v *promptView) asksNoLonger(call string) {
	v.waiting = slices.DeleteFunc(v.waiting, func(a sdkapi.PromptApproval) bool { return a.ToolCallID == call })
}

func (v *promptView) toolEnded(e session.ToolEnded, at time.Time) []promptEvent {
	v.asksNoLonger(e.Call) // also where the question was withdrawn
	c := v.call(e.Call)
	list := []promptEvent{{sdkapi.EventPromptOutput, sdkapi.PromptOutput{
		Type: sdkapi.PromptTool, ID: e.Call, Function: v.registered(e.Tool), Input: c.input, Result: toolResult(e), Start: c.start, End: at,
	}}}
	for _, p := range e.Result.Parts {
		if p.Artifact != "" {
			list = append(list, promptEvent{sdkapi.EventPromptOutput, sdkapi.PromptOutput{
				Type: sdkapi.PromptFile, ID: p.Artifact, URL: sdkapi.ArtifactsPath + p.Artifact, Start: c.start, End: at,
			}})
		}
	}
	return list
}

func (v *promptView) warned(e session.Warned) []promptEvent {
	return []promptEvent{{sdkapi.EventPromptWarning, sdkapi.PromptWarning{PromptID: v.id, ToolCallID: e.Call, Message: e.Message}}}
}

// toolResult tells what came of a call.
func toolResult(e session.ToolEnded) *sdkapi.PromptCallResult {
	text := outputOf(e.Result.Parts)
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

func (v *promptView) turnEnded(e session.TurnEnded, at time.Time) []promptEvent {
	v.ended, v.waiting = at, nil
	usage := promptUsage(e.Usage)
	if e.Reason == session.EndDone {
		return []promptEvent{{sdkapi.EventPromptCompleted, sdkapi.PromptCompleted{PromptID: v.id, Usage: usage}}}
	}
	return []promptEvent{{sdkapi.EventError, sdkapi.PromptError{
		PromptID: v.id, Message: e.Message, Code: e.Code, Reason: string(e.Reason), Usage: &usage,
	}}}
}

func promptUsage(u models.Usage) sdkapi.PromptUsage {
	return sdkapi.PromptUsage{
		InputTokens: u.Prompt(), OutputTokens: u.Output + u.Reasoning, TotalTokens: u.Total(), CachedTokens: u.CacheRead, ReasoningTokens: u.Reasoning,
	}
}
