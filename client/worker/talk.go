package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

	"github.com/google/uuid"

	"github.com/windieos/windie/sdkapi"
)

// Talk is a person's conversation with the agent, whose calls are made on this machine. Ask is called by one goroutine.
type Talk struct {
	TalkOptions

	opts  Options
	calls *calls
	place place

	mu     sync.Mutex
	socket *socket // nil while there is no connection
}

// TalkOptions say who talks. Conversation is required.
type TalkOptions struct {
	Conversation string                                        // the same goes on with what was said before
	Hear         func(sdkapi.WSMessage)                        // gets each message of the conversation once; default: nobody
	Look         func(context.Context) (png []byte, err error) // the screen, for a question; default: without

	// Approve asks the user about a call; without it somebody else is asked. Its context ends with the turn. An error is a no,
	// and the agent hears why.
	Approve func(context.Context, sdkapi.WSApprovalRequestPayload) (bool, error)
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
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	t := &Talk{TalkOptions: talk, opts: opts}
	t.calls = newCalls(&t.opts, client, newGate(sdkapi.RunAgentOnly), t.send)
	return t, nil
}

// Ask asks the agent, carries out what it calls, and returns its answer. A connection that breaks is made again, and
// nothing is made or heard twice. When ctx ends, so do the calls, and the turn is canceled, within 10 seconds; the error says
// what came of that, and is that of ctx. A gateway that refuses the question or the connection is an error too. ErrNotDone
// comes with the answer of a turn that failed, of which Hear gets the error, or whose last call did.
func (t *Talk) Ask(ctx context.Context, question string) (answer string, err error) {
	query := sdkapi.WSQueryPayload{Text: question, ConversationRef: t.Conversation}
	q := &turn{Talk: t, ctx: ctx, before: t.place}
	if err := t.show(ctx, &query); err != nil {
		return "", cmp.Or(q.stopped(stoppedBefore), err)
	}
	q.query = message{uuid.NewString(), sdkapi.WSQuery, query}
	return q.run()
}

// ErrNotDone is the error of a turn that ended without what was asked for.
var ErrNotDone = errors.New("the agent did not do it")

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

// use sets the connection that is sent by.
func (t *Talk) use(s *socket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.socket = s
}

// send sends a message, if there is a connection. Answers that cannot be sent now are sent by the next one.
func (t *Talk) send(m message) {
	t.mu.Lock()
	socket := t.socket
	t.mu.Unlock()
	if socket == nil {
		return
	}
	if err := socket.send(m); err != nil {
		socket.close() // the reader notices
	}
}
