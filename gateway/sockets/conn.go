package sockets

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// What a WebSocket may hold and take.
const (
	writeTime   = 10 * time.Second // for one message to leave, and what slowestRate gives it besides, unless the Set says otherwise
	slowestRate = 1 << 20          // bytes of a message that leave in a second, at least
	maxSilence  = 3 * pingEvery    // without a pong, after which a client is gone
	fullBytes   = 256 << 10        // bytes that wait, above which a conversation is not read on
	queueBytes  = 4 << 20          // of messages that wait to leave; a client that is slower is closed, and can resume
)

// Conn is a WebSocket. A message is written by whoever sends it or finds
// others waiting, so that an idle connection has no goroutine but its reader's.
type Conn struct {
	conn  *websocket.Conn
	leave time.Duration // that a message may take to leave, and what slowestRate gives it besides
	turn  int           // when it is asked whether it is there, see sockets.ping
	heard atomic.Int64  // when something came last, in seconds since 1970

	Watching  atomic.Int64 // conversations of which it is sent what happens
	finishing atomic.Bool  // as the server drains

	arriving Arriving // of the message that is being read; nil counts nothing

	mu      sync.Mutex
	queue   [][]byte
	bytes   int
	pinged  bool // a ping waits to leave
	writing bool
	closed  bool
	idle    sync.Cond // signaled when queue, writing or closed change
}

// New returns a Conn over a WebSocket.
func New(conn *websocket.Conn) *Conn {
	c := &Conn{conn: conn, leave: writeTime}
	c.idle.L = &c.mu
	conn.SetReadLimit(sdkapi.MaxWSMessage)
	c.hear()
	conn.SetCloseHandler(func(code int, _ string) error {
		if tail, ok := conn.NetConn().(*tailConn); ok && tail.halfClose() {
			code = websocket.CloseProtocolError
		}
		return conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(c.leave))
	})
	conn.SetPongHandler(func(string) error {
		c.hear()
		return nil
	})
	return c
}

// WireJSON writes JSON for a client that is no page: with "<" as it is, which
// else takes six times its bytes.
func WireJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// ErrClosed is the error of sending to a connection that is closed or closing.
var ErrClosed = errors.New("the connection is closed")

// Send queues a message, written as JSON. It does not wait for the client: one that reads too slowly is closed.
func (c *Conn) Send(message any) error {
	raw, err := WireJSON(message)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if c.bytes > queueBytes { // one message may be larger than that
		c.closed = true
		go c.Abort(websocket.CloseTryAgainLater, "the client reads too slowly; connect again and resume with the last seq")
		return ErrClosed
	}
	c.queue, c.bytes = append(c.queue, raw), c.bytes+len(raw)
	if !c.writing {
		c.writing = true
		go c.write()
	}
	return nil
}

// WaitForRoom waits until few messages wait to leave, and reports whether the
// connection is still open.
func (c *Conn) WaitForRoom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.bytes > fullBytes && !c.closed {
		c.idle.Wait()
	}
	return !c.closed
}

// write sends what is queued until there is nothing more.
func (c *Conn) write() {
	for {
		c.mu.Lock()
		queue, ping := c.queue, c.pinged
		c.queue, c.bytes, c.pinged = nil, 0, false
		c.writing = len(queue) > 0 || ping
		c.idle.Broadcast()
		c.mu.Unlock()
		if len(queue) == 0 && !ping {
			return
		}
		if ping && c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.leave)) != nil {
			c.Abort(websocket.CloseGoingAway, "")
		}
		for _, raw := range queue {
			_ = c.conn.SetWriteDeadline(time.Now().Add(c.leave + time.Duration(len(raw)/slowestRate)*time.Second))
			if err := c.conn.WriteMessage(websocket.TextMessage, raw); err != nil {
				c.Abort(websocket.CloseGoingAway, "")
				break
			}
		}
	}
}

// hear notes that the client is there.
func (c *Conn) hear() { c.heard.Store(time.Now().Unix()) }

// Heard returns when something of the client came last, a pong included, to the second.
func (c *Conn) Heard() time.Time { return time.Unix(c.heard.Load(), 0) }

// ping asks the client whether it is there, and closes the connection of one that has not
// answered for long. It waits for nobody: where a message is on its way, that shows as well.
func (c *Conn) ping() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
	case time.Since(time.Unix(c.heard.Load(), 0)) > maxSilence:
		c.closed = true
		go c.Abort(websocket.CloseGoingAway, "")
	case !c.writing:
		c.pinged, c.writing = true, true
		go c.write()
	}
}

// Limit bounds the messages that are received, in bytes. The default is sdkapi.MaxWSMessage.
func (c *Conn) Limit(bytes int64) { c.conn.SetReadLimit(bytes) }

// Receive returns the next message, which must be text. It fails as ReceiveAny does.
func (c *Conn) Receive(within time.Duration) ([]byte, error) {
	data, binary, err := c.ReceiveAny(within)
	if err == nil && binary {
		return nil, c.refuse(websocket.CloseUnsupportedData, "messages must be text, not binary")
	}
	return data, err
}

// Arriving counts the bytes of a message that arrives, until End.
type Arriving interface {
	Arrived(n int64) error
	End()
}

// Count has messages counted as they arrive, by what count returns for the connection, which cut ends.
func (c *Conn) Count(count func(cut func(why error)) Arriving) {
	c.arriving = count(func(error) {
		go c.Abort(websocket.CloseTryAgainLater, "the gateway is receiving too much data at once; try again in a few seconds")
	})
}

// counted is a message that is counted as it is read.
func (c *Conn) counted(r io.Reader) io.Reader {
	if c.arriving == nil {
		return r
	}
	return &countedReader{r, c.arriving, 0}
}

type countedReader struct {
	io.Reader
	arriving Arriving
	n        int64
}

// Read implements io.Reader.
func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	if full := r.arriving.Arrived(r.n); full != nil {
		return 0, full
	}
	return n, err
}

// ReceiveAny returns the next message, and whether it is bytes and not text. It fails with ErrClosed where it has closed the
// connection for what came.
func (c *Conn) ReceiveAny(within time.Duration) (data []byte, binary bool, err error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return nil, false, err
	}
	kind, r, err := c.conn.NextReader()
	if err == nil {
		c.hear()
		data, err = io.ReadAll(c.counted(r)) // no more than the read limit
		if c.arriving != nil {
			c.arriving.End()
		}
	}
	binary = kind == websocket.BinaryMessage
	f, full := errors.AsType[*fault.Error](err)
	switch {
	case full:
		err = c.refuse(websocket.CloseTryAgainLater, f.Message)
	case errors.Is(err, websocket.ErrReadLimit):
		err = c.refuse(websocket.CloseMessageTooBig, "")
	case err == nil && !binary && !utf8.Valid(data):
		err = c.refuse(websocket.CloseInvalidFramePayloadData, "messages must be text in UTF-8")
	}
	if err != nil {
		return nil, false, err
	}
	return data, binary, nil
}

// refuse closes with a reason for what the client has sent, and returns ErrClosed. What it goes on to send is read for a while: a
// connection that is closed over bytes that nobody has read is reset (RFC 9112, 9.6), and a client that still writes would hear of
// nothing else.
func (c *Conn) refuse(code int, reason string) error {
	c.shut()
	c.sendClose(code, reason)
	conn := c.conn.NetConn()
	if closeWrite(conn) == nil && conn.SetReadDeadline(time.Now().Add(c.leave)) == nil {
		_, _ = io.Copy(io.Discard, conn)
	}
	_ = c.conn.Close()
	return ErrClosed
}

// FinishSilent closes with a reason where receive failed as nothing came.
func (c *Conn) FinishSilent(err error, code int, reason string) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.Finish(code, reason)
	}
}

// maxCloseReason is how long the reason of a close frame may be (RFC 6455, 5.5), in bytes.
const maxCloseReason = 123

// Finish lets what is queued leave, and closes with a reason, of which the client gets what a close frame has room for.
func (c *Conn) Finish(code int, reason string) {
	c.shut()
	c.Abort(code, reason)
}

// shut takes no more messages, and waits until those that are queued have left.
func (c *Conn) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.writing {
		c.idle.Wait()
	}
}

// Abort closes at once.
func (c *Conn) Abort(code int, reason string) {
	c.mu.Lock()
	c.closed = true
	c.idle.Broadcast()
	c.mu.Unlock()
	c.sendClose(code, reason)
	_ = c.conn.Close()
}

func (c *Conn) sendClose(code int, reason string) {
	_ = c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, plain.Cut(reason, maxCloseReason)), time.Now().Add(time.Second))
}
