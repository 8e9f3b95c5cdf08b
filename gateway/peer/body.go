package peer

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Of streamed request bodies fasthttp leaves three things to us: to bound how long and how
// much is read, to distinguish a body cut short from one that ended, and to leave nothing
// unread on the connection: the rest of a body would be taken for the next request.

const (
	bodyTimeout = 10 * time.Minute // for all of a body
	bodyGrace   = 30 * time.Second // that the gateway waits for bytes of a body in all, and what bodyRate gives the bytes that came
	bodyRate    = 1 << 10          // bytes a second, the slowest client that is waited for beyond that
	drainBytes  = 64 << 20         // read and thrown away so that a refused client hears why
	drainTime   = 10 * time.Second
)

// Of whoever is turned away only what is on its way already is read: enough
// for a small request to keep its connection, and nothing to wait for.
const (
	turnedAwayBytes = 64 << 10
	turnedAwayStall = 100 * time.Millisecond
	turnedAwayTime  = time.Second
)

// BodyError is a way in which a body can fail to arrive.
type BodyError string

// The ways.
const (
	ErrShortBody BodyError = "the body is incomplete: the connection ended early; send the request again"
	ErrSlowBody  BodyError = "the body arrived too slowly; send the request again"
)

// Fault explains the error to the body's sender.
func (e BodyError) Fault(cause error) *fault.Error {
	code := sdkapi.MalformedBody
	if e == ErrSlowBody {
		code = sdkapi.RequestTimeout
	}
	return fault.New("gateway.body", code, "%s", string(e)).At("body", "expected the whole body").Because(cause)
}

// Body reads one request's body. Its errors are io.EOF after the whole
// body, and otherwise io.ErrUnexpectedEOF or a net.Error timeout.
type Body struct {
	r        io.Reader // nil: there is no body
	conn     net.Conn
	left     int           // bytes still to come; negative: unknown, as in chunks
	arrived  int64         // bytes read
	stall    time.Duration // the longest wait for a byte
	waited   time.Duration // for bytes so far; what the handler does between two reads does not count
	deadline time.Time     // of the whole body; zero before the first read
	armed    time.Time     // the deadline that the connection has of b; zero for none
	err      error         // what ended it, once it has ended; fasthttp must not be read again then
	held     Held          // memory for what has arrived; nil for none

	cut atomic.Pointer[error] // why nothing more is to be read, see Cut
}

// Held is memory that a body takes as it arrives.
type Held interface {
	// Arrived takes what n bytes need, which are all if whole is set, or fails. It is called once more with the same n
	// where only that is news.
	Arrived(n int64, whole bool) error
	// Give gives all of it back. It may be called again.
	Give()
}

// Hold has the body take memory as it arrives.
func (b *Body) Hold(h Held) { b.held = h }

// NewBody returns a body of left bytes, or of an unknown number if left is negative. r is nil
// if there is none. stall is the longest wait for a byte.
func NewBody(r io.Reader, conn net.Conn, left int, stall time.Duration) *Body {
	b := &Body{r: r, conn: conn, left: left, stall: stall}
	if r == nil || left == 0 {
		b.err = io.EOF
	}
	return b
}

// Instead returns a body that reads what was read of b before.
func (b *Body) Instead(r io.Reader, left int) *Body {
	return &Body{r: r, conn: b.conn, left: left, stall: b.stall, deadline: b.deadline}
}

// Left returns how many bytes are still to come; negative if that is unknown.
func (b *Body) Left() int { return b.left }

// Arrived returns how many bytes have come.
func (b *Body) Arrived() int64 { return b.arrived }

// Ended returns the error that ended the body; nil if it has not ended.
func (b *Body) Ended() error { return b.err }

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	b.armed = time.Time{} // somebody may have set another deadline meanwhile
	n, _, err := b.readAt(p, time.Now())
	return n, err
}

// readAt is Read at a time, and returns the time at its end.
func (b *Body) readAt(p []byte, began time.Time) (n int, ended time.Time, err error) {
	ended = began
	if b.err != nil {
		return 0, ended, b.err
	}
	if err := b.arm(began); err != nil {
		return 0, ended, err
	}
	if why := b.cut.Load(); why != nil { // since then, or before
		b.err = *why
		return 0, ended, b.err
	}
	n, err = b.r.Read(p)
	ended = time.Now()
	b.waited += ended.Sub(began)
	b.arrived += int64(n)
	b.left -= max(min(n, b.left), 0)
	switch why := b.cut.Load(); {
	case why != nil && IsTimeout(err): // while it was read
		b.err = *why
	case b.left > 0 && errors.Is(err, io.EOF):
		b.err = io.ErrUnexpectedEOF
	case b.left == 0:
		b.err = io.EOF
	case err != nil && !errors.Is(err, io.EOF) && !IsTimeout(err):
		b.err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err) // the connection broke
	default:
		b.err = err
	}
	if b.held != nil {
		if err := b.held.Arrived(b.arrived, errors.Is(b.err, io.EOF)); err != nil {
			b.held.Give()
			b.held = nil // what is discarded takes nothing
			return 0, ended, err
		}
	}
	return n, ended, b.err
}

// slack is the part of a wait by which a deadline may be early: setting one takes as long as copying a
// small body. Deadlines of b do not strike the next request, for which the server sets its own.
const slack = 64

// arm gives the connection the deadline of a read at now, unless it has nearly that one.
func (b *Body) arm(now time.Time) error {
	if b.deadline.IsZero() {
		b.deadline = now.Add(bodyTimeout)
	}
	wait := min(b.stall, b.patience(), b.deadline.Sub(now))
	next := now.Add(wait)
	if early := next.Sub(b.armed); !b.armed.IsZero() && early >= 0 && early < wait/slack {
		return nil
	}
	b.armed = next
	return b.conn.SetReadDeadline(next)
}

// patience returns how long the gateway still waits for a body: a client that sends a
// byte now and then is never silent for long, and holds a connection for as long as it likes.
func (b *Body) patience() time.Duration {
	return bodyGrace + time.Duration(b.arrived)*(time.Second/bodyRate) - b.waited
}

// Cut ends the reading of a body at once, with an error that says why. The first reason stays.
func (b *Body) Cut(why error) {
	b.cut.CompareAndSwap(nil, &why)
	_ = b.conn.SetReadDeadline(time.Unix(1, 0))
}

// Discard reads what nobody has read of the body, within bounds: a refused client reads the
// answer then, and not a reset. If turnedAway is set, it reads only what is on its way already.
func (b *Body) Discard(turnedAway bool) {
	most, longest := int64(drainBytes), drainTime
	if turnedAway {
		most, longest, b.stall = turnedAwayBytes, turnedAwayTime, turnedAwayStall
	}
	b.deadline = time.Now().Add(longest)
	_, _ = io.CopyN(io.Discard, b, most)
}

// BodyFault explains an error of reading a body to its sender.
func BodyFault(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if IsTimeout(err) {
		return ErrSlowBody.Fault(err)
	}
	return ErrShortBody.Fault(err)
}

// IsTimeout reports whether an error is that of a deadline of a connection.
func IsTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// ReadWhole reads a body of at most most bytes; its error for a longer one is tooLarge's.
func ReadWhole(b *Body, most int, tooLarge func() error) ([]byte, error) {
	switch {
	case b.left > most:
		return nil, tooLarge()
	case b.left >= 0:
		return readAll(b)
	}
	whole, err := io.ReadAll(io.LimitReader(b, int64(most)+1))
	switch {
	case err != nil:
		return nil, BodyFault(err)
	case len(whole) > most:
		return nil, tooLarge()
	}
	return whole, nil
}

// readAll reads what is left of b. Memory for it is made as it arrives: many may say that they send much.
func readAll(b *Body) ([]byte, error) {
	b.armed = time.Time{}
	whole := make([]byte, 0, min(b.left, firstBuffer))
	for now := time.Now(); b.left > 0; {
		if len(whole) == cap(whole) {
			whole = slices.Grow(whole, min(len(whole), b.left))
		}
		n, ended, err := b.readAt(whole[len(whole):min(cap(whole), len(whole)+b.left)], now)
		whole, now = whole[:len(whole)+n], ended
		if err != nil && b.left > 0 {
			return nil, BodyFault(err)
		}
	}
	return whole, nil
}

// firstBuffer is what a body gets before more of it has arrived, in bytes.
const firstBuffer = 64 << 10
