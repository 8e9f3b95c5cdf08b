package general

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// The protocol says that a client whose stream was cut sends its message again. The same words
// from a client that heard the end of its turn are a new message. So the gateway watches whether
// the end arrives at a client, and notes it in the session's control stream for all gateways.

// How the end of a turn is watched on its way to a client.
const (
	hearWritten = 200 * time.Millisecond // in which the end was written of a client that has left
	hearLook    = 5 * time.Millisecond   // between two looks
	hearOthers  = 150 * time.Millisecond // in which another gateway has noted that it did
)

// hearing is a client that gets the events of a session.
type hearing struct {
	server *door
	id     string // of the session
	conn   net.Conn
	all    sync.WaitGroup // of the ends that are on their way: they arrive, or fail to
}

// ending notes the end of a turn as heard once the event e, which says so, has
// arrived at the client. ctx ends with the client's stream.
func (h *hearing) ending(ctx context.Context, turn string, e *sse.Event) {
	written := make(chan struct{})
	e.Written = written
	h.server.ends.add(h.id, 1)
	h.all.Go(func() {
		defer h.server.ends.add(h.id, -1)
		select {
		case <-written:
		case <-ctx.Done():
		}
		if h.came(ctx, written) {
			h.server.noteHeard(ctx, h.id, turn)
		}
	})
}

// came reports whether the event was written, and arrived at the client.
func (h *hearing) came(ctx context.Context, written <-chan struct{}) bool {
	select {
	case <-written:
	case <-time.After(hearWritten): // a client that left at once was faster than the note that it was written
		return false
	}
	select {
	case <-ctx.Done(): // it has left, or broken off: the connection shows which
	case <-time.After(h.server.chatSettle):
	}
	for end := time.Now().Add(h.server.times.Arrive); ; time.Sleep(hearLook) {
		arrived, broken := peer.Arrived(h.conn)
		if arrived || broken || time.Now().After(end) {
			return arrived
		}
	}
}

// noteHeard notes that a client has heard the end of a turn.
func (s *door) noteHeard(ctx context.Context, id, turn string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := s.Sessions.NoteHeard(ctx, id, turn); err != nil { // its message sent again replays it, as if it had not come
		s.Core.Log.Warn("it is not noted that a client heard the end of a turn", slog.String("session", id), slog.Any("err", err))
	}
}

// wasHeard reports whether a client has heard the end of a turn. It waits for ends on
// their way: a client's next message may be faster than the note.
func (s *door) wasHeard(ctx context.Context, id string, began session.TurnStarted, ended time.Time) (bool, error) {
	for most := time.Now().Add(hearOthers); ; time.Sleep(hearLook) { // clocks may differ
		sending := s.ends.any(id)
		heard, err := s.Sessions.WasHeard(ctx, id, began)
		if heard || err != nil || ctx.Err() != nil || !sending && (time.Since(ended) > hearOthers || time.Now().After(most)) {
			return heard, err
		}
	}
}

// lastTurn returns how the last turn of a session began and ended. began is nil if
// there was none or it is not kept, ended also if the turn is open.
func (s *door) lastTurn(ctx context.Context, id string, state *session.State) (began *session.TurnStarted, ended *endedTurn, err error) {
	if state.Began == 0 {
		return nil, nil, nil
	}
	for e, err := range s.Events(ctx, id, state.Began-1) {
		if err != nil {
			return nil, nil, err
		}
		if e.Seq == state.Began {
			first, is, err := session.As[session.TurnStarted](e)
			if err != nil {
				return nil, nil, err
			}
			if is {
				began = &first
			}
		}
		last, is, err := session.As[session.TurnEnded](e)
		if err != nil {
			return nil, nil, err
		}
		if is && began != nil {
			return began, &endedTurn{last, e.Time}, nil
		}
	}
	return began, nil, nil
}

// endedTurn is how, and when, a turn ended.
type endedTurn struct {
	session.TurnEnded
	at time.Time
}

// ends count the ends of turns that this gateway is sending, by session.
type ends struct {
	mu  sync.Mutex
	all map[string]int
}

func (n *ends) add(id string, more int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil {
		n.all = map[string]int{}
	}
	if n.all[id] += more; n.all[id] == 0 {
		delete(n.all, id)
	}
}

// any reports whether an end is being sent in a session.
func (n *ends) any(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all[id] > 0
}

// teller sends one client the events of a session.
type teller struct {
	hearing
	view  *view
	state *session.State // when the client came
	from  turns.Cursor   // that it has
	send  func(sse.Event) error
}

func (s *door) teller(ctx context.Context, id string, state *session.State, from turns.Cursor, send func(sse.Event) error) *teller {
	return &teller{hearing: hearing{server: s, id: id, conn: gateway.RequestOf(ctx).Conn}, view: newV1View(), state: state, from: from, send: send}
}

// tell sends an event, unless the client has it.
func (t *teller) tell(ctx context.Context, e journal.Event) error {
	shown, err := t.view.show(e)
	if err != nil {
		return err
	}
	for i, of := range shown {
		if call, asks := of.Data.(sdkapi.V1ToolCall); asks {
			if call.Answered = turns.Past(t.state, e); !call.Answered {
				call.Answered, err = t.server.Answered(ctx, t.view.client[call.ID])
			}
			shown[i].Data = call
		}
	}
	list := t.from.After(e.Seq, shown)
	if err == nil && e.Kind == session.KindTurnEnded && e.Seq > t.state.Began && len(list) > 0 {
		t.ending(ctx, t.view.turn, &list[len(list)-1])
	}
	if err != nil {
		return err
	}
	return turns.SendAll(list, t.send)
}
