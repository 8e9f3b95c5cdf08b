package desktop

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/windieos/windie/agent/envelope"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/gateway/turns"
	plaintext "github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// view converts a session's events to WebSocket messages. The same events give the same
// messages on every connection.
type view struct {
	bundle   []sdkapi.WSBundleTool // steps so far of an incomplete bundle
	open     string                // the id of that bundle
	explains bool                  // ask for approvals in text too, for clients without approval-request
	settled  bool                  // the current request no longer waits for an answer
	turn     string                // the last turn whose start was seen
	query    string                // the query that began it; empty if none did
}

// outMessage is one message to a client.
type outMessage struct {
	kind    string
	turn    string
	payload any
}

// one returns a list with one message.
func one(kind, turn string, payload any) []outMessage { return []outMessage{{kind, turn, payload}} }

// messages returns the messages for the event seq. The last message has the number seq. Earlier
// ones have the number of the previous event, so a client that misses the last message gets all of
// them again.
func (v *view) messages(ref string, seq int64, e session.Event) ([]sdkapi.WSMessage, error) {
	return v.envelopes(ref, seq, v.view(seq, e))
}

// view returns the messages for an event; nil for kinds that it does not handle.
func (v *view) view(seq int64, event session.Event) []outMessage {
	switch e := event.(type) {
	case session.TurnStarted:
		v.turn, v.query = e.Turn, e.QueryID()
	case session.Resync:
		return one(sdkapi.WSResync, "", map[string]int64{"seq": seq})
	case session.SystemPrompt:
		return one(sdkapi.WSSystemPrompt, e.Turn, map[string]string{"content": e.Text})
	case session.UserMessage:
		return one(sdkapi.WSUserMessageFull, e.Turn, userMessageFull(e))
	case session.ToolSchemas:
		return one(sdkapi.WSToolSchemas, e.Turn, sdkapi.WSToolSchemasPayload{ToolSchemas: functionTools(e.Tools)})
	case session.ModelAsked:
		if e.Again { // the protocol has no such message; clients show a thought and do not store it
			return one(sdkapi.WSThought, e.Turn, sdkapi.WSThoughtPayload{Status: "\nThe answer was interrupted. The gateway asks the model again.\n", Restart: true})
		}
	case session.ModelThought:
		return one(sdkapi.WSThought, e.Turn, sdkapi.WSThoughtPayload{Status: e.Text})
	case session.ModelText:
		return one(sdkapi.WSStreamingResponse, e.Turn, sdkapi.WSTextPayload{Text: e.Text})
	case session.ModelAnswered:
		return v.answered(e)
	case session.Repaired:
		return one(sdkapi.WSThought, e.Turn, sdkapi.WSThoughtPayload{Status: "\n" + e.Message() + "\n", Restart: true, Repair: string(e.Reason)})
	case session.ApprovalRequested:
		return v.approval(e)
	case session.ToolRequested:
		return v.toolCall(e)
	case session.ToolEnded:
		return v.toolOutput(e)
	case session.TurnEnded:
		return v.ended(e)
	case session.Progressed:
		return one(sdkapi.WSToolProgress, e.Turn, sdkapi.WSToolProgressPayload{Message: e.Message, Output: e.Output, ToolCallID: e.Call})
	case session.Warned:
		return one(sdkapi.WSWarning, e.Turn, sdkapi.WSWarningPayload{Message: e.Message, ToolCallID: e.Call})
	}
	return nil
}

// envelopes wraps the messages for an event in their envelopes.
func (v *view) envelopes(ref string, seq int64, list []outMessage) ([]sdkapi.WSMessage, error) {
	out := make([]sdkapi.WSMessage, len(list))
	for i, t := range list {
		m, err := socketMessage(t.kind, t.payload)
		if err != nil {
			return nil, err
		}
		m.Seq, m.ConversationRef, m.TurnRef = seq-1, ref, t.turn
		if t.turn == v.turn {
			m.QueryRef = v.query
		}
		if i == len(list)-1 {
			m.Seq = seq
		}
		out[i] = m
	}
	return out, nil
}

var activeWindow = regexp.MustCompile(`(?s)<active_window>(.*?)</active_window>`)

// userMessageFull describes a user's message, which is an envelope.
func userMessageFull(e session.UserMessage) sdkapi.UserMessageFull {
	before, query, _ := envelope.CutQuery(e.Text)
	about := sdkapi.UserMessageMetadata{
		HasScreenshot: e.Images > 0, HasMemory: strings.Contains(before, "<episodic_memory>") || strings.Contains(before, "<semantic_memory>"),
		OriginalQuery: query, ContextType: "initial",
	}
	// The names of images precede the envelope.
	if at := envelope.SectionPattern.FindStringIndex(before); at != nil {
		about.InjectedContext = strings.TrimSpace(before[at[0]:])
	}
	var inside envelope.Envelope
	inside.Context(before)
	for _, s := range inside.Sections {
		if found := activeWindow.FindStringSubmatch(s.Text); found != nil && s.Name == envelope.SystemSection && about.ActiveWindow == "" {
			about.ActiveWindow = envelope.LeafLiteral.Replace(found[1])
		}
	}
	return sdkapi.UserMessageFull{Content: e.Text, Metadata: about}
}

// functionTools converts tools to the format of OpenAI's chat API.
func functionTools(tools []session.ToolSchema) []sdkapi.WSToolSchema {
	out := make([]sdkapi.WSToolSchema, len(tools))
	for i, t := range tools {
		out[i] = sdkapi.WSToolSchema{Type: "function", Function: sdkapi.WSToolFunction{Name: t.Name, Description: t.Description, Parameters: t.Input}}
	}
	return out
}

// answered returns the text of a model's answer, if it has text, and its token count.
func (v *view) answered(e session.ModelAnswered) []outMessage {
	var list []outMessage
	if text := turns.TextOf(e.Message.Parts); text != "" {
		list = append(list, outMessage{sdkapi.WSAssistantMessageFull, e.Turn, sdkapi.WSAssistantMessage{Content: text, Cut: e.End == ""}})
	}
	return append(list, outMessage{sdkapi.WSTokenCount, e.Turn, tokenCount(e.Usage, e.Tokens)})
}

// tokenCount counts the tokens of an answer and of the conversation including it. An estimated
// count does not include the hidden thoughts of the model.
func tokenCount(u models.Usage, conversation int) sdkapi.WSTokenCountPayload {
	count := sdkapi.WSTokenCountPayload{
		PromptTokens: u.Prompt(), VisibleOutputTokens: u.Output, OutputTokensTotal: u.Output + u.Reasoning,
		TotalTokens: u.Total(), ConversationTokens: max(conversation, u.Total()), UsageSource: "provider",
	}
	switch {
	case u.Estimated, u.Total() == 0:
		// The provider sent no usage, for example because the answer was canceled.
		count.UsageSource = "estimated"
	case u.Reasoning > 0:
		count.ThinkingTokens = &u.Reasoning
	}
	return count
}

// approval returns the message that asks the user. If the client may not know this message, a text
// message that every client shows asks first.
func (v *view) approval(e session.ApprovalRequested) []outMessage {
	var list []outMessage
	if v.explains && !v.settled {
		list = append(list, outMessage{sdkapi.WSStreamingResponse, e.Turn, sdkapi.WSTextPayload{Text: askInWords(e), Notice: true}})
	}
	return append(list, outMessage{sdkapi.WSApprovalRequest, e.Turn, sdkapi.WSApprovalRequestPayload{
		ToolName: e.Tool, Parameters: e.Arguments, RequestID: e.Decision, Reason: e.Reason, ExpiresAt: e.Expires,
		Metadata: sdkapi.WSToolCallMetadata{ToolCallID: e.Call}, Answered: v.settled,
	}})
}

// maxArgumentsTold is the maximum length of the arguments in askInWords, in bytes.
const maxArgumentsTold = 1000

// askInWords describes a request for approval in text and says where to answer. It omits the
// decision's id, so the text alone is not enough to answer.
func askInWords(e session.ApprovalRequested) string {
	arguments := plaintext.Short(plaintext.Text(string(e.Arguments)), maxArgumentsTold)
	return fmt.Sprintf("\n[Windie asks: may %s be called with %s? The reason for asking: %s. To see all of it and answer, run: windie approvals. "+
		"Without an answer in time it is not called.]\n", plaintext.Text(e.Tool), arguments, plaintext.Text(e.Reason))
}

// toolCall returns the message for a call that the client runs. The calls of a bundle arrive as
// consecutive events. They become one message, returned with the last call.
func (v *view) toolCall(e session.ToolRequested) []outMessage {
	if e.Bundle == "" {
		return []outMessage{{sdkapi.WSToolCall, e.Turn, sdkapi.WSToolCallPayload{
			ToolName: e.Tool, Parameters: e.Arguments, RequestID: e.Decision, Metadata: sdkapi.WSToolCallMetadata{ToolCallID: e.Call},
			Answered: v.settled, Risk: riskTold(e), Reason: e.Reason,
		}}}
	}
	if e.Bundle != v.open {
		v.open, v.bundle = e.Bundle, nil
	}
	v.bundle = append(v.bundle, sdkapi.WSBundleTool{Name: e.Tool, Args: e.Arguments, Risk: riskTold(e), Reason: e.Reason})
	if !e.Last {
		return nil
	}
	defer func() { v.open, v.bundle = "", nil }()
	return []outMessage{{sdkapi.WSToolBundle, e.Turn, sdkapi.WSToolBundlePayload{BundleID: e.Bundle, Tools: v.bundle, Answered: v.settled}}}
}

// riskTold returns the risk of a call about which the client should ask its user, or empty if it
// need not ask.
func riskTold(e session.ToolRequested) string {
	if e.Reason == "" {
		return ""
	}
	return string(e.Risk)
}

// toolOutput returns the message for the result of a call. The last artifact of the result becomes
// the screenshot.
func (v *view) toolOutput(e session.ToolEnded) []outMessage {
	text := turns.OutputOf(e.Result.Parts)
	metadata := map[string]any{}
	for name, value := range e.Result.Metadata {
		metadata[name] = value
	}
	metadata["tool_call_id"], metadata["outcome"] = e.Call, e.Outcome
	payload := sdkapi.WSToolOutputPayload{ToolName: e.Tool, Success: !e.Result.IsError, ExecutionTime: e.Seconds, Output: text, Metadata: metadata}
	if e.Result.IsError {
		payload.Error = &text
	}
	for _, p := range e.Result.Parts {
		if p.Artifact != "" {
			payload.ScreenshotRef = p.Artifact
		}
	}
	return []outMessage{{sdkapi.WSToolOutput, e.Turn, payload}}
}

// ended returns the message that ends a turn. If the turn did not end normally, an error message comes first.
func (v *view) ended(e session.TurnEnded) []outMessage {
	var list []outMessage
	if e.Reason != session.EndDone {
		list = append(list, outMessage{sdkapi.WSError, e.Turn, sdkapi.WSErrorPayload{Message: e.Message, Code: e.Code, Reason: string(e.Reason), Details: sdkapi.ErrorDetails{ResetsAt: e.Resets}}})
	}
	complete := map[string]string{}
	if e.Answer != "" {
		complete["final_response"] = e.Answer
	}
	return append(list, outMessage{sdkapi.WSStreamingComplete, e.Turn, complete})
}

// socketMessage returns a message with a new id.
func socketMessage(kind string, payload any) (sdkapi.WSMessage, error) {
	raw, err := sockets.WireJSON(strictbody.Lists(payload))
	return sdkapi.WSMessage{ID: gateway.NewRequestID(), Type: kind, Payload: raw, Timestamp: time.Now().UTC().Format(time.RFC3339Nano)}, err
}
