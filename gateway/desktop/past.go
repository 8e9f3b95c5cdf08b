package desktop

import (
	"slices"

	"github.com/windieos/windie/agent/session"
)

// past says which events of a conversation are sent to a client, of those that
// were there when the client came to it. Later events are sent in any case.
type past struct {
	seq   int64    // of the last event of then
	turn  string   // that was open then; empty for none
	query string   // that began it; empty if none did
	open  []string // the decisions that the turn waited for then
	after int64    // no event up to this one is looked at

	waiting bool   // only requests that still wait for an answer are sent
	behind  string // only what comes behind the request of that decision is sent
	again   bool   // requests that nobody waits for are not sent
}

// pastOf is the past of a conversation after an event, all of which is sent.
func pastOf(state *session.State, after int64) past {
	past := past{seq: state.Seq, after: after}
	if state.Turn == nil {
		return past
	}
	past.turn, past.query = state.Turn.ID, state.QueryID()
	for _, c := range state.Turn.Calls {
		if c.Decision != "" {
			past.open = append(past.open, c.Decision)
		}
	}
	return past
}

// unanswered is the past for a client that comes to a turn which is open, and
// may not know what the turn waits for. Of a turn that has ended it is nothing.
func unanswered(state *session.State) past {
	past := pastOf(state, state.Seq)
	if past.waiting = len(past.open) > 0; past.waiting {
		past.after = max(state.Began-1, 0)
	}
	return past
}

// againOf is the past for a client that says again what the last turn began
// with: that turn, without what was asked and is answered.
func againOf(state *session.State) past {
	past := pastOf(state, max(state.Began-1, 0))
	past.again = true
	return past
}

// restOf is the past for a client that answers a decision: what came of it so
// far. Of a turn before the last one it is nothing.
func restOf(state *session.State, decision string) past {
	past := pastOf(state, max(state.Began-1, 0))
	past.behind = decision
	return past
}

// asking identifies a request to the client. The steps of a bundle are answered
// in their order, so that its last one says whether the bundle is.
type asking struct {
	Decision, Bundle string
	Last             bool // of its bundle
}

// askedBy returns what an event asks; the zero value if it is no request.
func askedBy(event session.Event) asking {
	switch e := event.(type) {
	case session.ApprovalRequested:
		return asking{Decision: e.Decision}
	case session.ToolRequested:
		return asking{Decision: e.Decision, Bundle: e.Bundle, Last: e.Last}
	}
	return asking{}
}

// hides reports whether the messages of the event with the number seq are not
// sent. Answered says of a request that nobody waits for its answer.
func (p *past) hides(seq int64, a asking, answered bool) bool {
	switch {
	case seq > p.seq:
		return false
	case p.behind != "":
		if a.Decision == p.behind && a.Bundle == "" || a.Bundle == p.behind && a.Last {
			p.behind = ""
		}
		return true
	}
	return p.waiting && a.Decision == "" || (p.waiting || p.again) && answered
}

// answered reports whether nobody waits for the answer to a request of the past
// any longer: it is there, or the turn has ended.
func (c *client) answered(p *past, seq int64, a asking) (bool, error) {
	switch {
	case a.Decision == "" || seq > p.seq:
		return false, nil
	case !slices.Contains(p.open, a.Decision):
		return true, nil
	}
	return c.server.Answered(c.ctx, a.Decision)
}
