package desktop

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/windieos/windie/agent/envelope"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// said is the content of a query.
type said struct {
	parts []session.Part
	workspace
}

// workspace describes the user's working folder, from a message. Fields that the message omits
// keep their previous values.
type workspace struct {
	path       string
	repository []session.Instruction
	toldOfRepo bool
}

// maxRehydrated is the maximum number of messages in a history that a client sends.
const maxRehydrated = 2000

// rehydrate replaces the conversation's history with the client's.
func (c *client) rehydrate(p sdkapi.WSRehydratePayload) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	switch {
	case p.Messages == nil:
		return fault.New("gateway.ws", sdkapi.ValidationError, "the history is missing: messages must be a list").
			At("payload.messages", "expected a list of messages; [] clears the conversation")
	case len(p.Messages) > maxRehydrated || p.Mode != "" && p.Mode != "replace":
		return fault.New("gateway.ws", sdkapi.ValidationError, "invalid history: expected at most %d messages, and \"replace\" as the rehydrate_mode", maxRehydrated)
	}
	messages, err := c.server.history(c.ctx, c.store, p.Messages, "payload.messages")
	if err != nil {
		return err
	}
	in, err := workspaceOf(append(slices.Clone(p.Messages), sdkapi.HistoryMessage{WorkspacePath: p.WorkspacePath, RepoInstructionMessages: p.RepoInstructionMessages}), "payload")
	if err != nil {
		return err
	}
	state, err := c.ready(id, in)
	if err == nil {
		err = c.attach(p.ConversationRef, id, unanswered(state))
	}
	if err != nil {
		return err
	}
	return c.server.Sessions.Replace(c.ctx, id, c.user, messages)
}

// history converts a client's stored messages to session messages.
func (s *door) history(ctx context.Context, store artifacts.Store, list []sdkapi.HistoryMessage, at string) ([]session.Message, error) {
	if err := checkHistory(list, at); err != nil {
		return nil, err
	}
	var messages []session.Message
	for i, m := range list {
		said := outputText(m.Content)
		var parts []session.Part
		if m.ScreenshotRef != "" {
			if err := checkScreenshot(ctx, store, m.ScreenshotRef, fmt.Sprintf("%s[%d].screenshot_ref", at, i)); err != nil {
				s.Core.Log.Warn("a screenshot in the client's history is omitted", slog.String("artifact", m.ScreenshotRef), slog.Any("err", err))
			} else {
				parts = append(parts, session.Part{Artifact: m.ScreenshotRef})
			}
		}
		role := models.Role(m.Role)
		switch role {
		case models.User:
			parts = append(parts, envelope.Parse(said, "").Parts()...)
		case models.ToolRole: // models refuse a tool result without its call, which is unknown here
			role = models.User
			parts = append(parts, session.Part{Text: "Tool result:"}, turns.UntrustedText(m.ToolName+"\n"+said))
		default:
			parts = append(parts, session.Part{Text: said})
		}
		messages = append(messages, session.Message{Role: role, Parts: parts})
	}
	return messages, nil
}

// The allowed roles and types of history entries. An entry's type has no effect.
var (
	historyRoles = []string{string(models.User), string(models.Assistant), string(models.ToolRole)}
	historyTypes = []string{"", "user_query", "assistant_response", "tool_output", "context_compaction"}
)

// maxWrong is the maximum number of invalid entries that an error lists.
const maxWrong = 20

// checkHistory returns an error if entries have no content or an unknown role or type.
func checkHistory(list []sdkapi.HistoryMessage, at string) error {
	f := fault.New("gateway.history", sdkapi.ValidationError, "the history has invalid entries; details.fields lists the problems")
	for i, m := range list {
		entry := fmt.Sprintf("%s[%d]", at, i)
		if !slices.Contains(historyRoles, m.Role) {
			f = f.At(entry+".role", "expected %s", strings.Join(historyRoles, ", "))
		}
		if m.Content == nil {
			f = f.At(entry+".content", "expected this field, which is required")
		}
		if !slices.Contains(historyTypes, m.MessageType) {
			f = f.At(entry+".message_type", "expected no value, or %s", strings.Join(historyTypes[1:], ", "))
		}
		if len(f.Details.Fields) >= maxWrong {
			break
		}
	}
	if len(f.Details.Fields) > 0 {
		return f
	}
	return nil
}

// maxWorkspace is the maximum length of a workspace's path, in bytes.
const maxWorkspace = 4 << 10

// workspaceOf returns the workspace. Path and instructions come from the last message that
// contains each.
func workspaceOf(list []sdkapi.HistoryMessage, at string) (workspace, error) {
	var in workspace
	var repository []sdkapi.RepoInstruction
	for _, m := range list {
		if m.WorkspacePath != "" {
			in.path = m.WorkspacePath
		}
		if m.RepoInstructionMessages != nil {
			repository, in.toldOfRepo = m.RepoInstructionMessages, true
		}
	}
	if len(in.path) > maxWorkspace {
		return in, fault.New("gateway.query", sdkapi.ValidationError, "the workspace_path is too long").At(at+".workspace_path", "expected at most %d bytes", maxWorkspace)
	}
	var err error
	in.repository, err = envelope.Instructions(repository, at+".repo_instruction_messages")
	return in, err
}

// into returns settings with the workspace. A field that the message omitted keeps its value from
// the previous settings, before.
func (in workspace) into(settings, before session.Settings) session.Settings {
	settings.Workspace, settings.Repository = before.Workspace, before.Repository
	if in.path != "" {
		settings.Workspace = in.path
	}
	if in.toldOfRepo {
		settings.Repository = in.repository
	}
	return settings
}

// message converts a query to the parts of a message: the screenshots, then the envelope. The
// envelope separates the user's words from the context that the client added.
func (s *door) message(ctx context.Context, store artifacts.Store, p sdkapi.WSQueryPayload, at string) (said, error) {
	var q said
	if err := envelope.CheckContext(p.QueryContext, at+".query_context"); err != nil {
		return q, err
	}
	e := envelope.Structured(p.QueryContext, p.Text)
	if p.Content != "" {
		written := envelope.Parse(p.Content, p.Text)
		e.Query, e.Sections = written.Query, append(e.Sections, written.Sections...)
	}
	if e.Query == "" {
		return q, fault.New("gateway.query", sdkapi.ValidationError, "the query is missing: the field text must contain at least one character")
	}
	refs, named := p.ScreenshotRefs, at+".screenshot_refs"
	if p.ScreenshotRef != "" && len(refs) == 0 {
		refs, named = []string{p.ScreenshotRef}, at+".screenshot_ref"
	}
	for _, ref := range refs {
		if err := checkScreenshot(ctx, store, ref, named); err != nil {
			return q, err
		}
		q.parts = append(q.parts, session.Part{Artifact: ref})
	}
	q.parts = append(q.parts, e.Parts()...)
	var err error
	q.workspace, err = workspaceOf([]sdkapi.HistoryMessage{{WorkspacePath: p.WorkspacePath, RepoInstructionMessages: p.RepoInstructionMessages}}, at)
	return q, err
}
