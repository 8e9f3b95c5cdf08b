package sdk

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// maxWakeKept bounds the calls that run, and the results that are kept so that a call which is sent again is not run again.
const maxWakeKept = 500

// wakeDone is what came of a call, once.
type wakeDone struct {
	once   sync.Once
	result any
	over   bool // there is a result
}

// wakeReport is an answer that may have to be sent again. The gateway has it when it reports the outcome of the call, or that
// the turn has ended, and wants none that it refuses.
type wakeReport struct {
	asked, ref, call string // ids of the request, its conversation, and the model's call, which is empty for a bundle
	message          wakeMessage
}

// toolCall runs a tool, once however often it is asked for, and sends what came of it.
func (a *WokenAgent) toolCall(m sdkapi.WSMessage, asked sdkapi.WSToolCallPayload) {
	done := a.doneOf(asked.RequestID)
	if done == nil {
		a.refuse(sdkapi.WSToolResult, sdkapi.WSToolResultPayload{RequestID: asked.RequestID, Error: &tooManyCalls})
		return
	}
	done.once.Do(func() {
		got := a.runTool(WakeCall{ID: asked.RequestID, Name: asked.ToolName, Arguments: asked.Parameters, Risk: asked.Risk, Reason: asked.Reason})
		result := sdkapi.WSToolResultPayload{RequestID: asked.RequestID, Success: got.Error == "", Data: &sdkapi.WSToolData{Output: got.Output}}
		result.Data.ScreenshotRef = got.Screen
		if got.Error != "" {
			result.Error = &got.Error
		}
		done.result = result
	})
	a.report(wakeReport{asked: asked.RequestID, ref: m.ConversationRef, call: asked.Metadata.ToolCallID}, sdkapi.WSToolResult, done.result)
}

// toolBundle runs the steps of a bundle until one fails.
func (a *WokenAgent) toolBundle(m sdkapi.WSMessage, asked sdkapi.WSToolBundlePayload) {
	done := a.doneOf(asked.BundleID)
	if done == nil {
		a.refuse(sdkapi.WSToolBundleResult, sdkapi.WSToolBundleResultPayload{BundleID: asked.BundleID, Status: "failure", StepResults: []sdkapi.WSStepResult{}, Error: &tooManyCalls})
		return
	}
	done.once.Do(func() {
		result := sdkapi.WSToolBundleResultPayload{BundleID: asked.BundleID, Status: "success", StepResults: []sdkapi.WSStepResult{}}
		for i, step := range asked.Tools {
			got := a.runTool(WakeCall{ID: fmt.Sprintf("%s.%d", asked.BundleID, i), Name: step.Name, Arguments: step.Args, Risk: step.Risk, Reason: step.Reason})
			if got.Screen != "" {
				result.ScreenshotRef = got.Screen
			}
			told := sdkapi.WSStepResult{Tool: step.Name, Status: "ok", Output: got.Output, Error: got.Error}
			if got.Error == "" {
				result.StepResults = append(result.StepResults, told)
				continue
			}
			told.Status, result.Status, result.Error = "error", "partial_failure", &got.Error
			if result.StepResults = append(result.StepResults, told); i == 0 {
				result.Status = "failure"
			}
			break
		}
		done.result = result
	})
	a.report(wakeReport{asked: asked.BundleID, ref: m.ConversationRef}, sdkapi.WSToolBundleResult, done.result)
}

// doneOf returns the one outcome of a call, nil where as many calls run as may. In place of a result that is kept goes one that
// the gateway has: it asks for no call again that has an answer.
func (a *WokenAgent) doneOf(id string) *wakeDone {
	a.mu.Lock()
	defer a.mu.Unlock()
	if done := a.results[id]; done != nil {
		return done
	}
	if len(a.results) >= maxWakeKept {
		waits := map[string]bool{}
		for _, r := range a.unheard {
			waits[r.asked] = true
		}
		for old, done := range a.results {
			if done.over && !waits[old] {
				delete(a.results, old)
				break
			}
		}
	}
	if len(a.results) >= maxWakeKept {
		return nil
	}
	done := &wakeDone{}
	a.results[id] = done
	return done
}

// tooManyCalls says why a call is not run.
var tooManyCalls = fmt.Sprintf("this was not run: %d calls run at this client already, which is as many as may; wait for the end of one", maxWakeKept)

// refuse sends that a call is not run. It is for this connection alone: on another one the gateway asks again.
func (a *WokenAgent) refuse(kind string, result any) {
	m, err := wakeMessageOf(newUUID(), kind, result)
	if err != nil { // it is the same text each time
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.link != nil {
		_ = a.link.write(m) // a connection that breaks is noticed at reading
	}
}

// runTool runs one tool.
func (a *WokenAgent) runTool(call WakeCall) WakeResult {
	for _, tool := range a.opts.Tools {
		if tool.Name != call.Name {
			continue
		}
		if call.Risk == "risky" && a.opts.Approve != nil {
			question := sdkapi.WSApprovalRequestPayload{ToolName: call.Name, Parameters: call.Arguments, RequestID: call.ID, Reason: call.Reason}
			if approved, why := a.opts.Approve(a.ctx, question); !approved {
				return WakeResult{Error: "the user denied it: " + why}
			}
		}
		result := tool.Run(a.ctx, call)
		if _, err := json.Marshal(result.Output); err != nil {
			return WakeResult{Error: fmt.Sprintf("what %s returned is no JSON: %v", call.Name, err)}
		}
		return result
	}
	return WakeResult{Error: fmt.Sprintf("this client has no tool %q", call.Name)}
}

// report sends an answer, and keeps it until the gateway has it.
func (a *WokenAgent) report(r wakeReport, kind string, answer any) {
	var err error
	if r.message, err = wakeMessageOf(newUUID(), kind, answer); err != nil { // runTool has looked
		return
	}
	a.mu.Lock()
	if done := a.results[r.asked]; done != nil {
		done.over = true
	}
	a.unheard = slices.DeleteFunc(a.unheard, func(old wakeReport) bool { return old.asked == r.asked })
	a.unheard = append(a.unheard, r)
	a.mu.Unlock()
	_ = a.send(r.message) // an agent that is closed has no use for it
}

// settle forgets the answers that the gateway needs no longer. The caller holds mu.
func (a *WokenAgent) settle(m sdkapi.WSMessage) {
	var output struct {
		Metadata sdkapi.WSToolCallMetadata `json:"metadata"`
	}
	var failed sdkapi.WSErrorPayload
	var has func(r wakeReport) bool
	switch m.Type {
	case sdkapi.WSToolOutput:
		_ = json.Unmarshal(m.Payload, &output) // without an id it is about no call
		has = func(r wakeReport) bool {
			return r.call != "" && r.call == output.Metadata.ToolCallID && r.ref == m.ConversationRef
		}
	case sdkapi.WSStreamingComplete:
		has = func(r wakeReport) bool { return r.ref == m.ConversationRef }
	case sdkapi.WSError:
		_ = json.Unmarshal(m.Payload, &failed) // likewise
		has = func(r wakeReport) bool { return r.message.ID == m.InReplyTo && !passing[failed.Code] }
	default:
		return
	}
	a.unheard = slices.DeleteFunc(a.unheard, has)
}

// approval answers a question about a call of a tool of the gateway's.
func (a *WokenAgent) approval(m sdkapi.WSMessage, asked sdkapi.WSApprovalRequestPayload) {
	answer := sdkapi.WSApprovalDecisionPayload{RequestID: asked.RequestID, Reason: "this program has nobody to ask"}
	if a.opts.Approve != nil {
		answer.Approved, answer.Reason = a.opts.Approve(a.ctx, asked)
	}
	a.report(wakeReport{asked: asked.RequestID, ref: m.ConversationRef, call: asked.Metadata.ToolCallID}, sdkapi.WSApprovalDecision, answer)
}
