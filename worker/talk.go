package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/sdkapi"
)

// Talk is a person's conversation with the agent, whose calls are made on this machine. Ask is called by one goroutine.
type Talk struct {
	TalkOptions

	opts  Options
	calls *calls
	place place

	mu      sync.Mutex
	socket  *socket // nil while there is no connection
	asking  map[string]bool
	helpers sync.WaitGroup
}

// TalkOptions say who talks. Conversation is required.
type TalkOptions struct {
	Conversation string                                                               // the same goes on with what was said before
	Hear         func(sdkapi.WSMessage)                                               // gets each message of the conversation once; default: nobody
	Approve      func(context.Context, sdkapi.WSApprovalRequestPayload) (bool, error) // asks the user; default: somebody else is asked
	Look         func(context.Context) (png []byte, err error)                        // the screen, for a question; default: without
}

// NewTalk returns a conversation. Of opts the fields about runs mean nothing.
func NewTalk(opts Options, talk TalkOptions) (*Talk, error) {
	if opts.User == "" {
		opts.User = sdkapi.LocalUser
	}
	client, err := opts.artifacts()
	if err != nil {
		return nil, err
	}
	t := &Talk{TalkOptions: talk, opts: opts, asking: map[string]bool{}}
	t.calls = newCalls(&t.opts, client, newGate(sdkapi.RunAgentOnly), t.send)
	return t, nil
}

// Ask asks the agent, carries out what it calls, and returns its answer. A connection that breaks is made again, and
// nothing is made or heard twice. When ctx ends, the turn is canceled.
func (t *Talk) Ask(ctx context.Context, question string) (answer string, err error) {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer t.helpers.Wait()
	defer t.calls.all.Wait()
	defer stop()
	defer t.calls.endAll()
	query := sdkapi.WSQueryPayload{Text: question, ConversationRef: t.Conversation}
	if err := t.show(ctx, &query); err != nil {
		return "", err
	}
	cancel := context.AfterFunc(ctx, func() {
		t.calls.endAll()
		t.send(message{sdkapi.WSCancel, map[string]string{"conversation_ref": t.Conversation}})
	})
	defer cancel()
	id, t0 := uuid.NewString(), t.place
	for pause := againFirst; ; pause = min(2*pause, againLast) {
		before := t.place
		answer, ended, err := t.converse(work, id, query, t.place != t0)
		if ended {
			return answer, errors.Join(err, ctx.Err())
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if t.place != before {
			pause = againFirst
		}
		if t.opts.Log != nil {
			t.opts.Log.Info("the connection to the agent broke", "err", err)
		}
		if err := background.Sleep(ctx, pause); err != nil {
			return "", err
		}
	}
}

// show adds the screen to a question.
func (t *Talk) show(ctx context.Context, query *sdkapi.WSQueryPayload) error {
	if t.Look == nil {
		return nil
	}
	png, err := t.Look(ctx)
	if err != nil {
		return err
	}
	if query.ScreenshotRef, err = t.calls.pictures.keep(ctx, png); err != nil {
		return err
	}
	if t.opts.Desk != nil {
		query.SystemStateInternal, err = json.Marshal(t.opts.Desk.State())
	}
	return err
}

// converse talks over one connection, until the turn has ended or the connection breaks. begun says that the turn was
// heard of before.
func (t *Talk) converse(ctx context.Context, id string, query sdkapi.WSQueryPayload, begun bool) (answer string, ended bool, err error) {
	socket, err := t.opts.dial(ctx)
	if err != nil {
		return "", false, err
	}
	defer socket.close()
	defer context.AfterFunc(ctx, socket.close)()
	if begun {
		err = socket.send("", sdkapi.WSResume, map[string]any{"conversation_ref": t.Conversation, "seq": t.place.after()})
	} else {
		err = socket.send(id, sdkapi.WSQuery, query)
	}
	if err != nil {
		return "", false, err
	}
	t.use(socket)
	defer t.use(nil)
	for _, m := range t.calls.unheard() {
		if err := socket.send("", m.kind, m.payload); err != nil {
			return "", false, err
		}
	}
	for at := (place{}); ; {
		m, err := socket.read()
		if err != nil {
			return "", false, err
		}
		if m.Seq != 0 && m.ConversationRef == t.Conversation {
			if at.pass(m.Seq, m.Type); begun && (m.Seq < t.place.seq || m.Seq == t.place.seq && at.count <= t.place.count) {
				continue // it was heard before
			}
		}
		if answer, ended, err := t.take(ctx, m, id); ended {
			return answer, true, err
		}
	}
}

// take takes one message.
func (t *Talk) take(ctx context.Context, m sdkapi.WSMessage, query string) (answer string, ended bool, err error) {
	if m.Type == sdkapi.WSError && m.InReplyTo == query {
		var p sdkapi.WSErrorPayload
		_ = json.Unmarshal(m.Payload, &p) // what is not there is empty
		return "", true, fmt.Errorf("the gateway refuses the question: %s", p.Message)
	}
	if m.ConversationRef != t.Conversation {
		return "", false, nil // the manifest, and answers
	}
	if m.Seq != 0 {
		t.place.pass(m.Seq, m.Type)
	}
	if t.Hear != nil {
		t.Hear(m)
	}
	if r, ok := requestOf(m.Type, m.Payload); ok {
		t.calls.begin(ctx, r)
	}
	switch m.Type {
	case sdkapi.WSApprovalRequest:
		t.ask(ctx, m)
	case sdkapi.WSStreamingComplete:
		var p struct {
			Answer string `json:"final_response"`
		}
		_ = json.Unmarshal(m.Payload, &p) // a turn may end without an answer
		return p.Answer, true, nil
	}
	return "", false, nil
}

// ask asks the user whether a call may be made.
func (t *Talk) ask(ctx context.Context, m sdkapi.WSMessage) {
	var p sdkapi.WSApprovalRequestPayload
	if t.Approve == nil || json.Unmarshal(m.Payload, &p) != nil || p.Answered {
		return
	}
	t.mu.Lock()
	known := t.asking[p.RequestID]
	t.asking[p.RequestID] = true
	t.mu.Unlock()
	if known {
		return
	}
	t.helpers.Go(func() {
		yes, err := t.Approve(ctx, p)
		if err == nil {
			t.send(message{sdkapi.WSApprovalDecision, map[string]any{"request_id": p.RequestID, "approved": yes}})
		}
	})
}

// use sets the connection that is sent by.
func (t *Talk) use(s *socket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.socket = s
}

// send sends a message, if there is a connection. Results that cannot be sent now are sent by the next one.
func (t *Talk) send(m message) {
	t.mu.Lock()
	socket := t.socket
	t.mu.Unlock()
	if socket == nil {
		return
	}
	if err := socket.send("", m.kind, m.payload); err != nil {
		socket.close() // the reader notices
	}
}
