package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/desktop"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/upstream"
	"github.com/windieos/windie/state/retention"
)

// minRetention is the shortest retention.
const minRetention = time.Hour

// openRetention returns the store that deletes old data and the data of users. Its parts are all
// kinds of stored data, in the order of deletion.
func (s *state) openRetention(c *config, log *slog.Logger, opts retention.Options) *retention.Store {
	ids, list := identity.Open(s.db), conversation.Open(s.journal)
	opts.Log, opts.Erased = log, s.audit.ErasedUser
	parts := []retention.Part{
		// first, so that nobody can act for the user any longer
		{Name: "users", Erase: deleteUser(ids), Settles: true},
		{Name: "sessions", Erase: s.eraseSessions, Prune: s.pruneGeneral, TTL: c.afterTurns(gateway.DefaultSessionIdle)},
		{Name: "decisions", Erase: s.journal.ForgetUser, Prune: s.journal.Forget, TTL: c.Retention},
		{Name: "conversations", Erase: list.EraseUser, Prune: s.pruneConversations(list), TTL: c.afterTurns(c.Retention)},
		{Name: "prompts", Erase: s.prompts.EraseUser, Prune: s.prunePrompts, TTL: c.afterTurns(c.Retention)},
		{Name: "runs", Erase: s.runs.EraseUser, Prune: s.runs.Prune, TTL: c.Retention},
		{Name: "responses", Erase: s.responses.EraseUser, Prune: s.responses.Prune, TTL: c.Retention},
		{Name: "settings", Erase: func(ctx context.Context, user string) (int64, error) {
			return desktop.EraseSettings(ctx, s.journal, user)
		}},
		{Name: "keys", Erase: s.once.EraseUser},
		{Name: "artifacts", Erase: s.artifacts.EraseUser, Prune: s.artifacts.Prune, TTL: c.ArtifactTTL},
		{Name: "memory", Erase: s.memory.EraseUser},
		{Name: "connections", Erase: func(ctx context.Context, user string) (int64, error) { return upstream.EraseUser(ctx, s.db, user) }},
		{Name: "values", Erase: s.values.EraseUser},
		{Name: "spending", Erase: s.ledger.EraseUser},
		{Name: "audit", Erase: s.audit.EraseUser, Prune: s.audit.Prune, TTL: c.AuditTTL},
	}
	for i, p := range parts {
		parts[i].Usage, parts[i].UsageOf, parts[i].Most, parts[i].Least = s.usageOf(p.Name), s.usageOfUser(p.Name), c.quotas()[p.Name], c.afterTurns(minRetention)
	}
	return retention.Open(s.db, parts, opts)
}

// afterTurns returns the age at which something may be deleted: age, but at least the time limit of
// a turn plus a minute. 0 means never. A turn that waits for a person records no events, but it has
// ended after that time.
func (c *config) afterTurns(age time.Duration) time.Duration {
	if age == 0 {
		return 0
	}
	return max(age, c.Agent.WallTime+time.Minute)
}

// deleteUser deletes a user with all tokens. It does not count a user who is already deleted.
func deleteUser(ids *identity.Identity) func(ctx context.Context, user string) (int64, error) {
	return func(ctx context.Context, user string) (int64, error) {
		err := ids.DeleteUser(ctx, user)
		if fault.CodeOf(err) == sdkapi.NotFound {
			return 0, nil
		}
		return 1, err
	}
}

// forgetAfter is how long a gateway leaves the memory of a deleted user to the process that deletes
// the user.
const forgetAfter = 15 * time.Second

// forgetter returns a function that makes this gateway forget a deleted user. It works until ctx
// ends.
func (s *state) forgetter(ctx context.Context, scenes *perception.Scenes, log *slog.Logger) func(user string) {
	return func(user string) {
		scenes.Forget(user)
		background.Start(ctx, func(ctx context.Context) { s.forget(ctx, user, log) })
	}
}

// forget makes this gateway forget a user, whom another process may have deleted. It first waits for
// forgetAfter.
func (s *state) forget(ctx context.Context, user string, log *slog.Logger) {
	s.artifacts.Forget(user)
	if background.Sleep(ctx, forgetAfter) != nil {
		return
	}
	if _, err := s.memory.EraseUser(ctx, user); err != nil { // the memory folder may be local to this gateway
		log.Warn("cannot delete the memory of a deleted user", slog.Any("err", err))
	}
}

// eraseSessions deletes a user's sessions from the journal, and returns their number.
func (s *state) eraseSessions(ctx context.Context, user string) (int64, error) {
	return session.EraseUser(ctx, s.journal, user)
}

// Prefixes of session ids by protocol. An id with promptSessions names a prompt or a conversation.
const (
	promptSessions  = "api/"
	generalSessions = "v1/"
	desktopSessions = "ws/"
	hostSessions    = "host/"
)

// isConversation reports whether a session id names a conversation. pruneConversations deletes only
// these.
func isConversation(id string) bool { return strings.Contains(id, "/conv_") }

// isPrompt reports whether a session id of promptSessions names a prompt outside of any
// conversation.
func isPrompt(id string) bool { return !isConversation(id) }

// anySession selects all sessions of a prefix.
func anySession(string) bool { return true }

// pruneGeneral deletes old sessions of the general agent service, or counts them if dry is set. A
// session is old if its last event is earlier than the time before.
func (s *state) pruneGeneral(ctx context.Context, before time.Time, dry bool) (int64, error) {
	return session.Prune(ctx, s.journal, generalSessions, anySession, before, dry)
}

// prunePrompts deletes old prompts from sessions and from the list, like pruneConversations.
func (s *state) prunePrompts(ctx context.Context, before time.Time, dry bool) (int64, error) {
	removed, err := session.Prune(ctx, s.journal, promptSessions, isPrompt, before, dry)
	_, failed := s.prompts.Prune(ctx, before, dry)
	return removed, errors.Join(err, failed)
}

// pruneConversations deletes old conversations from sessions and from lists. A failure does not
// stop the others; the error joins all failures.
func (s *state) pruneConversations(list *conversation.Conversations) func(ctx context.Context, before time.Time, dry bool) (int64, error) {
	return func(ctx context.Context, before time.Time, dry bool) (int64, error) {
		removed, err := session.Prune(ctx, s.journal, promptSessions, isConversation, before, dry)
		_, prompts := s.prompts.PruneConversations(ctx, before, dry)
		_, talks := list.Prune(ctx, before, dry)
		err = errors.Join(err, prompts, talks)
		for _, kind := range []string{desktopSessions, hostSessions} {
			more, failed := session.Prune(ctx, s.journal, kind, anySession, before, dry)
			removed, err = removed+more, errors.Join(err, failed)
		}
		return removed, err
	}
}
