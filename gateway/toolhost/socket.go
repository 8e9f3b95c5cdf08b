package toolhost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// receiveTime is the maximum time between two messages of a client.
const receiveTime = sdkapi.AgentReceiveHours * time.Hour

// addSocket registers the WebSocket of a session. The gateway refuses the upgrade if the caller has no such session.
func (s *door) addSocket() {
	s.Core.SocketAt(sdkapi.AgentStreamPath, "id", func(ctx context.Context, name string) (gateway.SocketFunc, error) {
		if _, _, err := s.find(ctx, name); err != nil {
			return nil, err
		}
		return func(ctx context.Context, socket *sockets.Conn, _ *gateway.Request) { s.serve(ctx, socket, name) }, nil
	})
}

// serve handles one client: its hello, then its messages one by one.
func (s *door) serve(ctx context.Context, socket *sockets.Conn, name string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, _, err := s.find(ctx, name)
	if err != nil {
		socket.Finish(websocket.ClosePolicyViolation, fault.From(err).Message)
		return
	}
	raw, err := socket.Receive(s.times.Hello)
	if err != nil {
		socket.FinishSilent(err, websocket.ClosePolicyViolation, fmt.Sprintf("no hello arrived within %v; send it as the first message", s.times.Hello))
		return
	}
	m, err := decode(raw)
	if err == nil && m.Type != sdkapi.AgentHello {
		err = fault.New(op, sdkapi.ValidationError, "the first message must have the type \"hello\", not %.30q", m.Type).At("type", "expected hello")
	}
	var l *listener
	var begin int64
	if err == nil {
		l, begin, err = c.greet(socket, m)
	}
	if err != nil {
		c.refuse(socket, m, err)
		socket.Finish(websocket.ClosePolicyViolation, fault.From(err).Message)
		return
	}
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	socket.Watching.Add(1)
	listening.Go(func() {
		defer socket.Watching.Add(-1)
		if err := l.listen(ctx, begin); err != nil && ctx.Err() == nil && !errors.Is(err, sockets.ErrClosed) {
			c.refuse(socket, sdkapi.AgentClientMessage{}, err)
			socket.Finish(websocket.CloseTryAgainLater, fault.From(err).Message)
		}
	})
	c.converse(socket, l)
}

// greet handles a hello and answers it. It returns the client's listener and the event after which
// the listener starts.
func (c *client) greet(socket *sockets.Conn, m sdkapi.AgentClientMessage) (*listener, int64, error) {
	state, told, err := c.hello(m)
	if err != nil {
		return nil, 0, err
	}
	l := c.listener(m.ClientID, m.Accept)
	l.watches = c.settings == nil
	l.runs = map[string]bool{}
	if c.settings != nil {
		for _, t := range c.settings.Tools {
			l.runs[t.Name] = true
		}
	}
	l.send = func(m sdkapi.AgentMessage) error {
		if !socket.WaitForRoom() {
			return sockets.ErrClosed
		}
		return socket.Send(m)
	}
	begin, err := l.from(state, m.AfterSeq, true)
	if err != nil {
		return nil, 0, err
	}
	created := &sdkapi.AgentCreatedMessage{AgentHead: head(sdkapi.AgentSessionCreated, ""), Running: state.Turn != nil, ToolManifest: told}
	created.Seq = max(l.after, min(begin, state.Seq))
	return l, begin, l.emit(created)
}

// converse handles the client's messages until the connection ends.
func (c *client) converse(socket *sockets.Conn, l *listener) {
	for {
		raw, err := socket.Receive(receiveTime)
		if err == nil || websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
			// A client that answers, or closes normally, has read the messages before.
			c.arrived(l.heard(time.Now()))
		} else {
			c.arrived(l.heard(socket.Heard()))
		}
		if err != nil {
			socket.FinishSilent(err, websocket.CloseNormalClosure, fmt.Sprintf("the client sent nothing for %v; connect again", receiveTime))
			return
		}
		m, err := decode(raw)
		// Invalid messages count too.
		if charged := gateway.RequestOf(c.ctx).Quota.TakeMessages(1); charged != nil {
			err = charged
		}
		if err == nil {
			err = c.take(m)
		}
		if err != nil {
			c.refuse(socket, m, err)
		}
	}
}

// arrived records that a client received the end of a turn. It does nothing if turn is empty.
func (c *client) arrived(turn string) {
	if turn == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), 5*time.Second)
	defer cancel()
	if err := c.Sessions.NoteHeard(ctx, c.id, turn); err != nil {
		c.Core.Log.Debug("cannot record that the client received the end of a turn", slog.String("session", c.name), slog.Any("err", err))
	}
}

// refuse sends a client the error of its message. The connection and other work continue.
func (c *client) refuse(socket *sockets.Conn, m sdkapi.AgentClientMessage, err error) {
	told := c.Core.Failure(c.ctx, err).ErrorResponse.Error
	out := &sdkapi.AgentErrorMessage{
		AgentHead: head(sdkapi.AgentError, ""), Message: told.Message, Code: told.Code, InReplyTo: m.Type, ToolCallID: m.ToolCallID, MessageID: m.MessageID, ApprovalID: m.ApprovalID, Details: &told.Details,
	}
	out.SessionID = c.name
	if err := socket.Send(out); err != nil {
		c.Core.Log.Debug("cannot send a message to the client", slog.String("session", c.name), slog.Any("err", err))
	}
}
