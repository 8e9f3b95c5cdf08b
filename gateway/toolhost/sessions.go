package toolhost

import (
	"context"
	"crypto/rand"
	"net/http"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

const tag = "remote tool host"

// about describes a route for the API document.
func about(id, method, path, summary, description string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{tag}, Summary: summary, Description: description, Errors: append(errors, 403, 422, 503),
	}
}

// addSessions registers the routes that create, list, show and delete sessions.
func (s *door) addSessions() {
	gateway.RegisterJSON(s.Core, about("agent-session", http.MethodPost, sdkapi.AgentSessionsPath, "Create a session",
		"A session holds a conversation with the agent and the tools of its client. Its WebSocket is `/api/agent/sessions/{id}/stream`."), s.create)
	gateway.RegisterJSON(s.Core, about("agent-sessions", http.MethodGet, sdkapi.AgentSessionsPath, "List sessions",
		"Lists the user's sessions, each with its first message. The list has no order."), s.list)
	gateway.RegisterJSON(s.Core, about("get-agent-session", http.MethodGet, sdkapi.AgentSessionPath, "Get a session",
		"Returns one session, as in the list.", 404), s.get)
	gateway.RegisterJSON(s.Core, about("delete-agent-session", http.MethodDelete, sdkapi.AgentSessionPath, "Delete a session",
		"Cancels the open turn and deletes all messages.", 404), s.remove)
}

var sessionIDs = regexp.MustCompile(`^as_[a-z2-7]{26}$`)

// find returns the caller's session as a client, with its state. It fails with SESSION_NOT_FOUND if
// the caller has no such session.
func (s *door) find(ctx context.Context, name string) (*client, *session.State, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	gone := fault.New(op, sdkapi.SessionNotFound, "there is no session %q; create one with POST %s", plain.Cut(name, 100), sdkapi.AgentSessionsPath).
		At("path.id", "expected the sessionId of a session of yours")
	if !sessionIDs.MatchString(name) {
		return nil, nil, gone
	}
	c := &client{door: s, ctx: ctx, user: user, id: session.HostOf(user) + name, name: name}
	state, err := s.Sessions.State(ctx, c.id, user)
	if fault.CodeOf(err) == sdkapi.SessionNotFound {
		err = gone
	}
	return c, state, err
}

// create creates an empty session with a new random id. Until a client's hello, its model has no tools.
func (s *door) create(ctx context.Context, _ *struct{}) (*sdkapi.AgentSession, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	name := "as_" + strings.ToLower(rand.Text())
	settings := session.Settings{Only: []string{turns.NoTools}, ClientAsks: true, Unaware: true, OneByOne: true}
	return &sdkapi.AgentSession{SessionID: name}, s.Sessions.Create(ctx, session.HostOf(user)+name, user, settings)
}

type sessionPage struct {
	After string `query:"after" maxLength:"40" doc:"Value of \"next\" in the previous page."`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of items."`
}

// list returns one page of the caller's sessions. A session that is deleted meanwhile has only its id and time.
func (s *door) list(ctx context.Context, in *sessionPage) (*sdkapi.AgentSessionList, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	prefix, after := session.HostOf(user), ""
	if in.After != "" {
		if !sessionIDs.MatchString(in.After) {
			return nil, fault.New(op, sdkapi.ValidationError, "invalid page cursor in the query parameter \"after\"; list again without this parameter").At("query.after", "expected the field next of the previous page")
		}
		after = prefix + in.After
	}
	found, err := session.List(ctx, s.Journal, prefix, after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &sdkapi.AgentSessionList{Sessions: []sdkapi.AgentSessionInfo{}}
	for i, one := range found {
		if i == in.Limit {
			out.Next = strings.TrimPrefix(found[i-1].ID, prefix)
			break
		}
		state, err := s.Sessions.State(ctx, one.ID, user)
		if fault.CodeOf(err) == sdkapi.SessionNotFound { // deleted since the list was read
			continue
		}
		if err != nil {
			return nil, err
		}
		info := infoOf(strings.TrimPrefix(one.ID, prefix), state)
		info.UsedAt = one.Used
		out.Sessions = append(out.Sessions, info)
	}
	return out, nil
}

// maxTitle is the maximum length of a session's title, in bytes. The title is the start of the
// user's first message.
const maxTitle = 100

// infoOf returns the information about a session, without UsedAt.
func infoOf(name string, state *session.State) sdkapi.AgentSessionInfo {
	info := sdkapi.AgentSessionInfo{SessionID: name, WorkspaceRoot: state.Settings.Workspace, Running: state.Turn != nil, Seq: state.Seq}
	for _, m := range state.Messages {
		if m.Role == models.User {
			info.Title = plain.OneLine(turns.TextOf(m.Parts), maxTitle)
			break
		}
	}
	return info
}

// SessionNamed is the path parameter with a session's id. It is exported because huma ignores
// unexported embedded types.
type SessionNamed struct {
	ID string `path:"id" maxLength:"64" doc:"Id of the session."`
}

// get returns the information about one session. UsedAt is the time of its last event.
func (s *door) get(ctx context.Context, in *SessionNamed) (*sdkapi.AgentSessionInfo, error) {
	c, state, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	info := infoOf(in.ID, state)
	last, err := s.Sessions.Read(ctx, c.id, state.Seq-1)
	if len(last) > 0 {
		info.UsedAt = last[0].Time
	}
	return &info, err
}

// remove deletes one session of the caller. It fails with SESSION_NOT_FOUND if there is none.
func (s *door) remove(ctx context.Context, in *SessionNamed) (*sdkapi.Deleted, error) {
	c, _, err := s.find(ctx, in.ID)
	if err == nil {
		err = s.Sessions.Delete(ctx, c.id, c.user)
	}
	if err != nil {
		return nil, err
	}
	return &sdkapi.Deleted{Deleted: true, Removed: 1}, nil
}
