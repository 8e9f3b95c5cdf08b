package prompts

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// deleting describes a DELETE route. It requires the same credentials as the lists.
func (s *door) deleting(id, path, summary, description string, errors ...int) huma.Operation {
	doc := s.listing(id, path, summary, description)
	doc.Method, doc.Errors = http.MethodDelete, append(errors, doc.Errors...)
	return doc
}

// addPromptDelete registers the route that deletes a prompt. A local gateway requires its key.
func (s *door) addPromptDelete() {
	gateway.RegisterJSON(s.Core, s.deleting("delete-prompt", sdkapi.PromptsPath+"/{promptId}", "Delete a prompt",
		"Cancels a running prompt, and deletes it with its content. To delete a prompt of a conversation, delete the conversation.", 404, 409), s.deletePrompt)
}

// deletePrompt deletes a prompt: first its session, then its entry in the list. If only the entry is left, because an
// earlier deletion was interrupted, deletePrompt deletes the entry. For a prompt of a conversation, it fails
// with PROMPT_IN_CONVERSATION.
func (s *door) deletePrompt(ctx context.Context, in *PromptNamed) (*sdkapi.Deleted, error) {
	p, _, _, err := s.find(ctx, in.PromptID)
	talk := strings.HasPrefix(p.part, "conv_")
	if fault.CodeOf(err) == sdkapi.PromptNotFound && p.part != "" && !talk && s.prompts != nil {
		found, failed := s.prompts.Delete(ctx, p.user, p.id())
		if failed != nil || found {
			return &sdkapi.Deleted{Deleted: true, Removed: 1}, failed
		}
	}
	if err != nil {
		return nil, err
	}
	if talk {
		return nil, fault.New("gateway.prompts", sdkapi.PromptInConversation, "a single prompt of a conversation cannot be deleted; delete the conversation with DELETE %s/%s", sdkapi.ConversationsPath, p.part)
	}
	if err := s.erase(ctx, p); err != nil {
		return nil, err
	}
	if s.prompts != nil {
		_, err = s.prompts.Delete(ctx, p.user, p.id())
	}
	return &sdkapi.Deleted{Deleted: true, Removed: 1}, err
}

// erase removes the session of a prompt and the idempotency keys of the requests that began its
// turns. It ignores a missing session.
func (s *door) erase(ctx context.Context, p ref) error {
	err := s.Sessions.Delete(ctx, p.session(), p.user)
	if err != nil && fault.CodeOf(err) != sdkapi.SessionNotFound {
		return err
	}
	if s.Once != nil {
		_, err = s.Once.EraseTurns(ctx, p.user, p.part)
		return err
	}
	return nil
}

// addConversationDelete registers the route that deletes a conversation. A local gateway requires
// its key.
func (s *door) addConversationDelete() {
	gateway.RegisterJSON(s.Core, s.deleting("delete-conversation", sdkapi.ConversationsPath+"/{conversationId}", "Delete a conversation",
		"Cancels running prompts of the conversation, and deletes it with all prompts and their content.", 404), s.deleteConversation)
}

type conversationNamed struct {
	ID string `path:"conversationId" maxLength:"128" doc:"Id of the conversation, from conversation.create."`
}

// deleteConversation deletes a conversation of the user, and returns the number of its prompts. An
// unknown id fails with CONVERSATION_NOT_FOUND.
func (s *door) deleteConversation(ctx context.Context, in *conversationNamed) (*sdkapi.Deleted, error) {
	user, err := gateway.UserOf(ctx)
	if err != nil {
		return nil, err
	}
	removed, found, err := s.removeConversation(ctx, user, in.ID)
	if err == nil && !found {
		err = fault.New("gateway.conversations", sdkapi.ConversationNotFound, "there is no conversation %q", plain.Cut(in.ID, 100)).
			At("path.conversationId", "expected the id of one of your conversations")
	}
	if err != nil {
		return nil, err
	}
	return &sdkapi.Deleted{Deleted: true, Removed: removed}, nil
}

// removeConversation removes a user's conversation. It returns the number of removed prompts
// and whether the conversation was found. It removes the entry in the list of conversations
// last, so that an interrupted removal can be repeated.
func (s *door) removeConversation(ctx context.Context, user, id string) (removed int64, found bool, err error) {
	_, err = s.conversations.Get(ctx, user, id)
	switch {
	case fault.CodeOf(err) == sdkapi.ConversationNotFound:
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	if err := s.erase(ctx, ref{user: user, part: id}); err != nil {
		return 0, true, err
	}
	if s.prompts != nil {
		if removed, err = s.prompts.DeleteConversation(ctx, user, id); err != nil {
			return removed, true, err
		}
	}
	_, err = s.conversations.Delete(ctx, user, id)
	return removed, true, err
}
