package sdk

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// maxWakeKept bounds the results that are kept, so that a call which is sent again is not run again. The gateway sends
// calls again that nobody has answered, so that of those with an answer any may go.
const maxWakeKept = 500

// wakeDone is what came of a call, once.
type wakeDone struct {
	once   sync.Once
	result any
}

// wakeReport is a result that may have to be sent again.
type wakeReport struct {
	ref     string
	message wakeMessage
}

// toolCall runs a tool, once however often it is asked for, and sends what came of it.
func (a *WokenAgent) toolCall(m sdkapi.WSMessage, asked sdkapi.WSToolCallPayload) {
	done := a.doneOf(asked.RequestID)
	done.once.Do(func() {
		got := a.runTool(WakeCall{ID: asked.RequestID, Name: asked.ToolName, Arguments: asked.Parameters, Risk: asked.Risk, Reason: asked.Reason})
		result := sdkapi.WSToolResultPayload{RequestID: asked.RequestID, Success: got.Error == "", Data: &sdkapi.WSToolData{Output: got.Output}}
		result.Data.ScreenshotRef = got.Screen
		if got.Error != "" {
			result.Error = &got.Error
		}
		done.result = result
	})
	a.report(m.ConversationRef, sdkapi.WSToolResult, done.result)
}

// toolBundle runs the steps of a bundle until one fails.
func (a *WokenAgent) toolBundle(m sdkapi.WSMessage, asked sdkapi.WSToolBundlePayload) {
	done := a.doneOf(asked.BundleID)
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
	a.report(m.ConversationRef, sdkapi.WSToolBundleResult, done.result)
}

// doneOf returns the one outcome of a call.
func (a *WokenAgent) doneOf(id string) *wakeDone {
	a.mu.Lock()
	defer a.mu.Unlock()
	done := a.results[id]
	if done == nil {
		done = &wakeDone{}
		if len(a.results) >= maxWakeKept {
			for old := range a.results {
				delete(a.results, old)
				break
			}
		}
		a.results[id] = done
	}
	return done
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

// report sends a result, and keeps it until the turn has ended.
func (a *WokenAgent) report(ref, kind string, result any) {
	m, err := wakeMessageOf(newUUID(), kind, result)
	if err != nil { // runTool has looked
		return
	}
	a.mu.Lock()
	a.unheard = append(a.unheard, wakeReport{ref, m})
	a.mu.Unlock()
	_ = a.send(m) // an agent that is closed has no use for it
}

// approval answers a question about a call of a tool of the gateway's.
func (a *WokenAgent) approval(asked sdkapi.WSApprovalRequestPayload) {
	answer := sdkapi.WSApprovalDecisionPayload{RequestID: asked.RequestID, Reason: "this program has nobody to ask"}
	if a.opts.Approve != nil {
		answer.Approved, answer.Reason = a.opts.Approve(a.ctx, asked)
	}
	_, _ = a.Send(sdkapi.WSApprovalDecision, answer) // likewise
}
