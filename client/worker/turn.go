package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/sdkapi"
)

// turn is a person's question and its turn.
type turn struct {
	*Talk

	ctx    context.Context // the person's context, which stops the turn
	query  message
	before place // position in the conversation
	sent   bool  // the gateway may have the query
	over   bool  // the turn has ended
	failed bool  // it ended with an error, or its last call failed
}

// stopped is the error of a turn that the person has stopped.
type stopped struct {
	text  string
	cause error
}

// Error implements error.
func (s *stopped) Error() string { return s.text }

// Unwrap returns the error of the ended context.
func (s *stopped) Unwrap() error { return s.cause }

// Errors of a stopped turn.
var (
	stoppedBefore = "stopped before the gateway received the query"
	stoppedWhole  = "stopped: the agent has stopped working"
	stoppedHere   = fmt.Sprintf("stopped on this machine, but the gateway was not reachable within %v: the agent may continue until its calls time out", stopTime)
)

// stopped returns the error of a turn that the person has stopped, or nil.
func (q *turn) stopped(text string) error {
	if q.ctx.Err() == nil {
		return nil
	}
	return &stopped{text, q.ctx.Err()}
}

// run talks to the agent, reconnecting after breaks, until the turn ends, or until a stopped turn
// has not ended within stopTime.
func (q *turn) run() (answer string, err error) {
	work, giveUp := context.WithCancel(context.WithoutCancel(q.ctx))
	defer q.close()
	defer giveUp()
	defer background.Start(work, func(ctx context.Context) {
		select {
		case <-q.ctx.Done():
			defer time.AfterFunc(stopTime, giveUp).Stop()
			q.send(cancelOf(q.Conversation)) // without a connection, the next one sends it
			<-ctx.Done()
		case <-ctx.Done():
		}
	})()
	for pause := againFirst; ; pause = min(2*pause, againLast) {
		before := q.place
		answer, ended, err := q.converse(work)
		switch {
		case q.over && q.ctx.Err() == nil && q.failed:
			return answer, ErrNotDone
		case q.over:
			return answer, q.stopped(stoppedWhole)
		case ended || lasting(err):
			return "", err
		case q.ctx.Err() != nil && !q.sent:
			return "", q.stopped(stoppedBefore)
		case work.Err() != nil:
			return "", q.stopped(stoppedHere)
		case q.place != before:
			pause = againFirst
		}
		q.opts.Log.Info("the connection to the agent was interrupted", slog.Any("err", err))
		if q.rest(work, pause) {
			pause = againFirst
		}
	}
}

// rest waits before another try. It reports whether the person has stopped the turn, which leaves
// little time.
func (q *turn) rest(work context.Context, pause time.Duration) bool {
	if q.ctx.Err() == nil {
		return background.Sleep(q.ctx, pause) != nil
	}
	_ = background.Sleep(work, againFirst) // the next try fails by the same context
	return true
}

// close ends the running calls. If the turn may continue, it remembers them, so that none runs
// again.
func (q *turn) close() {
	q.calls.endAll()
	q.calls.all.Wait()
	if q.over {
		q.calls.forget()
	}
}

// converse talks over one connection, until the turn ends or the connection breaks.
func (q *turn) converse(work context.Context) (answer string, ended bool, err error) {
	socket, err := q.opts.dial(work)
	if err != nil {
		return "", false, err
	}
	defer socket.close()
	defer context.AfterFunc(work, socket.close)()
	begun := q.place != q.before
	opening := q.query
	if begun {
		opening = resumeOf(q.Conversation, q.place)
	}
	if err := q.greet(socket, opening); err != nil {
		return "", false, err
	}
	defer q.use(nil)
	for at := (place{}); ; {
		m, err := socket.read()
		if err != nil {
			return "", false, err
		}
		if m.Type == sdkapi.WSError && m.InReplyTo != "" {
			if ended, err := q.refused(m, opening); err != nil {
				return "", ended, err
			}
		}
		if m.ConversationRef != q.Conversation {
			continue // the manifest, and responses
		}
		if m.Seq != 0 {
			if at.pass(m.Seq, m.Type); begun && (m.Seq < q.place.seq || m.Seq == q.place.seq && at.count <= q.place.count) {
				continue // received before
			}
		}
		if answer, q.over = q.take(m); q.over {
			return answer, true, nil
		}
	}
}

// greet opens the conversation, and sends the messages that the gateway may not have: answers, and
// a cancel if the person has stopped.
func (q *turn) greet(s *socket, opening message) error {
	if !q.sent && q.ctx.Err() != nil {
		return q.ctx.Err()
	}
	q.sent = true
	if err := s.send(opening); err != nil {
		return err
	}
	q.use(s)
	for _, m := range q.calls.unheard() {
		if err := s.send(m); err != nil {
			return err
		}
	}
	if q.ctx.Err() != nil { // run may have sent the cancel before there was a connection
		return s.send(cancelOf(q.Conversation))
	}
	return nil
}

// refused handles a refused message. Without the opening message there is no turn.
func (q *turn) refused(m sdkapi.WSMessage, opening message) (ended bool, err error) {
	var p sdkapi.WSErrorPayload
	_ = json.Unmarshal(m.Payload, &p) // missing fields stay empty
	switch {
	case m.InReplyTo == q.query.id:
		return true, fmt.Errorf("the gateway rejects the query: %s", p.Message)
	case passes(p.Code):
		return false, errAgain
	case m.InReplyTo == opening.id:
		return true, fmt.Errorf("the gateway cannot continue the conversation: %s", p.Message)
	}
	q.calls.heard(m)
	q.opts.Log.Warn("the gateway rejects a tool result", slog.String("err", p.Message))
	return false, nil
}

// take handles one message of the conversation, and reports whether the turn has ended.
func (q *turn) take(m sdkapi.WSMessage) (answer string, over bool) {
	if m.Seq != 0 {
		q.place.pass(m.Seq, m.Type)
	}
	if q.Hear != nil {
		q.Hear(m)
	}
	q.calls.heard(m)
	if r, ok := requestOf(m.Type, m.Payload); ok {
		q.calls.begin(q.ctx, r)
	}
	switch m.Type {
	case sdkapi.WSApprovalRequest:
		q.ask(m)
	case sdkapi.WSToolOutput:
		var p sdkapi.WSToolOutputPayload
		q.failed = json.Unmarshal(m.Payload, &p) == nil && !p.Success
	case sdkapi.WSError:
		q.failed = q.failed || m.InReplyTo == "" // otherwise it concerns a message, not the turn
	case sdkapi.WSStreamingComplete:
		var p sdkapi.WSCompletePayload
		_ = json.Unmarshal(m.Payload, &p) // a turn may end without an answer
		return p.FinalResponse, true
	}
	return "", false
}

// ask asks the person whether a call may run. If Approve fails, the call is denied. If the person
// stops the turn, ask sends no answer.
func (q *turn) ask(m sdkapi.WSMessage) {
	var p sdkapi.WSApprovalRequestPayload
	if q.Approve == nil || json.Unmarshal(m.Payload, &p) != nil || p.Answered {
		return
	}
	q.calls.once(q.ctx, p.RequestID, p.Metadata.ToolCallID, func(ctx context.Context) message {
		decision := sdkapi.WSApprovalDecisionPayload{RequestID: p.RequestID}
		yes, err := q.Approve(ctx, p)
		switch {
		case err != nil && ctx.Err() != nil:
			return message{}
		case err != nil:
			decision.Reason = "cannot ask the user: " + err.Error()
		default:
			decision.Approved = yes
		}
		return message{uuid.NewString(), sdkapi.WSApprovalDecision, decision}
	})
}
