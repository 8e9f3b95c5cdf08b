package prompts

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

func (s *door) addConversationList() {
	gateway.RegisterJSON(s.Server, huma.Operation{
		OperationID: "list-conversations", Method: http.MethodGet, Path: sdkapi.ConversationsPath, Tags: []string{tag}, Security: s.asksForUserAndKey(),
		Summary: "List the conversations", Description: "Lists a user's conversations, the most recently updated first. " +
			"The times are those at which something was last said. What was said, the list of prompts tells by conversationId.",
		Errors: []int{401, 403, 422, 503},
	}, s.listConversations)
}

type conversationListInput struct {
	Between
	Paged
}

func (s *door) listConversations(ctx context.Context, in *conversationListInput) (*sdkapi.ConversationPages, error) {
	user, err := gateway.UserOf(ctx)
	if err != nil {
		return nil, err
	}
	behind, err := parseConversationCursor(in.After)
	if err != nil {
		return nil, err
	}
	list, err := s.Config.Conversations.List(ctx, user, conversation.MaxPerUser, 0)
	if err != nil {
		return nil, err
	}
	out := sdkapi.ConversationPages{Conversations: []sdkapi.ConversationSummary{}}
	for _, c := range list {
		switch {
		case c.Updated.Before(in.Since), !in.Until.IsZero() && !c.Updated.Before(in.Until), !behind(c):
		case len(out.Conversations) == in.Limit:
			last := out.Conversations[in.Limit-1]
			out.Next = fmt.Sprintf("%d-%s", last.UpdatedAt.UnixMicro(), last.ID)
			return &out, nil
		default:
			out.Conversations = append(out.Conversations, summary(c))
		}
	}
	return &out, nil
}

// parseConversationCursor returns what tells the conversations behind a cursor.
func parseConversationCursor(cursor string) (behind func(conversation.Conversation) bool, err error) {
	if cursor == "" {
		return func(conversation.Conversation) bool { return true }, nil
	}
	first, id, _ := strings.Cut(cursor, "-")
	micros, err := strconv.ParseInt(first, 10, 64)
	if err != nil || id == "" {
		return nil, noPage("gateway.conversations")
	}
	last := time.UnixMicro(micros)
	return func(c conversation.Conversation) bool {
		return c.Updated.Before(last) || c.Updated.Equal(last) && c.ID > id
	}, nil
}

func noPage(op string) error {
	return fault.New(op, sdkapi.ValidationError, "there is no such page; begin again without after").
		At("query.after", "expected what the page before had as next")
}
