package toolhost

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Several clients may listen to one session, but each call must run once. So a client gets a call
// only while it holds the session's lease. Its gateway renews the lease while a call is open. The
// lease belongs to the client's name: a client that reconnects gets its open call again. If several
// listeners at this gateway have the same name, only the newest gets calls.

// hostTTL is the lifetime of a lease. After a client leaves, another client gets the calls once
// hostTTL has passed.
const hostTTL = 30 * time.Second

// unnamed is the name of all clients that send no clientId. The gateway treats them as one client.
const unnamed = "unnamed"

// place identifies the client of a session. Listeners with the same place replace each other.
type place struct{ session, client string }

// listener sends the events of a session to one client.
type listener struct {
	*client
	at      place
	accepts map[string]bool // message types that the client understands
	runs    map[string]bool // tools that the client runs; nil for all
	watches bool            // the client runs no tools
	send    func(sdkapi.AgentMessage) error

	known int64 // last event when the client connected; earlier requests may already be answered
	after int64 // messages up to this seq are not sent
	again bool  // the client may already have a part of the first answer

	// Locked while a message is written, which can take as long as the client reads.
	mu      sync.Mutex
	waiting *session.ToolRequested // the call that the turn waits for, or nil
	seq     int64                  // the event of waiting
	sent    string                 // decision of the call that was sent, or needs no sending
	last    time.Time              // time of the last message

	// Guards the fields below; never locked during a write, so incoming messages do not wait.
	ends    sync.Mutex
	ended   string // turn whose end was sent last, until its delivery is confirmed
	endedAt time.Time
}

// documented are the message types that every client understands.
var documented = []string{sdkapi.AgentSessionCreated, sdkapi.AgentDelta, sdkapi.AgentDone, sdkapi.AgentToolCall, sdkapi.AgentError, sdkapi.AgentHeartbeat}

// listener returns a listener for c that is not entered yet. Each client understands the documented message types;
// accept adds others.
func (c *client) listener(clientID string, accept []string) *listener {
	l := &listener{client: c, at: place{c.id, cmp.Or(clientID, unnamed)}, accepts: map[string]bool{}}
	for _, kind := range slices.Concat(documented, accept) {
		l.accepts[kind] = true
	}
	return l
}

// from chooses which past events to send, and returns the event after which to start. With a
// cursor, the client gets the messages after it. Without a cursor, it gets the last turn again if
// that turn runs, or if the client may not have its end. shows says whether a client of this
// transport confirms that it got an end; if not, an ended turn is never sent again.
func (l *listener) from(state *session.State, cursor *int64, shows bool) (int64, error) {
	l.known = state.Seq
	begin := max(state.Began-1, 0)
	if cursor != nil {
		l.after = *cursor
		if state.Turn == nil {
			return l.after, nil
		}
		return min(begin, l.after), nil // always includes the call that the turn waits for
	}
	if state.Began == 0 {
		return state.Seq, nil
	}
	said, err := l.saidIn(state)
	if err != nil {
		return 0, err
	}
	if state.Turn == nil && !shows {
		return state.Seq, nil
	}
	if state.Turn == nil {
		heard, err := l.Sessions.WasHeard(l.ctx, l.id, said)
		if heard || err != nil {
			return state.Seq, err
		}
	}
	l.again, l.replayed = true, textOf(said)
	return begin, nil
}

// listen sends the events after begin. It returns when ctx ends, or when the server drains and no
// turn runs in the session.
func (l *listener) listen(ctx context.Context, begin int64) error {
	if !l.watches {
		l.enter(l)
		defer l.leave(l)
	}
	ctx, cancel := context.WithCancel(ctx)
	var ticks sync.WaitGroup
	ticks.Go(func() { l.beat(ctx) })
	defer ticks.Wait()
	defer cancel()
	return l.FollowSession(ctx, l.id, begin, func(e journal.Event) (enough bool, err error) {
		err = l.show(ctx, e)
		return err != nil, err
	})
}

// show sends the messages for one event.
func (l *listener) show(ctx context.Context, at journal.Event) error {
	switch at.Kind {
	case session.KindSystemPrompt, session.KindUserMessage, session.KindToolSchemas, session.KindModelAnswered:
		return nil // frequent or large, and never shown: not worth decoding
	}
	event, err := session.Decode(at)
	if err != nil {
		l.Core.Log.Error("cannot convert an event for the client", slog.String("session", l.name), slog.Int64("seq", at.Seq), slog.Any("err", err))
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(event, at.Seq)
	list := slices.DeleteFunc(view(event), func(m sdkapi.AgentMessage) bool { return !l.accepts[m.Head().Type] })
	for i, m := range list {
		h := m.Head()
		if h.Seq = at.Seq - 1; i == len(list)-1 {
			h.Seq = at.Seq
		}
		if h.Seq <= l.after {
			continue
		}
		if d, ok := m.(*sdkapi.AgentDeltaMessage); ok && l.again && d.Type == sdkapi.AgentDelta {
			d.Restart, l.again = true, false
		}
		if approval, ok := m.(*sdkapi.AgentApprovalMessage); ok && at.Seq <= l.known {
			answered, err := l.Answered(ctx, approval.ApprovalID)
			if err != nil {
				return err // the client reconnects and gets the request then
			}
			if answered {
				continue
			}
		}
		if err := l.emit(m); err != nil {
			return err
		}
	}
	if e, ok := event.(session.TurnEnded); ok && at.Seq > l.after {
		l.sentEnd(e.Turn)
	}
	return l.advance(ctx)
}

// sentEnd records that the end of a turn was sent.
func (l *listener) sentEnd(turn string) {
	l.ends.Lock()
	defer l.ends.Unlock()
	l.ended, l.endedAt = turn, time.Now()
}

// note updates the call that the turn waits for.
func (l *listener) note(event session.Event, seq int64) {
	switch e := event.(type) {
	case session.ToolRequested:
		l.waiting, l.seq = &e, seq
	case session.ToolEnded:
		if l.waiting != nil && l.waiting.Call == e.Call {
			l.waiting = nil
		}
	case session.TurnStarted, session.TurnEnded, session.Resync:
		l.waiting = nil
	}
}

// emit sends one message. l.mu is locked.
func (l *listener) emit(m sdkapi.AgentMessage) error {
	m.Head().SessionID = l.name
	l.last = time.Now()
	return l.send(m)
}

// advance sends the call that the turn waits for, if this client must run it and was not sent it
// yet. l.mu is locked.
func (l *listener) advance(ctx context.Context) error {
	w := l.waiting
	if w == nil || l.sent == w.Decision || l.watches || l.runs != nil && !l.runs[w.Tool] {
		return nil
	}
	if l.seq <= l.known {
		answered, err := l.Answered(ctx, w.Decision)
		if err != nil {
			return err
		}
		if answered {
			l.sent = w.Decision
			return nil
		}
	}
	if !l.isNewest(l) {
		return nil
	}
	if held, err := l.hold(ctx); !held || err != nil {
		return err
	}
	if l.seq > l.known {
		if err := l.charge(ctx); err != nil {
			err = l.answer(w.Decision, session.Result{IsError: true, NotRun: true, Parts: []session.Part{{Text: "Not run: " + fault.From(err).Message + "."}}})
			if err == nil {
				l.sent = w.Decision
			}
			return err
		}
	}
	l.sent = w.Decision
	m := toolCall(*w)
	m.Seq = l.seq
	return l.emit(m)
}

// charge counts one call against the limits of the session and of its user, per minute. It returns
// RATE_LIMITED if a limit is reached.
func (l *listener) charge(ctx context.Context) error {
	if got := l.calls.Take(l.id, 1); !got.OK {
		return fault.New(op, sdkapi.RateLimited, "a session may call its client's tools at most %d times per minute; try again in %d s", sdkapi.MaxAgentCalls, int(got.Retry.Seconds())+1).After(got.Retry)
	}
	return gateway.RequestOf(ctx).Quota.TakeCall()
}

// hold acquires or renews the lease on the session's calls. It returns false if another client
// holds the lease.
func (l *listener) hold(ctx context.Context) (bool, error) {
	_, err := l.Journal.Lease(ctx, session.HostLease(l.id), l.at.client, hostTTL)
	if fault.CodeOf(err) == sdkapi.LeaseHeld {
		return false, nil
	}
	return err == nil, err
}

// beat sends heartbeats until ctx ends. At each tick it also takes over an open call if the lease
// of its client has expired.
func (l *listener) beat(ctx context.Context) {
	every := min(l.heartbeat, hostTTL/2)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := l.tick(ctx, every); err != nil && ctx.Err() == nil {
			l.Core.Log.Debug("the tool host's connection ended with an error", slog.String("session", l.name), slog.Any("err", err))
		}
	}
}

// tick renews the lease of an open call, sends a call that the client can now take over, and sends a heartbeat if no
// message was sent for the duration every.
func (l *listener) tick(ctx context.Context, every time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting != nil && l.sent == l.waiting.Decision && !l.watches && l.isNewest(l) {
		if _, err := l.hold(ctx); err != nil {
			return err
		}
	}
	if err := l.advance(ctx); err != nil || time.Since(l.last) < every {
		return err
	}
	return l.emit(&sdkapi.AgentHeartbeatMessage{AgentHead: head(sdkapi.AgentHeartbeat, "")})
}

// heard returns the turn whose end the client must have received, as something arrived from it at
// since. It returns each turn once, and empty if there is no such turn.
func (l *listener) heard(since time.Time) (turn string) {
	l.ends.Lock()
	defer l.ends.Unlock()
	if l.ended == "" || since.Before(l.endedAt) {
		return ""
	}
	turn, l.ended = l.ended, ""
	return turn
}

// enter adds a listener to its place, as the newest.
func (s *door) enter(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[l.at] = append(s.listeners[l.at], l)
}

// leave removes a listener from its place.
func (s *door) leave(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(s.listeners[l.at], func(other *listener) bool { return other == l })
	if s.listeners[l.at] = left; len(left) == 0 {
		delete(s.listeners, l.at)
	}
}

// isNewest reports whether l is the newest listener with its session and name.
func (s *door) isNewest(l *listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.listeners[l.at]
	return len(all) > 0 && all[len(all)-1] == l
}
