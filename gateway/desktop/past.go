package desktop

import (
	"slices"

	"github.com/windieos/windie/agent/session"
)

// past selects which earlier events of a conversation a client gets when it starts to watch it.
// Later events are always sent.
type past struct {
	seq   int64    // the last event when the client started to watch
	turn  string   // the open turn at that event; empty for none
	query string   // id of the query that began the turn; empty if none did
	open  []string // ids of the decisions that the turn waited for at that event
	after int64    // events up to this number are skipped

	waiting bool   // send only requests that still wait for an answer
	behind  string // send only events after the request of the decision with this id
	again   bool   // do not send requests that are already settled
}

// pastOf returns a past that sends all events after the event after.
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

// unanswered returns the past for a client that joins an open turn: the requests that wait for
// an answer. If the last turn has ended, it sends no earlier events.
func unanswered(state *session.State) past {
	past := pastOf(state, state.Seq)
	if past.waiting = len(past.open) > 0; past.waiting {
		past.after = max(state.Began-1, 0)
	}
	return past
}

// againOf returns the past for a client that repeats the query of the last turn: that turn
// without its settled requests.
func againOf(state *session.State) past {
	past := pastOf(state, max(state.Began-1, 0))
	past.again = true
	return past
}

// restOf returns the past for a client that answers a decision: the events of the last turn
// after the decision's request. It sends no events of earlier turns.
func restOf(state *session.State, decision string) past {
	past := pastOf(state, max(state.Began-1, 0))
	past.behind = decision
	return past
}

// asking identifies a request to the client. The steps of a bundle are answered in order, so a
// bundle is answered when its last step is.
type asking struct {
	Decision, Bundle string
	Last             bool // of its bundle
}

// askedBy returns the request in an event; the zero value if the event is not a request.
func askedBy(event session.Event) asking {
	switch e := event.(type) {
	case session.ApprovalRequested:
		return asking{Decision: e.Decision}
	case session.ToolRequested:
		return asking{Decision: e.Decision, Bundle: e.Bundle, Last: e.Last}
	}
	return asking{}
}

// hides reports whether the event seq is not sent. answered must be true if the event's request no
// longer waits for an answer.
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

// answered reports whether a past request is settled: it has an answer or its turn has ended.
func (c *client) answered(p *past, seq int64, a asking) (bool, error) {
	switch {
	case a.Decision == "" || seq > p.seq:
		return false, nil
	case !slices.Contains(p.open, a.Decision):
		return true, nil
	}
	return c.server.Answered(c.ctx, a.Decision)
}
