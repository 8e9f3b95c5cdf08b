package toolhost

import (
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// view returns the messages for an event, or no messages for an event that clients do not see. It
// does not return the tool.call of a request: listener.advance sends that to one client only.
func view(event session.Event) []sdkapi.AgentMessage {
	switch e := event.(type) {
	case session.Resync:
		return one(&sdkapi.AgentResyncMessage{AgentHead: head(sdkapi.AgentResync, "")})
	case session.TurnStarted:
		return one(userMessage(e))
	case session.ModelAsked:
		if e.Again {
			return one(&sdkapi.AgentDeltaMessage{AgentHead: head(sdkapi.AgentDelta, e.Turn), Restart: true})
		}
	case session.ModelThought:
		return one(&sdkapi.AgentDeltaMessage{AgentHead: head(sdkapi.AgentThought, e.Turn), Content: e.Text})
	case session.ModelText:
		return one(&sdkapi.AgentDeltaMessage{AgentHead: head(sdkapi.AgentDelta, e.Turn), Content: e.Text})
	case session.Repaired:
		return one(&sdkapi.AgentDeltaMessage{AgentHead: head(sdkapi.AgentDelta, e.Turn), Restart: true})
	case session.ApprovalRequested:
		return one(&sdkapi.AgentApprovalMessage{
			AgentHead: head(sdkapi.AgentApproval, e.Turn), ApprovalID: e.Decision, ToolCallID: e.Call, Name: e.Tool, Arguments: e.Arguments, Reason: e.Reason, ExpiresAt: e.Expires,
		})
	case session.ApprovalDecided:
		return one(&sdkapi.AgentDecidedMessage{AgentHead: head(sdkapi.AgentDecided, e.Turn), ToolCallID: e.Call, Approved: !e.Denied, Reason: e.Reason})
	case session.ToolStarted:
		return one(&sdkapi.AgentToolStartedMessage{AgentHead: head(sdkapi.AgentToolStarted, e.Turn), ToolCallID: e.Call, Name: e.Tool, Arguments: e.Arguments})
	case session.ToolRequested:
		return one(&sdkapi.AgentToolStartedMessage{AgentHead: head(sdkapi.AgentToolStarted, e.Turn), ToolCallID: e.Call, Name: e.Tool, Arguments: e.Arguments})
	case session.ToolEnded:
		return one(toolOutput(e))
	case session.TurnEnded:
		return ended(e)
	case session.Progressed:
		return one(&sdkapi.AgentProgressMessage{AgentHead: head(sdkapi.AgentProgress, e.Turn), Message: e.Message, Output: e.Output, ToolCallID: e.Call})
	case session.Warned:
		return one(&sdkapi.AgentWarningMessage{AgentHead: head(sdkapi.AgentWarning, e.Turn), Message: e.Message, ToolCallID: e.Call})
	}
	return nil
}

// one returns a list with one message.
func one(m sdkapi.AgentMessage) []sdkapi.AgentMessage { return []sdkapi.AgentMessage{m} }

// head returns the common fields of a message. The listener sets the session and the seq.
func head(kind, turn string) sdkapi.AgentHead { return sdkapi.AgentHead{Type: kind, TurnID: turn} }

// userMessage returns the message for the start of a turn. It has the number of images, not the images.
func userMessage(e session.TurnStarted) *sdkapi.AgentUserMessageMessage {
	m := &sdkapi.AgentUserMessageMessage{AgentHead: head(sdkapi.AgentUserMessage, e.Turn), Content: turns.TextOf(e.Parts), MessageID: e.Ref}
	for _, p := range e.Parts {
		if p.Artifact != "" {
			m.Images++
		}
	}
	return m
}

// toolCall returns the message that asks a client to run a call.
func toolCall(e session.ToolRequested) *sdkapi.AgentToolCallMessage {
	m := &sdkapi.AgentToolCallMessage{AgentHead: head(sdkapi.AgentToolCall, e.Turn), ToolCallID: e.Call, Name: e.Tool, Arguments: e.Arguments, Reason: e.Reason, ExpiresAt: &e.Expires}
	if e.Reason != "" {
		m.Risk = string(e.Risk)
	}
	return m
}

// toolOutput returns the message for the result of a call. It names the artifacts of images.
func toolOutput(e session.ToolEnded) *sdkapi.AgentToolOutputMessage {
	m := &sdkapi.AgentToolOutputMessage{
		AgentHead: head(sdkapi.AgentToolOutput, e.Turn), ToolCallID: e.Call, Name: e.Tool, Output: turns.OutputOf(e.Result.Parts), IsError: e.Result.IsError,
		Outcome: string(e.Outcome), Seconds: e.Seconds,
	}
	for _, p := range e.Result.Parts {
		if p.Artifact != "" {
			m.Artifacts = append(m.Artifacts, p.Artifact)
		}
	}
	return m
}

// ended returns the messages for the end of a turn: done, and before it an error unless the turn
// completed or was canceled.
func ended(e session.TurnEnded) []sdkapi.AgentMessage {
	done := &sdkapi.AgentDoneMessage{AgentHead: head(sdkapi.AgentDone, e.Turn), Metadata: sdkapi.AgentDoneMetadata{
		Reason: string(e.Reason), Answer: e.Answer, Message: e.Message, Code: e.Code, Usage: usageOf(e.Usage),
	}}
	if e.Reason == session.EndDone || e.Reason == session.EndCanceled {
		return one(done)
	}
	failed := &sdkapi.AgentErrorMessage{AgentHead: head(sdkapi.AgentError, e.Turn), Message: e.Message, Code: e.Code, Reason: string(e.Reason)}
	if e.Resets != nil {
		failed.Details = &sdkapi.ErrorDetails{ResetsAt: e.Resets}
	}
	return []sdkapi.AgentMessage{failed, done}
}

// usageOf returns the tokens of a turn as clients see them: the output includes the reasoning.
func usageOf(u models.Usage) sdkapi.PromptUsage {
	return sdkapi.PromptUsage{
		InputTokens: u.Prompt(), OutputTokens: u.Output + u.Reasoning, TotalTokens: u.Total(), CachedTokens: u.CacheRead, ReasoningTokens: u.Reasoning,
	}
}
