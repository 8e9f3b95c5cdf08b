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

// Times of a stream.
const (
	hostDialTime  = 15 * time.Second
	hostWriteTime = 15 * time.Second
)

// maxHostMessage bounds a message of the gateway's, in bytes.
const maxHostMessage = 64 << 20

// maxHostQueue bounds the messages that wait to leave by one connection.
const maxHostQueue = 256

// hostStream is one connection of a Host.
type hostStream struct {
	conn *websocket.Conn
	out  chan any
}

// send queues a message. A connection that takes none ends, which its reader notices.
func (s *hostStream) send(m any) {
	select {
	case s.out <- m:
	default:
		_ = s.conn.Close()
	}
}

// write sends what is queued until ctx ends. Where that fails, the connection ends.
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

// receive returns the next message.
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

// Serve hears the session, and runs its calls, until ctx ends, which is no error, or the gateway refuses the program.
// It comes back as often as the connection breaks, and returns when the calls that run have ended. It is called once.
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

// at is the last message that was heard.
func (h *Host) at() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cursor
}

// final reports whether an error is a refusal, which another try does not change.
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

// once hears the session over one connection, and reports whether it was opened.
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
			continue // of a newer gateway
		}
		if refused, ok := m.(*sdkapi.AgentErrorMessage); ok && !opened { // a session is not heard before it is created
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

// hello introduces the program.
func (h *Host) hello() sdkapi.AgentClientMessage {
	cursor := h.at()
	accept := []string{sdkapi.AgentUserMessage, sdkapi.AgentThought, sdkapi.AgentToolStarted, sdkapi.AgentToolOutput, sdkapi.AgentWarning, sdkapi.AgentResync, sdkapi.AgentProgress}
	if h.opts.Asks {
		accept = append(accept, sdkapi.AgentApproval, sdkapi.AgentDecided)
	}
	m := sdkapi.AgentClientMessage{
		Type: sdkapi.AgentHello, SessionID: h.id, ClientVersion: h.opts.Version, WorkspaceRoot: h.opts.Root, System: h.opts.OS,
		AfterSeq: &cursor, ClientID: h.opts.Name, Accept: accept, GatewayTools: h.opts.GatewayTools,
	}
	if h.opts.Tools != nil {
		m.ToolManifest, _ = json.Marshal(map[string]any{"tools": h.opts.Tools}) // a schema that is no JSON is refused
	}
	return m
}

// use has messages be sent by a connection from now on, and sends again what may be lost.
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

// hear takes one message.
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
		h.stop(m.ToolCallID)
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

// working notes the turn that the agent works on, and the message that began it. A cancel that waits for what this program said is of
// that turn.
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

// works notes the turn of what the agent does, which began before this program came. A cancel waits no longer
// where a gateway names no turns.
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

// over forgets what belonged to a turn that has ended. What the user says next belongs to the next one.
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

// stop ends a call that nobody waits for.
func (h *Host) stop(call string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if stop := h.calls[call]; stop != nil {
		stop()
	}
}

// passing are the codes of refusals that another try may not meet.
var passing = map[sdkapi.Code]bool{sdkapi.RateLimited: true, sdkapi.Overloaded: true, sdkapi.StateUnavailable: true, sdkapi.StorageUnavailable: true, sdkapi.Timeout: true}

// again handles the refusal of a message: it is sent again later, which again reports, or forgotten.
func (h *Host) again(ctx context.Context, m *sdkapi.AgentErrorMessage) bool {
	key := ""
	switch m.InReplyTo {
	case sdkapi.AgentUserMessage:
		h.arrived("say " + m.MessageID) // the program sees that it was refused
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

// decides returns the key of the answer to a question.
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

// call runs a tool, unless the program has run it, or does.
func (h *Host) call(ctx context.Context, m *sdkapi.AgentToolCallMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.opts.Run == nil || h.seen[m.TurnID+m.ToolCallID] {
		return
	}
	h.seen[m.TurnID+m.ToolCallID] = true
	ctx, stop := context.WithCancel(ctx)
	h.calls[m.ToolCallID] = stop
	call := HostCall{ID: m.ToolCallID, Name: m.Name, Arguments: m.Arguments, Reason: m.Reason, Again: m.Seq <= h.known}
	h.running.Go(func() {
		defer stop()
		r := h.opts.Run(ctx, call)
		output, err := json.Marshal(r.Output)
		if err != nil {
			output, r.IsError = json.RawMessage(`"the tool's output cannot be written as JSON"`), true
		}
		h.mu.Lock()
		delete(h.calls, call.ID)
		h.mu.Unlock()
		if ctx.Err() != nil {
			return // nobody waits for it
		}
		h.tell(&said{"result " + call.ID, sdkapi.AgentClientMessage{Type: sdkapi.AgentToolResult, ToolCallID: call.ID, Output: output, IsError: r.IsError, Images: r.Images}})
	})
}
