package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/sdkapi"
)

// Limits of a connection to an agent.
const (
	wakeHello  = 10 * time.Second // time for the handshake
	wakeSilent = 2 * time.Minute  // longest silence, heartbeats included
	wakeWrite  = 10 * time.Second // time to write one message
	wakeTries  = 5                // connection attempts in a row
	wakeBytes  = 64 << 20         // size of one message, which may repeat a query
)

// newUUID returns a new message id.
func newUUID() string { return uuid.NewString() }

// wakeMessage is a message to the gateway.
type wakeMessage struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// wakeMessageOf returns a message with payload as JSON; nil becomes an empty object. It fails if
// payload cannot be encoded.
func wakeMessageOf(id, kind string, payload any) (wakeMessage, error) {
	if payload == nil {
		payload = sdkapi.WSNothing{}
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		return wakeMessage{}, fmt.Errorf("sdk: cannot send the payload of %s: %w", kind, err)
	}
	return wakeMessage{id, kind, raw}, nil
}

// wakeLink is one connection.
type wakeLink struct {
	conn *websocket.Conn
	mu   sync.Mutex // guards writes
}

// write sends one message as JSON. It may take wakeWrite. Several goroutines may call it.
func (l *wakeLink) write(v any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.conn.SetWriteDeadline(time.Now().Add(wakeWrite)) // a closed connection also fails the write
	return l.conn.WriteJSON(v)
}

// read waits for the next message, and fails after a silence of wakeSilent. Only one goroutine may
// call it.
func (l *wakeLink) read() (m sdkapi.WSMessage, err error) {
	_ = l.conn.SetReadDeadline(time.Now().Add(wakeSilent)) // a closed connection also fails the read
	err = l.conn.ReadJSON(&m)
	return m, err // not in one line: Go may read m before it calls ReadJSON
}

// close closes the connection without a goodbye, so that read and write fail. It may be called
// twice.
func (l *wakeLink) close() { _ = l.conn.Close() }

// connect opens a connection and waits until the gateway has accepted the handshake.
func (a *WokenAgent) connect(ctx context.Context) (*wakeLink, error) {
	ctx, cancel := context.WithTimeout(ctx, wakeHello)
	defer cancel()
	url := "ws" + strings.TrimPrefix(a.client.base, "http") + sdkapi.WSPath
	conn, resp, err := (&websocket.Dialer{Proxy: http.ProxyFromEnvironment}).DialContext(ctx, url, a.client.header)
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	if err != nil && resp != nil && resp.StatusCode >= http.StatusBadRequest {
		return nil, errorOf(resp)
	}
	if err != nil {
		return nil, fmt.Errorf("sdk: %s: %w", url, err)
	}
	conn.SetReadLimit(wakeBytes)
	link := &wakeLink{conn: conn}
	pong := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		_ = conn.SetReadDeadline(time.Now().Add(wakeSilent))
		return pong(data)
	})
	defer context.AfterFunc(ctx, link.close)()
	if err := a.greet(link); err != nil {
		link.close()
		return nil, fmt.Errorf("sdk: %s: the handshake: %w", url, err)
	}
	return link, nil
}

// greet sends the handshake, then a request whose response proves that the handshake was accepted.
func (a *WokenAgent) greet(link *wakeLink) error {
	check, err := wakeMessageOf(newUUID(), sdkapi.WSLoadSettings, nil)
	if err == nil {
		err = link.write(a.handshake())
	}
	if err == nil {
		err = link.write(check)
	}
	for err == nil {
		var m sdkapi.WSMessage
		if m, err = link.read(); err != nil {
			break
		}
		if m.Type == sdkapi.WSClientToolManifest {
			a.mu.Lock()
			err = json.Unmarshal(m.Payload, &a.manifest)
			a.mu.Unlock()
		}
		if m.InReplyTo == check.ID {
			return err
		}
	}
	return err
}

// handshake returns the message that names the user and the program's tools.
func (a *WokenAgent) handshake() sdkapi.WSHandshake {
	tools := &sdkapi.WSAgentTools{Mode: "default_plus_client", DisabledTools: a.opts.Disabled}
	for _, t := range a.opts.Tools {
		if tools.ClientManifest == nil {
			tools.ClientManifest = &sdkapi.WSClientManifest{Version: 1}
		}
		description := t.Description
		if description == "" {
			description = t.Name
		}
		tools.ClientManifest.Tools = append(tools.ClientManifest.Tools, sdkapi.WSClientTool{
			Name: t.Name, Description: description, ExecutionTarget: "local_runtime", Schema: t.Schema, Risk: t.Risk,
		})
	}
	definition := &sdkapi.WSAgentDefinition{Version: 1, Approvals: sdkapi.ApprovalsByClient, Tools: tools}
	if a.opts.OS != "" {
		definition.Runtime = &sdkapi.WSAgentRuntime{OperatingSystem: a.opts.OS}
	}
	return sdkapi.WSHandshake{Type: sdkapi.WSHandshakeType, UserID: a.opts.User, AgentDefinition: definition}
}

// run handles incoming messages and reconnects after each break, until the agent is closed or
// reconnecting fails for good.
func (a *WokenAgent) run(link *wakeLink) {
	var err error
	for link != nil {
		var m sdkapi.WSMessage
		if m, err = link.read(); err == nil {
			a.hear(m)
			continue
		}
		link.close()
		a.mu.Lock()
		a.link = nil
		a.mu.Unlock()
		link, err = a.comeBack(err)
	}
	a.end(err)
}

// comeBack reconnects and sends the messages that may be lost. If it fails, the error says why.
func (a *WokenAgent) comeBack(broke error) (*wakeLink, error) {
	for try := 0; try < wakeTries; try++ {
		if closed, ok := errors.AsType[*websocket.CloseError](broke); final(broke) || ok && closed.Code == websocket.ClosePolicyViolation {
			return nil, broke
		}
		select {
		case <-a.ctx.Done():
			return nil, errors.New("the agent is closed")
		case <-time.After(backoff(minPause, maxPause, try, nil) + rand.N(minPause)): //nolint:gosec // it only keeps clients apart
		}
		link, err := a.connect(a.ctx)
		if err == nil {
			if err = a.use(link); err == nil {
				return link, nil
			}
			link.close()
		}
		broke = err
	}
	return nil, broke
}

// use makes link the current connection, after it has sent the messages that may be lost.
func (a *WokenAgent) use(link *wakeLink) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.lost() {
		if err := link.write(m); err != nil {
			return err
		}
	}
	a.open = slices.DeleteFunc(a.open, func(t *wakeTurn) bool { return t.gone }) // their cancels are sent
	for len(a.outbox) > 0 {
		if err := link.write(a.outbox[0]); err != nil {
			return err
		}
		a.outbox = a.outbox[1:]
	}
	a.link = link
	return nil
}

// wakeAnswered are the types of messages that the gateway answers by id and that may be sent twice.
var wakeAnswered = []string{sdkapi.WSLoadSettings, sdkapi.WSUpdateSettings, sdkapi.WSListModels, sdkapi.WSWakeword}

// send sends a message now, or on the next connection.
func (a *WokenAgent) send(m wakeMessage) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil || a.ctx.Err() != nil {
		return errors.Join(a.err, a.ctx.Err())
	}
	if slices.Contains(wakeAnswered, m.Type) {
		a.asked = append(a.asked, m)
	}
	if a.link == nil || a.link.write(m) != nil {
		a.outbox = append(a.outbox, m)
	}
	return nil
}

// wakePlace is the position in a conversation. Of the event seq, count messages have arrived. The
// field before is the seq of the previous event. After a reconnect, the next skip messages of seq
// are repetitions.
type wakePlace struct {
	before, seq int64
	count, skip int
}

// pass records a message and reports whether it is new.
func (a *WokenAgent) pass(m sdkapi.WSMessage) bool {
	if m.ConversationRef == "" || m.Seq == 0 {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.places[m.ConversationRef]
	if p == nil {
		p = &wakePlace{}
		a.places[m.ConversationRef] = p
	}
	switch {
	case m.Seq < p.seq:
		return false
	case m.Seq == p.seq && p.skip > 0:
		p.skip--
		return false
	case m.Seq > p.seq:
		*p = wakePlace{before: p.seq, seq: m.Seq}
	}
	p.count++
	return true
}

// lost returns the messages to send first on a new connection: queries whose turn has not begun, a
// resume for each other open conversation, cancels of abandoned turns, and results and requests
// that may not have arrived. The caller holds mu.
func (a *WokenAgent) lost() (list []wakeMessage) {
	a.named = false
	var refs []string
	for _, turn := range a.open {
		if turn.gone {
			list = append(list, turn.cancel()...)
			continue
		}
		p := a.places[turn.ref]
		if !turn.begun || p == nil {
			a.outbox = slices.DeleteFunc(a.outbox, func(m wakeMessage) bool { return m.ID == turn.id })
			list = appendMessage(list, turn.id, sdkapi.WSQuery, turn.payload)
		} else if !slices.Contains(refs, turn.ref) {
			p.skip = p.count
			list = appendMessage(list, newUUID(), sdkapi.WSResume, sdkapi.WSResumePayload{ConversationRef: turn.ref, Seq: p.before})
		}
		refs = append(refs, turn.ref)
	}
	for _, r := range a.unheard {
		a.outbox = slices.DeleteFunc(a.outbox, func(m wakeMessage) bool { return m.ID == r.message.ID })
		list = append(list, r.message)
	}
	for _, asked := range a.asked {
		a.outbox = slices.DeleteFunc(a.outbox, func(m wakeMessage) bool { return m.ID == asked.ID })
	}
	return append(list, a.asked...)
}

// appendMessage appends a message to list. If payload cannot be encoded, it returns list unchanged.
func appendMessage(list []wakeMessage, id, kind string, payload any) []wakeMessage {
	m, err := wakeMessageOf(id, kind, payload)
	if err != nil {
		return list // cannot fail: it was sent before
	}
	return append(list, m)
}
