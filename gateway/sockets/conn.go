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

// Limits of a WebSocket.
const (
	// To write one message, plus the time that slowestRate allows; default of Set.Write.
	writeTime   = 10 * time.Second
	slowestRate = 1 << 20       // bytes per second: the lowest rate at which a message may be written
	maxSilence  = 3 * pingEvery // without a pong; then the client counts as gone
	fullBytes   = 256 << 10     // queued bytes above which WaitForRoom waits
	queueBytes  = 4 << 20       // queued bytes above which the connection is closed; the client can resume
)

// Conn is a WebSocket with a queue of messages to send.
type Conn struct {
	conn  *websocket.Conn
	leave time.Duration // time to write a message, plus the time that slowestRate allows
	turn  int           // its share of pings, see Set.Ping
	heard atomic.Int64  // time of the last message or pong, in Unix seconds

	Watching  atomic.Int64 // number of conversations whose events this connection gets
	finishing atomic.Bool  // set when the server drains

	arriving Arriving // counts the bytes of the message being received; nil counts nothing

	mu      sync.Mutex
	queue   [][]byte
	bytes   int
	pinged  bool // a ping is queued
	writing bool
	closed  bool
	idle    sync.Cond // signaled when queue, writing or closed change
}

// New returns a Conn for an upgraded WebSocket. A received message may have at most
// sdkapi.MaxWSMessage bytes, see Limit.
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

// WireJSON encodes JSON for clients other than web pages. It does not escape "<", because an
// escaped "<" takes six bytes.
func WireJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// ErrClosed is the error of Send if the connection is closed or closing. Receive returns ErrClosed after it has
// closed the connection.
var ErrClosed = errors.New("the connection is closed")

// Send encodes a message as JSON and queues it. It does not wait for the client. If more than 4 MiB
// are already queued, Send closes the connection. It fails with ErrClosed if the connection is
// closed.
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
	if c.bytes > queueBytes { // a single message may be larger than queueBytes
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

// WaitForRoom waits until at most 256 KiB are queued. It returns false if the connection is closed.
func (c *Conn) WaitForRoom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.bytes > fullBytes && !c.closed {
		c.idle.Wait()
	}
	return !c.closed
}

// write writes the queue until it is empty.
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

// hear records that the client is alive.
func (c *Conn) hear() { c.heard.Store(time.Now().Unix()) }

// Heard returns the time of the client's last message or pong, in whole seconds.
func (c *Conn) Heard() time.Time { return time.Unix(c.heard.Load(), 0) }

// ping queues a ping. It closes the connection if the client has been silent for maxSilence. While
// a message is being written it sends no ping, since the write itself fails if the client is gone.
// It does not block.
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

// Limit sets the maximum size of a received message, in bytes. The default is sdkapi.MaxWSMessage.
func (c *Conn) Limit(bytes int64) { c.conn.SetReadLimit(bytes) }

// Receive returns the next text message. timeout is the maximum wait. If the message is binary,
// Receive closes the connection and fails with ErrClosed. Otherwise it fails like ReceiveAny.
func (c *Conn) Receive(timeout time.Duration) ([]byte, error) {
	data, binary, err := c.ReceiveAny(timeout)
	if err == nil && binary {
		return nil, c.refuse(websocket.CloseUnsupportedData, "messages must be text, not binary")
	}
	return data, err
}

// Arriving counts the bytes of a message while the message is received. Arrived gets the number of
// bytes of this message so far, and fails if a limit is reached. End is called at the end of each
// message.
type Arriving interface {
	Arrived(n int64) error
	End()
}

// Count sets the counter for received bytes. It calls newCounter with a function that closes the
// connection. All messages of the connection use the counter that newCounter returns.
func (c *Conn) Count(newCounter func(interrupt func(cause error)) Arriving) {
	c.arriving = newCounter(func(error) {
		go c.Abort(websocket.CloseTryAgainLater, "the gateway is receiving too much data at once; try again in a few seconds")
	})
}

// counted returns a reader that counts the bytes of a message.
func (c *Conn) counted(r io.Reader) io.Reader {
	if c.arriving == nil {
		return r
	}
	return &countedReader{r, c.arriving, 0}
}

// countedReader reports the bytes of a message to arriving after each read.
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

// ReceiveAny returns the next message, and whether the message is binary. timeout is the maximum
// wait. If the message is too large or invalid, or if its counter fails, ReceiveAny closes the
// connection and fails with ErrClosed.
func (c *Conn) ReceiveAny(timeout time.Duration) (data []byte, binary bool, err error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return nil, false, err
	}
	kind, r, err := c.conn.NextReader()
	if err == nil {
		c.hear()
		data, err = io.ReadAll(c.counted(r)) // limited by the read limit
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

// refuse closes the connection with a reason and returns ErrClosed. Before that it reads all bytes
// that the client still sends, at most for c.leave. A connection that is closed with unread bytes is
// reset (RFC 9112, 9.6). A client that is still writing would then not see the reason.
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

// FinishSilent closes the connection with a code and a reason if err is a timeout of Receive. For
// any other error it does nothing.
func (c *Conn) FinishSilent(err error, code int, reason string) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.Finish(code, reason)
	}
}

// maxCloseReason is the maximum length of the reason in a close frame, in bytes (RFC 6455, 5.5).
const maxCloseReason = 123

// Finish writes the queued messages and closes the connection with a reason, of which the client
// gets at most 123 bytes.
func (c *Conn) Finish(code int, reason string) {
	c.shut()
	c.Abort(code, reason)
}

// shut refuses further messages and waits until the queued ones are written.
func (c *Conn) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.writing {
		c.idle.Wait()
	}
}

// Abort closes the connection at once. Queued messages are lost.
func (c *Conn) Abort(code int, reason string) {
	c.mu.Lock()
	c.closed = true
	c.idle.Broadcast()
	c.mu.Unlock()
	c.sendClose(code, reason)
	_ = c.conn.Close()
}

// sendClose sends a close frame, and waits at most a second for that. It cuts the reason to maxCloseReason bytes.
func (c *Conn) sendClose(code int, reason string) {
	_ = c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, plain.Cut(reason, maxCloseReason)), time.Now().Add(time.Second))
}
