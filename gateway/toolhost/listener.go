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

// Several clients may listen to one session, and each call must be run once. So a client gets a call only while it
// holds the session's lease, which a gateway keeps for it while a call waits. The lease is by the client's name: one
// that comes back gets the call that it had. Of several listeners of one name at this gateway, the newest gets calls.

// hostTTL is how long a client may be away before another one gets the calls.
const hostTTL = 30 * time.Second

// unnamed is the name of the clients that give none: they count as one that comes back.
const unnamed = "unnamed"

// place is where listeners take each other's place: a client of a session.
type place struct{ session, client string }

// listener is a client that is sent what happens in a session.
type listener struct {
	*client
	at      place
	accepts map[string]bool // types of messages beyond the document
	runs    map[string]bool // tools that it runs; nil for all
	watches bool            // it runs none
	send    func(sdkapi.AgentMessage) error

	known int64 // the last event when it came: what was asked until then may have its answer
	after int64 // no message up to this one is sent
	again bool  // what it is sent first, it may have had in part

	mu      sync.Mutex             // held while a message leaves, which takes as long as the client takes to read
	waiting *session.ToolRequested // the call that the turn waits for; nil for none
	seq     int64                  // of its event
	sent    string                 // the decision of the call that needs no sending any longer
	last    time.Time              // when something was sent

	ends    sync.Mutex // of what follows; held for moments, so that what the client sends never waits
	ended   string     // the turn whose end was sent last, if nothing shows yet that it arrived
	endedAt time.Time
}

// documented are the types of messages that every client knows.
var documented = []string{sdkapi.AgentSessionCreated, sdkapi.AgentDelta, sdkapi.AgentDone, sdkapi.AgentToolCall, sdkapi.AgentError, sdkapi.AgentHeartbeat}

func (c *client) listener(clientID string, accept []string) *listener {
	l := &listener{client: c, at: place{c.id, cmp.Or(clientID, unnamed)}, accepts: map[string]bool{}}
	for _, kind := range slices.Concat(documented, accept) {
		l.accepts[kind] = true
	}
	return l
}

// from chooses what of the past is sent: what comes after a cursor, or without one the turn whose end the client may
// not have. It returns the event to begin behind.
// Who cannot show that an end arrived gets no turn again that has ended.
func (l *listener) from(state *session.State, cursor *int64, shows bool) (int64, error) {
	l.known = state.Seq
	begin := max(state.Began-1, 0)
	if cursor != nil {
		l.after = *cursor
		if state.Turn == nil {
			return l.after, nil
		}
		return min(begin, l.after), nil // the call that the turn waits for is sent in any case
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

// listen sends the events behind one until ctx ends, or the server drains and nobody works on the session.
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

// show sends the messages about an event.
func (l *listener) show(ctx context.Context, at journal.Event) error {
	switch at.Kind {
	case session.KindSystemPrompt, session.KindUserMessage, session.KindToolSchemas, session.KindModelAnswered:
		return nil // the most or the largest events, without a case in view: they are not decoded
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
				return err // the client comes again, and gets the question
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

// sentEnd notes that a turn's end was sent.
func (l *listener) sentEnd(turn string) {
	l.ends.Lock()
	defer l.ends.Unlock()
	l.ended, l.endedAt = turn, time.Now()
}

// note keeps track of the call that the turn waits for.
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

// emit sends one message.
func (l *listener) emit(m sdkapi.AgentMessage) error {
	m.Head().SessionID = l.name
	l.last = time.Now()
	return l.send(m)
}

// advance sends the call that the turn waits for, if the client is the one to run it and does not have it.
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
	l.sent = w.Decision
	if l.seq > l.known {
		if err := l.charge(ctx); err != nil {
			return l.answer(w.Decision, session.Result{IsError: true, NotRun: true, Parts: []session.Part{{Text: "Not run: " + fault.From(err).Message + "."}}})
		}
	}
	m := toolCall(*w)
	m.Seq = l.seq
	return l.emit(m)
}

// charge takes a call from what the session, and its user, may have in a minute.
func (l *listener) charge(ctx context.Context) error {
	if got := l.calls.Take(l.id, 1); !got.OK {
		return fault.New(op, sdkapi.RateLimited, "a session may call its client's tools at most %d times per minute; try again in %d s", sdkapi.MaxAgentCalls, int(got.Retry.Seconds())+1).After(got.Retry)
	}
	return gateway.RequestOf(ctx).Quota.TakeCall()
}

// hold takes or keeps the lease of the session's calls, and reports whether it is the client's.
func (l *listener) hold(ctx context.Context) (bool, error) {
	_, err := l.Journal.Lease(ctx, session.HostLease(l.id), l.at.client, hostTTL)
	if fault.CodeOf(err) == sdkapi.LeaseHeld {
		return false, nil
	}
	return err == nil, err
}

// beat sends heartbeats, and takes up calls whose client is gone, until ctx ends.
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

// heard returns the turn whose end the client has got since a time, if that is not noted yet.
func (l *listener) heard(since time.Time) (turn string) {
	l.ends.Lock()
	defer l.ends.Unlock()
	if l.ended == "" || since.Before(l.endedAt) {
		return ""
	}
	turn, l.ended = l.ended, ""
	return turn
}

// enter takes in a listener.
func (s *door) enter(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[l.at] = append(s.listeners[l.at], l)
}

// leave takes out a listener.
func (s *door) leave(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(s.listeners[l.at], func(other *listener) bool { return other == l })
	if s.listeners[l.at] = left; len(left) == 0 {
		delete(s.listeners, l.at)
	}
}

// isNewest reports whether no newer listener has l's name.
func (s *door) isNewest(l *listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.listeners[l.at]
	return len(all) > 0 && all[len(all)-1] == l
}
