package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/sdkapi"
)

// Time limits of a stream: to connect, and to write one message.
const (
	hostDialTime  = 15 * time.Second
	hostWriteTime = 15 * time.Second
)

// maxHostMessage limits a message of the gateway, in bytes.
const maxHostMessage = 64 << 20

// maxHostQueue limits the messages that wait to be written to one connection.
const maxHostQueue = 256

// hostStream is one connection of a Host.
type hostStream struct {
	conn *websocket.Conn
	out  chan any
}

// send queues a message. If the queue is full it closes the connection, and the reader notices.
func (s *hostStream) send(m any) {
	select {
	case s.out <- m:
	default:
		_ = s.conn.Close()
	}
}

// write sends the queued messages until ctx ends. If a write fails it closes the connection.
func (s *hostStream) write(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-s.out:
			if s.conn.SetWriteDeadline(time.Now().Add(hostWriteTime)) != nil || s.conn.WriteJSON(m) != nil {
				_ = s.conn.Close()
				return
			}
		}
	}
}

// receive returns the next message, or nil if its type is unknown.
func (s *hostStream) receive() (sdkapi.AgentMessage, error) {
	if err := s.conn.SetReadDeadline(time.Now().Add(maxSilence)); err != nil {
		return nil, err
	}
	_, raw, err := s.conn.ReadMessage()
	if err != nil {
		return nil, err
	}
	return sdkapi.ParseAgentMessage(raw)
}

// Serve receives the session's messages and runs its calls until ctx ends, and then returns nil. It
// reconnects after each break. If the gateway refuses the program, Serve returns the gateway's
// error. Serve waits for running calls before it returns. Call it once.
func (h *Host) Serve(ctx context.Context) error {
	defer h.running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for tries := 0; ; tries++ {
		before := h.at()
		opened, err := h.once(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case final(err):
			h.opts.Connected(err)
			return err
		case opened || h.at() != before:
			tries = 0
		}
		h.opts.Connected(err)
		if !pause(ctx, tries) {
			return nil
		}
	}
}

// at returns the seq of the last message received.
func (h *Host) at() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cursor
}

// final reports whether err is a refusal that another try would meet again.
func final(err error) bool {
	if refused, ok := errors.AsType[*sdkapi.Error](err); ok {
		return refused.Status < http.StatusInternalServerError && !passing[refused.Code]
	}
	closed, ok := errors.AsType[*websocket.CloseError](err)
	return ok && closed.Code == sdkapi.WSCloseRevoked
}

// dial opens the stream.
func (h *Host) dial(ctx context.Context) (*hostStream, error) {
	ctx, cancel := context.WithTimeout(ctx, hostDialTime)
	defer cancel()
	client := h.client
	if h.opts.Gateway != nil {
		var err error
		if client, err = h.opts.Gateway(ctx); err != nil {
			return nil, err
		}
	}
	header := http.Header{}
	maps.Copy(header, client.header)
	at := "ws" + strings.TrimPrefix(client.base, "http") + agentPath(sdkapi.AgentStreamPath, h.id)
	conn, resp, err := (&websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: hostDialTime}).DialContext(ctx, at, header)
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	if err != nil && resp != nil && resp.StatusCode >= http.StatusBadRequest {
		return nil, errorOf(resp)
	}
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	conn.SetReadLimit(maxHostMessage)
	pong := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		if err := conn.SetReadDeadline(time.Now().Add(maxSilence)); err != nil {
			return err
		}
		return pong(data)
	})
	return &hostStream{conn, make(chan any, maxHostQueue)}, nil
}

// once receives the session's messages over one connection. opened reports whether the gateway
// accepted the hello.
func (h *Host) once(ctx context.Context) (opened bool, err error) {
	s, err := h.dial(ctx)
	if err != nil {
		return false, err
	}
	writing, stop := context.WithCancel(ctx)
	var writer sync.WaitGroup
	writer.Go(func() { s.write(writing) })
	defer writer.Wait()
	defer stop()
	defer s.conn.Close()
	defer context.AfterFunc(ctx, func() {
		closing := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		_ = s.conn.WriteControl(websocket.CloseMessage, closing, time.Now().Add(time.Second))
		_ = s.conn.Close()
	})()
	s.send(h.hello())
	var refusal error
	for {
		m, err := s.receive()
		switch {
		case err != nil && !opened && refusal != nil:
			return false, refusal
		case err != nil:
			h.use(nil)
			return opened, err
		case m == nil:
			continue // a message type of a newer gateway
		}
		// before the session is created, an error refuses the hello
		if refused, ok := m.(*sdkapi.AgentErrorMessage); ok && !opened {
			refusal = &sdkapi.Error{Code: refused.Code, Message: refused.Message}
		}
		if _, created := m.(*sdkapi.AgentCreatedMessage); created {
			opened = true
			h.use(s)
			h.opts.Connected(nil)
		}
		h.hear(ctx, m)
	}
}

// hello returns the message that introduces the program.
func (h *Host) hello() sdkapi.AgentClientMessage {
	cursor := h.at()
	accept := []string{sdkapi.AgentUserMessage, sdkapi.AgentThought, sdkapi.AgentToolStarted, sdkapi.AgentToolOutput, sdkapi.AgentWarning, sdkapi.AgentResync, sdkapi.AgentProgress}
	if h.opts.Asks {
		accept = append(accept, sdkapi.AgentApproval, sdkapi.AgentDecided)
	}
	m := sdkapi.AgentClientMessage{
		Type: sdkapi.AgentHello, SessionID: h.id, ClientVersion: h.opts.Version, WorkspaceRoot: h.opts.Root, System: h.opts.OS,
		AfterSeq: &cursor, ClientID: h.opts.Name, Accept: accept, GatewayTools: h.opts.GatewayTools, ToolManifest: h.manifest,
	}
	return m
}

// use makes s the connection for messages, and sends again those that may be lost. nil means no
// connection.
func (h *Host) use(s *hostStream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stream = s; s == nil {
		return
	}
	for _, m := range h.unheard {
		h.send(m)
	}
}

// hear handles one message.
func (h *Host) hear(ctx context.Context, m sdkapi.AgentMessage) {
	h.mu.Lock()
	h.cursor = max(h.cursor, m.Head().Seq)
	h.mu.Unlock()
	switch m := m.(type) {
	case *sdkapi.AgentDeltaMessage:
		h.works(m.TurnID)
	case *sdkapi.AgentToolCallMessage:
		h.works(m.TurnID)
		h.call(ctx, m)
		return
	case *sdkapi.AgentHeartbeatMessage:
		return
	case *sdkapi.AgentUserMessageMessage:
		h.working(m.TurnID, m.MessageID)
		h.arrived("say " + m.MessageID)
	case *sdkapi.AgentToolOutputMessage:
		h.arrived("result "+m.ToolCallID, "decide "+m.ToolCallID)
		h.stop(m.TurnID + m.ToolCallID)
	case *sdkapi.AgentDecidedMessage:
		h.arrived("decide " + m.ToolCallID)
	case *sdkapi.AgentDoneMessage:
		h.working("", "")
		h.over()
	case *sdkapi.AgentErrorMessage:
		if h.again(ctx, m) {
			return
		}
	}
	h.opts.Heard(m)
}

// working records the open turn and the message that began it. If this program sent that message, a
// waiting cancel applies to the turn.
func (h *Host) working(turn, message string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn = turn
	if !slices.ContainsFunc(h.unheard, func(m *said) bool { return m.key == "say "+message }) {
		return
	}
	for _, m := range h.unheard {
		if m.Type == sdkapi.AgentCancel && m.TurnID == "" {
			m.TurnID = turn
			h.send(m)
		}
	}
}

// works records the open turn if none is known: it began before this program connected. An empty
// turn shows that the gateway does not name turns; then waiting cancels are sent.
func (h *Host) works(turn string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn = cmp.Or(h.turn, turn)
	if turn != "" || h.unnamed {
		return
	}
	h.unnamed = true
	for _, m := range h.unheard {
		if m.Type == sdkapi.AgentCancel {
			h.send(m)
		}
	}
}

// over forgets the messages of the turn that has ended, and stops its calls. The user's unsent
// messages stay: they belong to the next turn.
func (h *Host) over() {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := h.unheard[:0]
	for _, m := range h.unheard {
		if m.Type == sdkapi.AgentUserMessage || m.Type == sdkapi.AgentCancel && m.TurnID == "" {
			kept = append(kept, m)
		}
	}
	h.unheard = kept
	for _, stop := range h.calls {
		stop()
	}
}

// stop ends the call whose result is no longer wanted. key is its key in h.calls.
func (h *Host) stop(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if stop := h.calls[key]; stop != nil {
		stop()
	}
}

// passing are the codes of temporary refusals: another try may succeed.
var passing = map[sdkapi.Code]bool{sdkapi.RateLimited: true, sdkapi.Overloaded: true, sdkapi.StateUnavailable: true, sdkapi.StorageUnavailable: true, sdkapi.Timeout: true}

// again handles the refusal of a message. If the refusal of a result or a decision is temporary, it
// sends the message again later and returns true. It forgets other refused messages. A user's
// message is never sent again, because Heard gets its refusal.
func (h *Host) again(ctx context.Context, m *sdkapi.AgentErrorMessage) bool {
	key := ""
	switch m.InReplyTo {
	case sdkapi.AgentUserMessage:
		h.arrived("say " + m.MessageID) // Heard gets the refusal
		return false
	case sdkapi.AgentToolResult:
		key = "result " + m.ToolCallID
	case sdkapi.AgentDecision:
		key = h.decides(m.ApprovalID)
	default:
		return false
	}
	if !passing[m.Code] {
		h.arrived(key)
		return false
	}
	wait := time.Second
	if m.Details != nil && m.Details.RetryAfter > 0 {
		wait = time.Duration(m.Details.RetryAfter) * time.Second
	}
	h.running.Go(func() {
		select {
		case <-ctx.Done():
		case <-time.After(wait):
			h.repeat(key)
		}
	})
	return true
}

// decides returns the key of the pending answer to an approval, or "".
func (h *Host) decides(approval string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.unheard {
		if m.ApprovalID == approval && approval != "" {
			return m.key
		}
	}
	return ""
}

// repeat sends a message again, unless it has arrived.
func (h *Host) repeat(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.unheard {
		if m.key == key {
			h.send(m)
		}
	}
}

// call runs a tool, unless this program has already started the call.
func (h *Host) call(ctx context.Context, m *sdkapi.AgentToolCallMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := m.TurnID + m.ToolCallID // another turn may use the same id
	if h.opts.Run == nil || h.seen[key] {
		return
	}
	h.seen[key] = true
	ctx, stop := context.WithCancel(ctx)
	h.calls[key] = stop
	call := HostCall{ID: m.ToolCallID, Name: m.Name, Arguments: m.Arguments, Reason: m.Reason, Again: m.Seq <= h.known}
	h.running.Go(func() {
		defer stop()
		r := h.opts.Run(ctx, call)
		output, err := json.Marshal(r.Output)
		if err != nil {
			output, r.IsError = json.RawMessage(`"the tool's output cannot be written as JSON"`), true
		}
		h.mu.Lock()
		delete(h.calls, key)
		h.mu.Unlock()
		if ctx.Err() != nil {
			return // the result is no longer wanted
		}
		h.tell(&said{"result " + call.ID, sdkapi.AgentClientMessage{Type: sdkapi.AgentToolResult, ToolCallID: call.ID, Output: output, IsError: r.IsError, Images: r.Images}})
	})
}
