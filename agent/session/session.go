// Package session runs conversations of users with models: messages, calls of tools, and the
// decisions of users and clients about these calls.
//
//	sessions := session.New(session.Config{Journal: log, Tools: registry, Model: catalogue.Model})
//	turn, err := sessions.Start(ctx, "s1", "ada", []session.Part{{Text: "Click on Send"}}, session.Reject)
//	for event, err := range sessions.Follow(ctx, "s1", 0) { ... }
//
// A session is a stream of the journal. Its State is derived from its events; periodic snapshots
// make long conversations fast to load. A turn is a user's message with everything up to the
// answer; the turn continues if the client's connection ends. The gateway with the turn's lease
// works on the turn. If that gateway dies, another gateway takes over. Protocols are views of the
// events, and answer the journal's decisions.
package session

import (
	"context"
	"iter"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Create creates a session for a user, unless the session exists. It fails with SESSION_NOT_FOUND
// if the session belongs to another user, and with TURN_RUNNING if the session has an open turn.
func (s *Sessions) Create(ctx context.Context, id, user string, settings Settings) error {
	return s.exclusively(ctx, id, func(w *worker) error {
		if w.state.Seq > 0 {
			return s.owns(w.state, user)
		}
		return w.append(ctx, Created{user}, Configured{settings})
	})
}

// Configure replaces a session's settings. It fails with SESSION_NOT_FOUND if the user has no such
// session, and with TURN_RUNNING if a turn is open.
func (s *Sessions) Configure(ctx context.Context, id, user string, settings Settings) error {
	return s.exclusively(ctx, id, func(w *worker) error {
		if err := s.owns(w.state, user); err != nil {
			return err
		}
		return w.append(ctx, Configured{settings})
	})
}

// Replace replaces a session's history. It fails with SESSION_NOT_FOUND if the user has no such
// session, and with TURN_RUNNING if a turn is open.
func (s *Sessions) Replace(ctx context.Context, id, user string, messages []Message) error {
	return s.exclusively(ctx, id, func(w *worker) error {
		if err := s.owns(w.state, user); err != nil {
			return err
		}
		for i := range messages {
			messages[i].Fence = newFence()
		}
		return w.append(ctx, Replaced{messages})
	})
}

// owns returns SESSION_NOT_FOUND for a session that does not exist or belongs to another user.
func (s *Sessions) owns(state *State, user string) error {
	if state.Seq == 0 || state.User != user {
		return fault.New("session", sdkapi.SessionNotFound, "unknown or expired session; start a new one")
	}
	return nil
}

// State returns the current state of a user's session. It fails with SESSION_NOT_FOUND if the user
// has no such session.
func (s *Sessions) State(ctx context.Context, id, user string) (*State, error) {
	state, _, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	return state, s.owns(state, user)
}

// Follow yields a session's events whose numbers are greater than cursor, and then each new event.
// It works like journal.Log.Follow. It does not check the user.
func (s *Sessions) Follow(ctx context.Context, id string, cursor int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range s.cfg.Journal.Follow(ctx, streamOf(id), cursor) {
			if err == nil {
				e, err = s.texts.expand(ctx, id, e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Read returns a session's events whose numbers are greater than cursor. It works like
// journal.Log.Read. It does not check the user.
func (s *Sessions) Read(ctx context.Context, id string, cursor int64) ([]journal.Event, error) {
	list, err := s.cfg.Journal.Read(ctx, streamOf(id), cursor, journal.MaxEvents)
	for i := range list {
		if err == nil {
			list[i], err = s.texts.expand(ctx, id, list[i])
		}
	}
	return list, err
}

// Warn shows a warning to people who watch a user's session. It does not wait for a running turn: a
// warning changes no state, so it may come between any two events.
func (s *Sessions) Warn(ctx context.Context, id, user, message string) error {
	if _, err := s.State(ctx, id, user); err != nil {
		return err
	}
	_, err := s.appendTo(ctx, streamOf(id), Warned{Message: shorten(message, maxWarning)})
	return err
}

// appendTo appends an event to a stream without a lease.
func (s *Sessions) appendTo(ctx context.Context, stream string, e Event) (seq int64, err error) {
	events, err := encode([]Event{e})
	if err != nil {
		return 0, err
	}
	return s.cfg.Journal.Append(ctx, stream, events...)
}

// Bundle returns the steps of a bundle: the tool requests that the client runs in order. The parameter first is the
// decision about the first step. The parameter start is the number of an event before the bundle, or 0. If the bundle
// does not exist, Bundle returns an empty list.
func (s *Sessions) Bundle(ctx context.Context, first journal.Decision, start int64) (steps []ToolRequested, err error) {
	for e, err := range s.events(ctx, first.Stream, start) {
		if err != nil {
			return nil, err
		}
		requested, is, err := As[ToolRequested](e)
		if err != nil {
			return nil, err
		}
		if is && requested.Bundle == first.ID {
			steps = append(steps, requested)
		}
	}
	return steps, nil
}
