package sdk

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// maxWakeKept limits the running calls plus the stored results. A stored result keeps a repeated
// call from running twice.
const maxWakeKept = 500

// wakeDone is the outcome of one call, computed once.
type wakeDone struct {
	once   sync.Once
	result any
	over   bool // result is set
}

// wakeReport is an answer that may have to be sent again. The gateway has the answer once it
// reports the outcome of the call, the end of the turn, or a final refusal of the answer.
type wakeReport struct {
	// ids of the request, of its conversation, and of the model's call; call is empty for a bundle
	asked, ref, call string
	message          wakeMessage
}

// toolCall runs a tool once, however often the gateway requests it, and sends the result.
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

// doneOf returns the shared outcome of a call, or nil if maxWakeKept calls run. To make room it
// discards a result that the gateway has: the gateway never repeats a call that has an answer.
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

// tooManyCalls is the error of a call that exceeds maxWakeKept.
var tooManyCalls = fmt.Sprintf("not run: %d calls already run at this client, the maximum; wait until one ends", maxWakeKept)

// refuse answers that a call was not run. It writes only to the current connection: on a new one
// the gateway repeats the request.
func (a *WokenAgent) refuse(kind string, result any) {
	m, err := wakeMessageOf(newUUID(), kind, result)
	if err != nil { // cannot fail: result is constant text
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.link != nil {
		_ = a.link.write(m) // the reader notices a broken connection
	}
}

// runTool asks the user if the tool is risky, and runs it.
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
			return WakeResult{Error: fmt.Sprintf("the result of %s cannot be encoded as JSON: %v", call.Name, err)}
		}
		return result
	}
	return WakeResult{Error: fmt.Sprintf("this client has no tool %q", call.Name)}
}

// report sends an answer and stores it until the gateway has it.
func (a *WokenAgent) report(r wakeReport, kind string, answer any) {
	var err error
	// cannot fail: runTool checked the output
	if r.message, err = wakeMessageOf(newUUID(), kind, answer); err != nil {
		return
	}
	a.mu.Lock()
	if done := a.results[r.asked]; done != nil {
		done.over = true
	}
	a.unheard = slices.DeleteFunc(a.unheard, func(old wakeReport) bool { return old.asked == r.asked })
	a.unheard = append(a.unheard, r)
	a.mu.Unlock()
	_ = a.send(r.message) // fails only if the agent is closed
}

// settle forgets the answers that the gateway has, as shown by m. The caller holds mu.
func (a *WokenAgent) settle(m sdkapi.WSMessage) {
	var output struct {
		Metadata sdkapi.WSToolCallMetadata `json:"metadata"`
	}
	var failed sdkapi.WSErrorPayload
	var has func(r wakeReport) bool
	switch m.Type {
	case sdkapi.WSToolOutput:
		_ = json.Unmarshal(m.Payload, &output) // without an id it concerns no call
		has = func(r wakeReport) bool {
			return r.call != "" && r.call == output.Metadata.ToolCallID && r.ref == m.ConversationRef
		}
	case sdkapi.WSStreamingComplete:
		has = func(r wakeReport) bool { return r.ref == m.ConversationRef }
	case sdkapi.WSError:
		_ = json.Unmarshal(m.Payload, &failed) // without an id it concerns no call
		has = func(r wakeReport) bool { return r.message.ID == m.InReplyTo && !passing[failed.Code] }
	default:
		return
	}
	a.unheard = slices.DeleteFunc(a.unheard, has)
}

// approval answers an approval request for one of the gateway's tools.
func (a *WokenAgent) approval(m sdkapi.WSMessage, asked sdkapi.WSApprovalRequestPayload) {
	answer := sdkapi.WSApprovalDecisionPayload{RequestID: asked.RequestID, Reason: "this program cannot ask a user"}
	if a.opts.Approve != nil {
		answer.Approved, answer.Reason = a.opts.Approve(a.ctx, asked)
	}
	a.report(wakeReport{asked: asked.RequestID, ref: m.ConversationRef, call: asked.Metadata.ToolCallID}, sdkapi.WSApprovalDecision, answer)
}
