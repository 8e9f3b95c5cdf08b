package desktop

import (
	"context"
	"strings"

	"github.com/windieos/windie/agent/envelope"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// previewPrompt returns the prompt of a query. It stores nothing and sends nothing to a model.
func (s *door) previewPrompt(ctx context.Context, r *sdkapi.PromptRequest) (*sdkapi.PromptPreview, error) {
	_, out, _, err := s.preview(ctx, r)
	return out, err
}

// planQuery returns the prompt of a query, the message that a client would send at /ws for this
// query, and the messages that the gateway would send before the model's answer.
func (s *door) planQuery(ctx context.Context, r *sdkapi.PromptRequest) (*sdkapi.QueryPlan, error) {
	query, out, shown, err := s.preview(ctx, r)
	if err != nil {
		return nil, err
	}
	plan := &sdkapi.QueryPlan{PromptPreview: *out, QueryMessage: sdkapi.PlannedQuery{Type: sdkapi.WSQuery, Payload: query}}
	view := &view{}
	for _, e := range shown.Shown {
		messages, err := view.messages(query.ConversationRef, 0, e)
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			plan.TransparencyEvents = append(plan.TransparencyEvents, sdkapi.PlannedEvent{Type: m.Type, Payload: m.Payload})
		}
	}
	return plan, nil
}

// preview builds the prompt of a query without sending it, with the code that builds real ones.
func (s *door) preview(ctx context.Context, r *sdkapi.PromptRequest) (sdkapi.WSQueryPayload, *sdkapi.PromptPreview, *session.Preview, error) {
	query, before := queryIn(r)
	in, err := s.introspect(ctx, Overrides{r.UserID, r.ModelID, r.ModelProvider, r.InteractionMode}, r.AgentDefinition)
	if err != nil {
		return query, nil, nil, err
	}
	draft := session.Draft{User: in.user}
	store, err := s.Core.StoreOf(ctx)
	if err == nil {
		draft.History, err = s.history(ctx, store, before, "body.messages")
	}
	var message said
	if err == nil {
		message, err = s.message(ctx, store, query, "body")
	}
	known := session.Settings{}
	if err == nil {
		draft.Session, known, err = s.conversationSettings(ctx, in.user, r.ConversationRef)
	}
	if err != nil {
		return query, nil, nil, err
	}
	if r.IncludeTools != nil && !*r.IncludeTools {
		in.settings.Only, in.settings.Tools = []string{turns.NoTools}, nil
	}
	draft.Parts, draft.Settings = message.parts, message.into(in.settings, known)
	shown, err := s.Sessions.Preview(ctx, draft)
	if err != nil {
		return query, nil, nil, err
	}
	out := s.wirePreview(in.config, draft.Settings, shown)
	if r.IncludeTools != nil && !*r.IncludeTools {
		out.CanonicalToolSchemas = []sdkapi.FunctionSchema{}
	}
	return query, out, shown, nil
}

// queryIn returns a request's query in the form of /ws, and the messages before it.
func queryIn(r *sdkapi.PromptRequest) (query sdkapi.WSQueryPayload, before []sdkapi.HistoryMessage) {
	query = sdkapi.WSQueryPayload{
		Text: r.UserQueryRaw, ConversationRef: r.ConversationRef, QueryContext: r.QueryContext, ScreenshotRefs: r.ScreenshotRefs,
		WorkspacePath: r.WorkspacePath, RepoInstructionMessages: r.RepoInstructionMessages,
	}
	before = r.Messages
	last := len(before) - 1
	if last < 0 || before[last].Role != string(models.User) {
		return query, before
	}
	m := before[last]
	before = before[:last]
	if m.ScreenshotRef != "" && len(query.ScreenshotRefs) == 0 {
		query.ScreenshotRef = m.ScreenshotRef
	}
	written := envelope.Parse(outputText(m.Content), query.Text)
	query.Text = written.Query
	if len(written.Sections) > 0 {
		query.Content = outputText(m.Content)
	}
	return query, before
}

// conversationSettings returns the id of a conversation's session and the session's settings, if
// the session exists.
func (s *door) conversationSettings(ctx context.Context, user, ref string) (string, session.Settings, error) {
	if ref == "" {
		return "", session.Settings{}, nil
	}
	id, err := conversationOf(user, ref, "body")
	if err != nil {
		return "", session.Settings{}, err
	}
	state, err := s.Sessions.State(ctx, id, user)
	if fault.CodeOf(err) == sdkapi.SessionNotFound {
		return id, session.Settings{}, nil
	}
	if err != nil {
		return id, session.Settings{}, err
	}
	return id, state.Settings, nil
}

// wirePreview returns the wire form of a preview.
func (s *door) wirePreview(config sdkapi.ConfigSnapshot, settings session.Settings, shown *session.Preview) *sdkapi.PromptPreview {
	total, t := shown.Tokens.Total(), shown.Tokens
	out := &sdkapi.PromptPreview{
		Config: config, SystemPrompt: shown.Request.System, PromptTokenCount: &total, TokenCountSource: "estimated",
		TokenCounts: sdkapi.TokenCounts{System: t.System, Tools: t.Tools, RepoInstructions: t.Repository, History: t.History, Memory: t.Memory, Query: t.Query},
	}
	for _, m := range shown.Request.Messages {
		out.PromptMessages = append(out.PromptMessages, wireMessage(m))
	}
	out.CanonicalToolSchemas, out.ProviderToolSchemas = s.canonical(settings), offered(shown)
	for _, e := range shown.Shown {
		if user, is := e.(session.UserMessage); is {
			full := userMessageFull(user)
			out.UserMessageFull = &full
		}
	}
	return out
}

// wireMessage returns the wire form of a message in a model's request.
func wireMessage(m models.Message) sdkapi.PromptMessage {
	out := sdkapi.PromptMessage{Role: string(m.Role)}
	out.Content, out.Images = textAndImages(m.Parts)
	for _, p := range m.Parts {
		switch {
		case p.Thought != nil:
			out.Thinking += p.Thought.Text
		case p.Call != nil:
			out.ToolCalls = append(out.ToolCalls, sdkapi.PromptToolCall{ID: p.Call.ID, Name: p.Call.Name, Arguments: p.Call.Arguments})
		case p.Result != nil:
			r := sdkapi.PromptToolResult{ToolCallID: p.Result.CallID, Name: p.Result.Name, IsError: p.Result.IsError}
			r.Content, r.Images = textAndImages(p.Result.Parts)
			out.ToolResults = append(out.ToolResults, r)
		}
	}
	return out
}

// textAndImages returns the joined texts of parts and the number of images.
func textAndImages(parts []models.Part) (string, int) {
	var text strings.Builder
	images := 0
	for _, p := range parts {
		text.WriteString(p.Text)
		if p.Image != nil {
			images++
		}
	}
	return text.String(), images
}
