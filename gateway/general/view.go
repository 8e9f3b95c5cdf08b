package general

import (
	"slices"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// view converts a session's events to those of the general agent service. The same events give
// the same result.
type view struct {
	round    int
	turn     string              // id of the last turn
	named    bool                // the last turn's message has an id
	open     string              // id of the open turn; empty for none
	client   map[string]string   // decision ids by call id, for calls that wait or waited for the client
	approval map[string]bool     // the call ids whose decision approves a tool of the gateway
	failed   *sdkapi.V1Error     // why the last turn had no answer
	final    string              // the last turn's answer
	pending  []sdkapi.V1ToolCall // calls without a result, in the order of their requests
}

// newV1View returns a view that has seen no event. It must see the events from the start of a turn.
func newV1View() *view {
	return &view{client: map[string]string{}, approval: map[string]bool{}}
}

// show returns the client's events for an event of the session.
func (v *view) show(e journal.Event) ([]turns.Event, error) {
	switch e.Kind {
	case session.KindSystemPrompt, session.KindUserMessage, session.KindToolSchemas, session.KindModelThought, session.KindModelAnswered:
		return nil, nil // view ignores these frequent or large events, so they are not decoded
	}
	event, err := session.Decode(e)
	if err != nil {
		return nil, err
	}
	return v.view(event), nil
}

// view returns the client's events for a decoded event; nil for kinds that it does not handle.
func (v *view) view(event session.Event) []turns.Event {
	switch e := event.(type) {
	case session.Resync:
		return turns.Show(sdkapi.EventResync, struct{}{})
	case session.TurnStarted:
		v.turn, v.named, v.open, v.round, v.failed, v.final = e.Turn, e.Ref != "", e.Turn, 0, nil, ""
	case session.ModelAsked:
		return v.modelAsked(e)
	case session.ModelText:
		return turns.Show(sdkapi.EventAssistantDelta, sdkapi.V1Text{Text: e.Text})
	case session.Repaired:
		v.round = 0 // so that the next ModelAsked does not report the restart again
		return turns.Show(sdkapi.EventAssistantDelta, sdkapi.V1Text{Restart: true, Repair: string(e.Reason)})
	case session.ApprovalRequested:
		return v.approvalRequested(e)
	case session.ApprovalDecided:
		if !e.Expired { // if it expired, the answer came too late
			return turns.Show(sdkapi.EventToolResultAck, sdkapi.V1ToolAck{ID: e.Call})
		}
	case session.ToolRequested:
		return v.toolRequested(e)
	case session.ToolEnded:
		return v.toolEnded(e)
	case session.TurnEnded:
		return v.ended(e)
	case session.Progressed:
		return turns.Show(sdkapi.EventToolProgress, sdkapi.V1Progress{ToolCallID: e.Call, Message: e.Message, Output: e.Output})
	case session.Warned:
		return turns.Show(sdkapi.EventWarning, sdkapi.V1Warning{Message: e.Message, ToolCallID: e.Call})
	}
	return nil
}

// modelAsked asks the client to discard the text of the round so far, if the model is asked again
// in the same round.
func (v *view) modelAsked(e session.ModelAsked) []turns.Event {
	again := e.Round == v.round
	v.round = e.Round
	if !again {
		return nil
	}
	return turns.Show(sdkapi.EventAssistantDelta, sdkapi.V1Text{Restart: true})
}

// approvalRequested returns the request for an approval as a tool.request with Approval set.
func (v *view) approvalRequested(e session.ApprovalRequested) []turns.Event {
	v.client[e.Call], v.approval[e.Call] = e.Decision, true
	return v.request(sdkapi.V1ToolCall{ID: e.Call, Name: e.Tool, Arguments: e.Arguments, Risk: string(agent.Risky), Reason: e.Reason, Approval: true})
}

// toolRequested returns the request for a tool of the client. It is risky if the client should ask
// its user first.
func (v *view) toolRequested(e session.ToolRequested) []turns.Event {
	v.client[e.Call] = e.Decision
	risk := agent.Safe // also for a risky call that a rule allows
	if e.Reason != "" || e.Risk == agent.Risky && !e.Allowed {
		risk = agent.Risky
	}
	return v.request(sdkapi.V1ToolCall{ID: e.Call, Name: e.Tool, Arguments: e.Arguments, Risk: string(risk), Reason: e.Reason})
}

// request records a call as pending, and returns it as an event.
func (v *view) request(call sdkapi.V1ToolCall) []turns.Event {
	v.pending = append(v.pending, call)
	return turns.Show(sdkapi.EventToolRequest, call)
}

// toolEnded returns the result of a call. If the client ran the call, an acknowledgement comes first.
func (v *view) toolEnded(e session.ToolEnded) []turns.Event {
	v.pending = slices.DeleteFunc(v.pending, func(c sdkapi.V1ToolCall) bool { return c.ID == e.Call })
	text := turns.OutputOf(e.Result.Parts)
	result := sdkapi.V1ToolResult{ID: e.Call, Name: e.Tool, OK: !e.Result.IsError, Result: text}
	if e.Result.IsError {
		result.Result, result.Error = "", &text
	}
	for _, p := range e.Result.Parts {
		if p.Artifact != "" {
			result.ScreenshotRef = p.Artifact
		}
	}
	var list []turns.Event
	if _, asked := v.client[e.Call]; asked && !v.approval[e.Call] && e.Outcome == session.Done {
		list = append(list, turns.Event{Name: sdkapi.EventToolResultAck, Data: sdkapi.V1ToolAck{ID: e.Call}})
	}
	return append(list, turns.Event{Name: sdkapi.EventToolResult, Data: result})
}

// ended returns the last event of a turn: its answer, or the error that ended it.
func (v *view) ended(e session.TurnEnded) []turns.Event {
	v.open, v.pending = "", nil
	if e.Reason == session.EndDone {
		v.final = e.Answer
		return turns.Show(sdkapi.EventAssistantFinal, sdkapi.V1Text{Text: e.Answer})
	}
	v.failed = &sdkapi.V1Error{Code: e.Code, Message: e.Message, Reason: string(e.Reason), ResetsAt: e.Resets}
	return turns.Show(sdkapi.EventError, *v.failed)
}
