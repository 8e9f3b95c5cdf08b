package prompts

import (
	"context"
	"math"
	"strconv"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// maxPromptsBytes is the maximum size, in bytes, of the events behind the prompts of one
// response: half of what a tool may return.
const maxPromptsBytes = agent.MaxStructured / 2

// conversationTools returns the tools with which clients manage conversations. Models are not
// offered them, because a model works within one conversation.
func (s *door) conversationTools() []agent.Tool {
	all := s.conversations
	return []agent.Tool{
		conversationTool(sdkapi.ConversationCreate, "Start a conversation. Send its id as conversationId with each prompt.",
			func(ctx context.Context, user string, _ struct{}) (sdkapi.ConversationID, error) {
				made, err := all.Create(ctx, user)
				return sdkapi.ConversationID{ID: made.ID}, err
			}),
		conversationTool(sdkapi.ConversationList, "List conversations, most recently updated first. A local gateway requires its key.",
			func(ctx context.Context, user string, in sdkapi.ConversationPage) (sdkapi.ConversationSummaries, error) {
				if err := s.Core.CheckKey(ctx); err != nil {
					return sdkapi.ConversationSummaries{}, err // a conversation's id is enough to approve its tool calls
				}
				list, err := all.List(ctx, user, in.Limit, in.Offset)
				out := sdkapi.ConversationSummaries{Conversations: make([]sdkapi.ConversationSummary, len(list))}
				for i, c := range list {
					out.Conversations[i] = summary(c)
				}
				return out, err
			}),
		conversationTool(sdkapi.ConversationGet, "Get the last prompts of a conversation with their results; earlier ones with a cursor.", s.getConversation),
		conversationTool(sdkapi.ConversationDelete, "Delete a conversation with its prompts and their content. A running prompt is canceled.",
			func(ctx context.Context, user string, in sdkapi.ConversationNamed) (sdkapi.ConversationDeleted, error) {
				_, gone, err := s.removeConversation(ctx, user, in.ConversationID)
				return sdkapi.ConversationDeleted{Deleted: gone}, err
			}),
	}
}

// conversationTool returns a safe tool that only API clients can call, not models. work gets the
// user of the call.
func conversationTool[In, Out any](name, description string, work func(ctx context.Context, user string, in In) (Out, error)) agent.Tool {
	about := agent.Descriptor{Name: name, Description: description, Risk: agent.Safe, APIOnly: true}
	return agent.Func(about, func(ctx context.Context, call agent.Call, in In) (Out, error) { return work(ctx, call.User, in) })
}

// summary returns the wire form of a conversation, without its prompts.
func summary(c conversation.Conversation) sdkapi.ConversationSummary {
	return sdkapi.ConversationSummary{ID: c.ID, CreatedAt: c.Created, UpdatedAt: c.Updated}
}

// getConversation returns the last prompts of a conversation. With a cursor, it returns the prompts
// before the cursor. The cursor of another conversation fails with VALIDATION_ERROR.
func (s *door) getConversation(ctx context.Context, user string, in sdkapi.ConversationGetPage) (out sdkapi.Conversation, err error) {
	c, err := s.conversations.Get(ctx, user, in.ConversationID)
	if err != nil {
		return out, fault.At(err, "arguments.conversationId", "expected the id of one of your conversations")
	}
	before := int64(math.MaxInt64)
	if in.Cursor != "" {
		found := idForm.FindStringSubmatch(in.Cursor)
		if found == nil || found[1] != c.ID {
			return out, fault.New("gateway.conversations", sdkapi.ValidationError, "%q is not a cursor of this conversation; start again without cursor", plain.Cut(in.Cursor, 100)).
				At("arguments.cursor", "expected the nextCursor of an earlier response")
		}
		if before, err = strconv.ParseInt(found[2], 10, 64); err != nil {
			return out, err
		}
	}
	out.ConversationSummary = summary(c)
	var left bool
	out.Prompts, left, out.Truncated, err = s.promptsOf(ctx, ref{user, c.ID, before}, in.Limit)
	if left {
		out.NextCursor = out.Prompts[0].ID
	}
	return out, err
}

// promptsOf returns the last prompts of a conversation before end, oldest first. most limits their
// number, and maxPromptsBytes limits their size, except for a single prompt. left reports whether
// it omitted earlier prompts. truncated reports whether prompts are missing, because it omitted
// them or because the journal trimmed them.
func (s *door) promptsOf(ctx context.Context, end ref, most int) (list []sdkapi.Prompt, left, truncated bool, err error) {
	list = []sdkapi.Prompt{}
	var sizes []int
	var open *view
	total := 0
	for e, err := range s.Events(ctx, end.session(), 0) {
		if err != nil {
			return nil, false, false, err
		}
		if e.Seq >= end.seq {
			break
		}
		truncated = truncated || e.Kind == journal.Resync
		if e.Kind == session.KindTurnStarted {
			open = s.view(ref{end.user, end.part, e.Seq}, false)
			list, sizes = append(list, *newPrompt(open)), append(sizes, 0)
		}
		if open == nil || !open.ended.IsZero() {
			continue
		}
		if err := addToPrompt(&list[len(list)-1], open, e); err != nil {
			return nil, false, false, err
		}
		sizes[len(sizes)-1] += len(e.Data)
		for total += len(e.Data); len(list) > 1 && (len(list) > most || total > maxPromptsBytes); left = true {
			total -= sizes[0]
			list, sizes = list[1:], sizes[1:]
		}
	}
	return list, left, truncated || left, nil
}
