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

// Talk is a person's conversation with the agent. This machine runs the agent's calls. Only one
// goroutine may call Ask.
type Talk struct {
	TalkOptions

	opts  Options
	calls *calls
	place place

	mu     sync.Mutex
	socket *socket // nil while there is no connection
}

// TalkOptions configure a conversation. Conversation is required.
type TalkOptions struct {
	// Conversation is the conversation's id. The id of an earlier conversation resumes it.
	Conversation string
	// Hear gets each message of the conversation once. It may be nil.
	Hear func(sdkapi.WSMessage)
	// Look returns a picture of the screen for a question. If it is nil, questions have no picture.
	Look func(context.Context) (png []byte, err error)

	// Approve asks the user about a call. If it is nil, this client does not answer, so that another
	// client of the user can decide. The context of Approve ends with the turn. An error denies the
	// call, and the agent gets the error as the reason.
	Approve func(context.Context, sdkapi.WSApprovalRequestPayload) (bool, error)
}

// NewTalk returns a conversation. It ignores the fields of opts that are only for runs.
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

// Ask sends a question, runs the agent's calls, and returns the agent's answer. If the connection
// breaks, Ask reconnects; no call runs twice and no message is delivered twice. When ctx ends, Ask
// ends the calls and cancels the turn, within 10 seconds. The error then wraps the error of ctx and
// says whether the turn has ended. Ask also fails if the gateway refuses the question or the
// connection. If the turn or its last call has failed, Ask returns the answer together with
// ErrNotDone. Hear gets the error of a failed turn.
func (t *Talk) Ask(ctx context.Context, question string) (answer string, err error) {
	query := sdkapi.WSQueryPayload{Text: question, ConversationRef: t.Conversation}
	q := &turn{Talk: t, ctx: ctx, before: t.place}
	if err := t.show(ctx, &query); err != nil {
		return "", cmp.Or(q.stopped(stoppedBefore), err)
	}
	q.query = message{uuid.NewString(), sdkapi.WSQuery, query}
	return q.run()
}

// ErrNotDone is the error of a turn that ended without completing its task.
var ErrNotDone = errors.New("the agent failed")

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

// use sets the connection for messages.
func (t *Talk) use(s *socket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.socket = s
}

// send sends a message if there is a connection. Otherwise the next connection sends the answers.
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
