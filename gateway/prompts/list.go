package prompts

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// The ids in lists are enough to approve tool calls, so in local mode lists require the key.

// listing describes a GET route that lists a user's data.
func (s *door) listing(id, path, summary, description string) huma.Operation {
	schemes := map[string][]string{gateway.UserScheme: {}}
	for _, also := range s.Core.AsksForKey() {
		maps.Copy(schemes, also)
	}
	return huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{tag}, Security: []map[string][]string{schemes},
		Summary: summary, Description: description, Errors: []int{401, 403, 422, 503},
	}
}

// Paged holds the query parameters that select a page of a list. It is exported because huma
// ignores unexported embedded types.
type Paged struct {
	After string `query:"after" maxLength:"300" doc:"Value of \"next\" in the previous page."`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of items."`
}

// page identifies the last entry of a page: its creation or update time and its id. The zero
// value means the start of the list.
type page struct {
	at time.Time
	id string
}

// String returns the cursor of the next page.
func (p page) String() string { return fmt.Sprintf("%d-%s", p.at.UnixMicro(), p.id) }

// parsePage parses a cursor of a list. An empty cursor means the start.
func parsePage(cursor string) (page, error) {
	if cursor == "" {
		return page{}, nil
	}
	first, id, _ := strings.Cut(cursor, "-")
	micros, err := strconv.ParseInt(first, 10, 64)
	if err != nil || id == "" {
		return page{}, fault.New("gateway.prompts", sdkapi.ValidationError, "invalid page cursor in the query parameter \"after\"; list again without this parameter").
			At("query.after", "expected the field next of the previous page")
	}
	return page{time.UnixMicro(micros), id}, nil
}

// Between holds the query parameters that restrict a list to a time range. Since is inclusive,
// Until is exclusive; a zero time means no bound.
type Between struct {
	Since time.Time `query:"since" doc:"Only items from this time or later."`
	Until time.Time `query:"until" doc:"Only items from before this time."`
}

// addPromptList registers the route that lists a user's prompts. A local gateway requires its key.
func (s *door) addPromptList() {
	gateway.RegisterJSON(s.Core, s.listing("list-prompts", sdkapi.PromptsPath, "List prompts",
		"Lists the user's prompts, newest first, for example to find a lost id."), s.listPrompts)
}

type listInput struct {
	Status         string `query:"status" enum:"running,waiting_for_approval,completed,failed,canceled" doc:"Only prompts with this status."`
	ConversationID string `query:"conversationId" maxLength:"128" doc:"Only prompts of this conversation."`
	Between
	Paged
}

// Limits of updating the statuses of listed prompts.
const (
	maxOpenPages = 5         // pages of open prompts to read for one page of running prompts
	staleAfter   = time.Hour // few prompts stay open for longer
)

// listPrompts returns one page of the user's prompts, newest first. The table has one status for
// running and waiting prompts. So for these statuses listPrompts filters up to maxOpenPages pages,
// and its own page may have fewer than Limit prompts although there is a next page.
func (s *door) listPrompts(ctx context.Context, in *listInput) (*sdkapi.PromptList, error) {
	user, err := gateway.UserOf(ctx)
	if err != nil {
		return nil, err
	}
	q := promptlist.Query{User: user, Conversation: in.ConversationID, Since: in.Since, Until: in.Until, After: in.After, Limit: in.Limit}
	pages := 1
	switch in.Status {
	case "":
	case sdkapi.PromptRunning, sdkapi.PromptWaiting:
		q.Status, pages = promptlist.Open, maxOpenPages
	default:
		q.Status = promptlist.Status(in.Status)
		if err := s.settleOpen(ctx, user); err != nil {
			return nil, err
		}
	}
	out := sdkapi.PromptList{Prompts: []sdkapi.PromptSummary{}}
	for range pages {
		page, err := s.prompts.List(ctx, q)
		if err != nil {
			return nil, err
		}
		out.Next, q.After = page.Next, page.Next
		for i, e := range page.Entries {
			told, err := s.summary(ctx, e)
			switch {
			case err != nil:
				return nil, err
			case in.Status != "" && told.Status != in.Status:
				continue
			}
			out.Prompts = append(out.Prompts, told)
			if len(out.Prompts) == in.Limit && (i < len(page.Entries)-1 || page.Next != "") {
				out.Next = promptlist.CursorOf(e)
				return &out, nil
			}
		}
		if page.Next == "" {
			break
		}
	}
	return &out, nil
}

// settleOpen updates the status of a user's open prompts: the newest, which may have just
// ended, and those older than staleAfter, whose gateway may have died before it stored the end.
func (s *door) settleOpen(ctx context.Context, user string) error {
	q := promptlist.Query{User: user, Status: promptlist.Open, Limit: promptlist.MaxLimit}
	for {
		page, err := s.prompts.List(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if _, err := s.summary(ctx, e); err != nil {
				return err
			}
		}
		if page.Next == "" || !q.Until.IsZero() {
			return nil
		}
		q.Until = time.Now().Add(-staleAfter)
	}
}

// summary returns the wire form of an entry of the list. It reads the status of an open prompt
// from the session, because the prompt may have ended since.
func (s *door) summary(ctx context.Context, e promptlist.Entry) (sdkapi.PromptSummary, error) {
	out := sdkapi.PromptSummary{ID: e.ID, ConversationID: e.Conversation, Status: string(e.Status), Input: e.Input, CreatedAt: e.Began()}
	ended := e.Ended()
	if e.Status == promptlist.Open {
		var err error
		if out.Status, ended, err = s.statusOf(ctx, e); err != nil {
			return out, err
		}
	}
	if !ended.IsZero() {
		out.EndedAt = &ended
	}
	return out, nil
}

// statusOf returns the current status of a prompt that is listed as open, and the time of its
// end; zero while it is open. If the prompt has ended, statusOf stores that in the list.
func (s *door) statusOf(ctx context.Context, e promptlist.Entry) (status string, ended time.Time, err error) {
	p, ok := parsePromptID(e.UserID, e.ID)
	if !ok {
		return "", ended, noPrompt(e.ID)
	}
	state, err := s.Sessions.State(ctx, p.session(), p.user)
	if err != nil {
		return "", ended, err
	}
	if state.Turn != nil && state.Began == p.seq {
		for _, c := range state.Turn.Calls {
			if c.Phase == session.CallAsked {
				return sdkapi.PromptWaiting, ended, nil
			}
		}
		return sdkapi.PromptRunning, ended, nil
	}
	status, ended = sdkapi.PromptFailed, e.Began() // the journal no longer has the prompt
	known, v, err := s.known(ctx, p)
	switch {
	case fault.CodeOf(err) == sdkapi.PromptNotFound:
	case err != nil:
		return "", ended, err
	case !v.ended.IsZero():
		status, ended = known.Status, v.ended
	}
	return status, ended, s.prompts.Ended(ctx, e.UserID, e.ID, promptlist.Status(status), ended)
}
