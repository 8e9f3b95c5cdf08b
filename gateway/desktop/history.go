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

// said is what a query gives a conversation.
type said struct {
	parts []session.Part
	workspace
}

// workspace is where the user works, as far as a message says. Fields that the
// message leaves out stay as they were.
type workspace struct {
	path       string
	repository []session.Instruction
	toldOfRepo bool
}

// maxRehydrated bounds a history that a client sends.
const maxRehydrated = 2000

// rehydrate puts the client's history in place of the gateway's.
func (c *client) rehydrate(p sdkapi.WSRehydratePayload) error {
	id, err := c.conversation(p.ConversationRef)
	if err != nil {
		return err
	}
	switch {
	case p.Messages == nil:
		return fault.New("gateway.ws", sdkapi.ValidationError, "there is no history to put in place of the conversation's").
			At("payload.messages", "expected a list of messages; [] forgets all that was said")
	case len(p.Messages) > maxRehydrated || p.Mode != "" && p.Mode != "replace":
		return fault.New("gateway.ws", sdkapi.ValidationError, "a history has at most %d messages, and its rehydrate_mode is replace", maxRehydrated)
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

// history converts messages that a client kept to those of a session.
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
				s.Core.Log.Warn("a screenshot of a history is left out", slog.String("artifact", m.ScreenshotRef), slog.Any("err", err))
			} else {
				parts = append(parts, session.Part{Artifact: m.ScreenshotRef})
			}
		}
		role := models.Role(m.Role)
		switch role {
		case models.User:
			parts = append(parts, envelope.Parse(said, "").Parts()...)
		case models.ToolRole: // its call is unknown, and a result without one is refused by models
			role = models.User
			parts = append(parts, session.Part{Text: "Tool result:"}, turns.UntrustedText(m.ToolName+"\n"+said))
		default:
			parts = append(parts, session.Part{Text: said})
		}
		messages = append(messages, session.Message{Role: role, Parts: parts})
	}
	return messages, nil
}

// What the entries of a history may be. The type of one changes nothing.
var (
	historyRoles = []string{string(models.User), string(models.Assistant), string(models.ToolRole)}
	historyTypes = []string{"", "user_query", "assistant_response", "tool_output", "context_compaction"}
)

// maxWrong bounds how many wrong entries of a history an error lists.
const maxWrong = 20

// checkHistory refuses entries without content, or of an unknown role or type.
func checkHistory(list []sdkapi.HistoryMessage, at string) error {
	f := fault.New("gateway.history", sdkapi.ValidationError, "the history has invalid entries; details.fields says which")
	for i, m := range list {
		entry := fmt.Sprintf("%s[%d]", at, i)
		if !slices.Contains(historyRoles, m.Role) {
			f = f.At(entry+".role", "expected %s", strings.Join(historyRoles, ", "))
		}
		if m.Content == nil {
			f = f.At(entry+".content", "expected this field, which is required")
		}
		if !slices.Contains(historyTypes, m.MessageType) {
			f = f.At(entry+".message_type", "expected none, or %s", strings.Join(historyTypes[1:], ", "))
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

// maxWorkspace bounds the path of a workspace, in bytes.
const maxWorkspace = 4 << 10

// workspaceOf returns the workspace by the last messages that name its path and its instructions.
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

// into adds the workspace to settings: fields that in does not know are as before.
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

// message converts a query to the parts of a message: the screenshots first, then
// the envelope, which marks what the client added to the user's words.
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
		return q, fault.New("gateway.query", sdkapi.ValidationError, "a query needs text")
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
