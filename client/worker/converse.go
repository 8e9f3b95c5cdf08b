package worker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// converse talks to the agent over one connection, until the turn ends or the connection breaks.
func (j *job) converse() (ended bool, err error) {
	socket, err := j.worker.opts.dial(j.ctx)
	if err != nil {
		return false, err
	}
	stop := context.AfterFunc(j.ctx, socket.close)
	defer stop()
	defer socket.close()
	if err := j.greet(socket); err != nil {
		return false, err
	}
	defer j.use(nil)
	for at := (place{}); ; {
		m, err := socket.read()
		if err != nil {
			return false, err
		}
		if m.ConversationRef == j.ConversationRef && m.Seq != 0 {
			if at.pass(m.Seq, m.Type); m.Seq < j.place.seq || m.Seq == j.place.seq && at.count <= j.place.count {
				continue // received before
			}
		}
		if ended, err := j.hear(m); ended || err != nil {
			return ended, err
		}
	}
}

// greet starts or resumes the conversation, and sends the messages that the agent may not have.
func (j *job) greet(s *socket) error {
	var err error
	if j.place.seq == 0 {
		err = s.send(message{j.queryID(), sdkapi.WSQuery, sdkapi.WSQueryPayload{Text: j.question(), ConversationRef: j.ConversationRef}})
	} else {
		err = s.send(resumeOf(j.ConversationRef, j.place))
	}
	if err != nil {
		return err
	}
	j.use(s)
	for _, m := range j.calls.unheard() {
		if err := s.send(m); err != nil {
			return err
		}
	}
	if j.isStopping() {
		return s.send(cancelOf(j.ConversationRef))
	}
	return nil
}

// queryID returns the id of the query. It shows the gateway whether it has received the query
// before.
func (j *job) queryID() string { return strings.TrimPrefix(j.RunID, "run-") }

// use sets the connection for messages.
func (j *job) use(s *socket) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.socket = s
}

// errAgain ends a connection in order to try again later.
var errAgain = errors.New("the agent cannot start the run now")

// hear handles one message: it relays the message, and then acts on it.
func (j *job) hear(m sdkapi.WSMessage) (ended bool, err error) {
	if m.Type == sdkapi.WSError && m.InReplyTo != "" {
		return j.refused(m)
	}
	if m.ConversationRef != j.ConversationRef {
		return false, nil // the manifest, and responses
	}
	if !j.dispatched && m.TurnRef != "" {
		if err := j.dispatch(m.TurnRef); err != nil {
			return false, err
		}
	}
	if err := j.relay(m); err != nil {
		return false, err
	}
	if m.Seq != 0 {
		j.place.pass(m.Seq, m.Type)
	}
	j.calls.heard(m)
	if r, ok := requestOf(m.Type, m.Payload); ok {
		j.calls.begin(j.ctx, r)
	}
	return m.Type == sdkapi.WSStreamingComplete, nil
}

// dispatch reports the turn of the query. If the run was stopped meanwhile, it stops the turn.
func (j *job) dispatch(turn string) error {
	err := j.insist("to note the run's turn", func() error {
		_, err := j.worker.client.Runs.Dispatched(j.ctx, j.RunID, sdkapi.RunDispatch{
			WorkerID: j.worker.opts.ID, UserID: j.worker.opts.User, TurnRef: turn, ConversationRef: j.ConversationRef, LeaseEpoch: j.LeaseEpoch,
		})
		return err
	})
	if refused := (*sdkapi.Error)(nil); errors.As(err, &refused) && refused.Code == sdkapi.RunIsOver {
		j.stop()
		err = nil
	}
	j.dispatched = err == nil
	return err
}

// refused handles a refused message. If the gateway refuses the query for good, the run fails. Other
// final refusals only discard the refused answer, see calls.heard.
func (j *job) refused(m sdkapi.WSMessage) (ended bool, err error) {
	var p sdkapi.WSErrorPayload
	if err := json.Unmarshal(m.Payload, &p); err != nil {
		return false, err
	}
	if passes(p.Code) {
		return false, errAgain
	}
	if m.InReplyTo != j.queryID() {
		j.calls.heard(m)
		return false, nil
	}
	return true, j.fail(p.Message)
}

// passes reports whether a message that is refused with a code may be accepted later.
func passes(code sdkapi.Code) bool {
	switch code {
	case sdkapi.Overloaded, sdkapi.RateLimited, sdkapi.StateUnavailable, sdkapi.Timeout:
		return true
	}
	return false
}
