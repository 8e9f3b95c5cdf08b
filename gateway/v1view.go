package gateway

import (
	"slices"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// v1View shows a session's events as those of the general agent service. The
// same events show the same.
type v1View struct {
	round    int
	turn     string              // the last one
	open     string              // the same, empty between two
	client   map[string]string   // the decisions of the calls that wait for the client, by the call's id; also those it has answered
	approval map[string]bool     // which of them are about a tool of the gateway's
	failed   *sdkapi.V1Error     // why the last turn had no answer
	final    string              // its answer otherwise
	pending  []sdkapi.V1ToolCall // that have no result yet, in the order in which they were asked for
}

func newV1View() *v1View {
	return &v1View{client: map[string]string{}, approval: map[string]bool{}}
}

// show returns what an event of the session is to its client.
func (v *v1View) show(e journal.Event) ([]promptEvent, error) {
	switch e.Kind {
	case session.KindSystemPrompt, session.KindUserMessage, session.KindToolSchemas, session.KindModelThought, session.KindModelAnswered:
		return nil, nil // the most or the largest events, without a case in view: they are not decoded
	}
	event, err := session.Decode(e)
	if err != nil {
		return nil, err
	}
	return v.view(event), nil
}

// view returns the events about one of the session. One without a case has none.
func (v *v1View) view(event session.Event) []promptEvent {
	switch e := event.(type) {
	case session.Resync:
		return []promptEvent{{sdkapi.EventResync, struct{}{}}}
	case session.TurnStarted:
		return v.started(e)
	case session.ModelAsked:
		return v.modelAsked(e)
	case session.ModelText:
		return v.text(e)
	case session.Repaired:
		return v.repaired(e)
	case session.ApprovalRequested:
		return v.approvalRequested(e)
	case session.ApprovalDecided:
		return v.decided(e)
	case session.ToolRequested:
		return v.toolRequested(e)
	case session.ToolEnded:
		return v.toolEnded(e)
	case session.TurnEnded:
		return v.ended(e)
	case session.Warned:
		return v.warned(e)
	}
	return nil
}

func (v *v1View) started(e session.TurnStarted) []promptEvent {
	v.turn, v.open, v.round, v.failed, v.final = e.Turn, e.Turn, 0, nil, ""
	return nil
}

func (v *v1View) modelAsked(e session.ModelAsked) []promptEvent {
	again := e.Round == v.round
	v.round = e.Round
	if !again {
		return nil
	}
	return []promptEvent{{sdkapi.EventAssistantDelta, sdkapi.V1Text{Restart: true}}}
}

// repaired says that the model is asked again, which the next asking need not
// say once more.
func (v *v1View) repaired(e session.Repaired) []promptEvent {
	v.round = 0
	return []promptEvent{{sdkapi.EventAssistantDelta, sdkapi.V1Text{Restart: true, Repair: string(e.Reason)}}}
}

func (v *v1View) text(e session.ModelText) []promptEvent {
	return []promptEvent{{sdkapi.EventAssistantDelta, sdkapi.V1Text{Text: e.Text}}}
}

func (v *v1View) approvalRequested(e session.ApprovalRequested) []promptEvent {
	v.client[e.Call], v.approval[e.Call] = e.Decision, true
	return v.request(sdkapi.V1ToolCall{ID: e.Call, Name: e.Tool, Arguments: e.Arguments, Risk: string(agent.Risky), Reason: e.Reason, Approval: true})
}

// decided says that an answer has come, unless it was too late for one.
func (v *v1View) decided(e session.ApprovalDecided) []promptEvent {
	if e.Expired {
		return nil
	}
	return []promptEvent{{sdkapi.EventToolResultAck, sdkapi.V1ToolAck{ID: e.Call}}}
}

func (v *v1View) toolRequested(e session.ToolRequested) []promptEvent {
	v.client[e.Call] = e.Decision
	risk := agent.Safe // also where a rule allows it
	if e.Reason != "" || e.Risk == agent.Risky && !e.Allowed {
		risk = agent.Risky
	}
	return v.request(sdkapi.V1ToolCall{ID: e.Call, Name: e.Tool, Arguments: e.Arguments, Risk: string(risk), Reason: e.Reason})
}

func (v *v1View) request(call sdkapi.V1ToolCall) []promptEvent {
	v.pending = append(v.pending, call)
	return []promptEvent{{sdkapi.EventToolRequest, call}}
}

func (v *v1View) toolEnded(e session.ToolEnded) []promptEvent {
	v.pending = slices.DeleteFunc(v.pending, func(c sdkapi.V1ToolCall) bool { return c.ID == e.Call })
	text := outputOf(e.Result.Parts)
	result := sdkapi.V1ToolResult{ID: e.Call, Name: e.Tool, OK: !e.Result.IsError, Result: text}
	if e.Result.IsError {
		result.Result, result.Error = "", &text
	}
	for _, p := range e.Result.Parts {
		if p.Artifact != "" {
			result.ScreenshotRef = p.Artifact
		}
	}
	var list []promptEvent
	if _, asked := v.client[e.Call]; asked && !v.approval[e.Call] && e.Outcome == session.Done {
		list = append(list, promptEvent{sdkapi.EventToolResultAck, sdkapi.V1ToolAck{ID: e.Call}})
	}
	return append(list, promptEvent{sdkapi.EventToolResult, result})
}

func (v *v1View) ended(e session.TurnEnded) []promptEvent {
	v.open, v.pending = "", nil
	if e.Reason == session.EndDone {
		v.final = e.Answer
		return []promptEvent{{sdkapi.EventAssistantFinal, sdkapi.V1Text{Text: e.Answer}}}
	}
	v.failed = &sdkapi.V1Error{Code: e.Code, Message: e.Message, Reason: string(e.Reason)}
	return []promptEvent{{sdkapi.EventError, *v.failed}}
}

func (v *v1View) warned(e session.Warned) []promptEvent {
	return []promptEvent{{sdkapi.EventWarning, sdkapi.V1Warning{Message: e.Message, ToolCallID: e.Call}}}
}
