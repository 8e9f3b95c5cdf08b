package desktop

import (
	"context"
	"log/slog"
	"sync"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// watcher sends one conversation's events to a client.
type watcher struct {
	cancel context.CancelFunc
	gone   chan struct{} // closed when the watcher has stopped sending
	used   int           // higher for more recent use; used by the reader only

	mu    sync.Mutex
	turns map[string]bool // known turns that run or are queued
}

// stop stops the watcher and waits until it sends no more. It never stops between two messages
// of the same event.
func (w *watcher) stop() {
	w.cancel()
	<-w.gone
}

// stopped reports whether the watcher has stopped sending.
func (w *watcher) stopped() bool {
	select {
	case <-w.gone:
		return true
	default:
		return false
	}
}

// tasks returns the number of the conversation's turns that the client waits for.
func (w *watcher) tasks() int {
	if w.stopped() {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.turns)
}

// start calls begin to begin a turn, and records the turn. It holds the lock, so that note cannot
// see the turn's end first. If begin returns no turn, because the message was a repetition, start
// records nothing.
func (w *watcher) start(begin func() (session.Started, error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	started, err := begin()
	if err == nil && started.Turn != "" {
		w.turns[started.Turn] = true
	}
	return err
}

// note updates turns for an event.
func (w *watcher) note(event session.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case session.TurnStarted:
		w.turns[e.Turn] = true
	case session.TurnEnded:
		delete(w.turns, e.Turn)
	case session.Resync: // the events with their ends are lost
		clear(w.turns)
	}
}

// admitTask fails with OVERLOADED if the client waits for the maximum number of turns.
func (c *client) admitTask() error {
	tasks := 0
	for _, w := range c.watched {
		tasks += w.tasks()
	}
	if tasks >= sdkapi.MaxWSTasks {
		return fault.New("gateway.ws", sdkapi.Overloaded, "this connection is already waiting for %d answers, which is the maximum; wait until one of them is complete, or open another connection", sdkapi.MaxWSTasks)
	}
	return nil
}

// watch starts to send a conversation's events: the earlier ones that past selects, and all later
// ones. If the client already watches the conversation, watch changes nothing, unless anew is set.
func (c *client) watch(ref, id string, past past, anew bool) (*watcher, error) {
	c.uses++
	w := c.watched[ref]
	if !anew && c.watches(ref) {
		w.used = c.uses
		return w, nil
	}
	if w != nil {
		w.stop()
		delete(c.watched, ref)
	} else if err := c.makeRoom(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	w = &watcher{cancel: cancel, gone: make(chan struct{}), used: c.uses, turns: map[string]bool{}}
	if past.turn != "" {
		w.turns[past.turn] = true
	}
	c.watched[ref] = w
	c.socket.Watching.Add(1)
	c.all.Go(func() { c.follow(ctx, w, ref, id, past) })
	return w, nil
}

// watches reports whether the client watches a conversation.
func (c *client) watches(ref string) bool {
	w := c.watched[ref]
	return w != nil && !w.stopped()
}

// attach watches the conversation of a client's message. If the client already watches the
// maximum number of conversations, attach does not watch this one and returns no error, so that
// the message itself still succeeds.
func (c *client) attach(ref, id string, past past) error {
	_, err := c.watch(ref, id, past, false)
	if fault.CodeOf(err) == sdkapi.Overloaded {
		c.log().Debug("the conversation is not watched: the connection watches the maximum number", slog.String("conversation_ref", ref), slog.Any("err", err))
		return nil
	}
	return err
}

// makeRoom stops watching one conversation if the client watches the maximum number. It picks
// the least recently used one without open turns.
func (c *client) makeRoom() error {
	if len(c.watched) < sdkapi.MaxWSTasks {
		return nil
	}
	oldest, found := "", false
	for ref, w := range c.watched {
		if w.tasks() == 0 && (!found || w.used < c.watched[oldest].used) {
			oldest, found = ref, true
		}
	}
	if !found {
		return fault.New("gateway.ws", sdkapi.Overloaded, "this connection watches %d conversations with running turns, which is the maximum; open another connection", sdkapi.MaxWSTasks)
	}
	c.watched[oldest].stop()
	delete(c.watched, oldest)
	return nil
}

// follow sends a session's events until ctx ends, or until the server drains and this gateway no
// longer works on the session. It reads events only as fast as the client receives them.
func (c *client) follow(ctx context.Context, w *watcher, ref, id string, past past) {
	defer c.socket.Watching.Add(-1)
	defer close(w.gone)
	defer w.cancel()
	view := &view{explains: c.settings.Unaware, turn: past.turn, query: past.query}
	err := c.server.FollowSession(ctx, id, past.after, func(at journal.Event) (enough bool, err error) {
		e, err := session.Decode(at)
		if err != nil {
			c.cannotShow(at.Seq, err)
			return false, nil
		}
		w.note(e) // first, since the client may respond as soon as it gets the event
		more, err := c.show(view, &past, ref, at.Seq, e)
		c.say(ref, e)
		return !more, err
	})
	if err != nil && ctx.Err() == nil {
		c.tell(sdkapi.WSError, sdkapi.WSErrorPayload{Message: fault.From(err).Message, Code: fault.CodeOf(err), ConversationRef: ref})
	}
}

// show sends the messages of the event seq. more is false if the client can receive nothing more.
func (c *client) show(view *view, past *past, ref string, seq int64, e session.Event) (more bool, err error) {
	asked := askedBy(e)
	if view.settled, err = c.answered(past, seq, asked); err != nil {
		return false, err
	}
	messages, err := view.messages(ref, seq, e)
	if err != nil {
		c.cannotShow(seq, err)
		return true, nil
	}
	if past.hides(seq, asked, view.settled) {
		return true, nil
	}
	for _, m := range messages {
		if sent := c.socket.WaitForRoom() && c.socket.Send(m) == nil; !sent {
			return false, nil
		}
	}
	return true, nil
}

// cannotShow logs why the event seq cannot be sent to the client.
func (c *client) cannotShow(seq int64, err error) {
	c.log().Error("cannot convert an event for the client", slog.Int64("seq", seq), slog.Any("err", err))
}
