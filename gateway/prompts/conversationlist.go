package prompts

import (
	"context"

	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// addConversationList registers the route that lists a user's conversations. A local gateway
// requires its key.
func (s *door) addConversationList() {
	gateway.RegisterJSON(s.Core, s.listing("list-conversations", sdkapi.ConversationsPath, "List conversations",
		"Lists the user's conversations, latest message first. For the messages, list the prompts by conversationId."), s.listConversations)
}

type conversationListInput struct {
	Between
	Paged
}

// listConversations returns one page of the user's conversations, latest message first. It reads
// the whole list, which has at most conversation.MaxPerUser entries, and selects the page in
// memory.
func (s *door) listConversations(ctx context.Context, in *conversationListInput) (*sdkapi.ConversationPages, error) {
	user, err := gateway.UserOf(ctx)
	if err != nil {
		return nil, err
	}
	last, err := parsePage(in.After)
	if err != nil {
		return nil, err
	}
	list, err := s.conversations.List(ctx, user, conversation.MaxPerUser, 0)
	if err != nil {
		return nil, err
	}
	out := sdkapi.ConversationPages{Conversations: []sdkapi.ConversationSummary{}}
	for _, c := range list {
		switch {
		case c.Updated.Before(in.Since), !in.Until.IsZero() && !c.Updated.Before(in.Until),
			last.id != "" && !c.Updated.Before(last.at) && (!c.Updated.Equal(last.at) || c.ID <= last.id): // outside the requested time, or on an earlier page
		case len(out.Conversations) == in.Limit:
			shown := out.Conversations[in.Limit-1]
			out.Next = page{shown.UpdatedAt, shown.ID}.String()
			return &out, nil
		default:
			out.Conversations = append(out.Conversations, summary(c))
		}
	}
	return &out, nil
}
