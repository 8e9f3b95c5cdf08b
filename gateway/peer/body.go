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

// For streamed request bodies, fasthttp leaves three tasks to the gateway. It must limit the time
// and the size of a body. It must distinguish a complete body from one that was cut short. And it
// must leave no unread bytes on the connection, which would be read as the next request.

const (
	bodyTimeout = 10 * time.Minute // for the whole body
	// Total wait for the bytes of a body, plus the time that bodyRate allows for the received
	// bytes.
	bodyGrace  = 30 * time.Second
	bodyRate   = 1 << 10          // bytes per second: the lowest rate at which a body may arrive
	drainBytes = 64 << 20         // maximum bytes to discard, so that a refused client reads the response
	drainTime  = 10 * time.Second // total time to discard
)

// For a client that is turned away, the gateway reads only bytes that are already on their way.
// That is enough to keep the connection of a small request, and does not wait.
const (
	turnedAwayBytes = 64 << 10
	turnedAwayStall = 100 * time.Millisecond
	turnedAwayTime  = time.Second
)

// BodyError is the message for a client whose request body did not arrive completely.
type BodyError string

// The values of BodyError.
const (
	ErrShortBody BodyError = "the body is incomplete: the connection ended early; send the request again"
	ErrSlowBody  BodyError = "the body arrived too slowly; send the request again"
)

// Fault returns the error for the client: REQUEST_TIMEOUT for ErrSlowBody, and MALFORMED_BODY for
// ErrShortBody. The parameter cause is the internal error, which only the log contains.
func (e BodyError) Fault(cause error) *fault.Error {
	code := sdkapi.MalformedBody
	if e == ErrSlowBody {
		code = sdkapi.RequestTimeout
	}
	return fault.New("gateway.body", code, "%s", string(e)).At("body", "expected the whole body").Because(cause)
}

// Body reads the body of one request. Read returns io.EOF after the whole body. If the body was cut
// short, Read returns io.ErrUnexpectedEOF. If the body is too slow, Read returns a net.Error that is
// a timeout. If Cut or Held has set another error, Read returns that error.
type Body struct {
	r        io.Reader // nil for a request without a body
	conn     net.Conn
	left     int           // remaining bytes; negative if unknown, for example with chunked encoding
	arrived  int64         // bytes read
	stall    time.Duration // maximum wait for the next byte
	waited   time.Duration // total wait for bytes so far, without the handler's own time between reads
	deadline time.Time     // for the whole body; zero before the first read
	armed    time.Time     // the read deadline that b has set on conn; zero if unknown
	err      error         // the error at which the body ended; fasthttp must not be read after it
	held     Held          // accounts for memory; nil for none

	cut atomic.Pointer[error] // the error of Cut
}

// Held reserves memory for the body of one request while the body is arriving.
type Held interface {
	// Arrived reserves memory for the first n bytes of the body. complete is true if the body has
	// no more bytes. Arrived fails if a limit is reached. It may be called twice with the same n,
	// if only complete changes.
	Arrived(n int64, complete bool) error
	// Give releases the memory. Further calls have no effect.
	Give()
}

// Hold sets h as the object that reserves memory for the body. Call it before the first Read.
func (b *Body) Hold(h Held) { b.held = h }

// NewBody returns the body that r reads from conn. The parameter length is the number of bytes in r,
// or negative if unknown. If r is nil, the body is empty. The parameter stall is the maximum wait for
// a byte.
func NewBody(r io.Reader, conn net.Conn, length int, stall time.Duration) *Body {
	b := &Body{r: r, conn: conn, left: length, stall: stall}
	if r == nil || length == 0 {
		b.err = io.EOF
	}
	return b
}

// Instead returns a body with the same content, connection and deadline as b. It is for a caller that
// has already read b, for example to check an idempotency key. The reader r must return the same
// content again. The parameter length is the number of bytes in r, or negative if unknown.
func (b *Body) Instead(r io.Reader, length int) *Body {
	return &Body{r: r, conn: b.conn, left: length, stall: b.stall, deadline: b.deadline}
}

// Left returns the number of bytes that are not read yet, or a negative number if unknown.
func (b *Body) Left() int { return b.left }

// Arrived returns the number of bytes received.
func (b *Body) Arrived() int64 { return b.arrived }

// Ended returns io.EOF if the whole body was read, or the error that interrupted the body. It
// returns nil while more bytes may follow.
func (b *Body) Ended() error { return b.err }

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	b.armed = time.Time{} // another user of the connection may have set a deadline
	n, _, err := b.readAt(p, time.Now())
	return n, err
}

// readAt does the same as Read. began is the time of the call. It also returns the time at its end,
// so that the caller need not read the clock again.
func (b *Body) readAt(p []byte, began time.Time) (n int, ended time.Time, err error) {
	ended = began
	if b.err != nil {
		return 0, ended, b.err
	}
	if err := b.arm(began); err != nil {
		return 0, ended, err
	}
	if why := b.cut.Load(); why != nil { // cut before or while arm set the deadline
		b.err = *why
		return 0, ended, b.err
	}
	n, err = b.r.Read(p)
	ended = time.Now()
	b.waited += ended.Sub(began)
	b.arrived += int64(n)
	b.left -= max(min(n, b.left), 0)
	switch why := b.cut.Load(); {
	case why != nil && IsTimeout(err): // cut during the read
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
			b.held = nil // discarding takes no memory
			return 0, ended, err
		}
	}
	return n, ended, b.err
}

// slack limits how early a deadline may be: by wait/slack. Setting a deadline takes as long as
// copying a small body, so a nearly equal one is not set again. The server sets its own deadline
// for the next request.
const slack = 64

// arm sets the connection's read deadline for a read at now, unless the current one is nearly
// equal.
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

// patience returns how long the gateway still waits for the body. Without this limit, a client that
// sends a byte now and then could hold a connection until bodyTimeout.
func (b *Body) patience() time.Duration {
	return bodyGrace + time.Duration(b.arrived)*(time.Second/bodyRate) - b.waited
}

// Cut interrupts the body: a running Read and all later Reads fail with the error cause. If Cut is
// called again, the first cause stays.
func (b *Body) Cut(cause error) {
	b.cut.CompareAndSwap(nil, &cause)
	_ = b.conn.SetReadDeadline(time.Unix(1, 0))
}

// Discard reads and ignores the remaining bytes, up to a limit. A refused client can then read the
// response before the connection closes. If turnedAway is true, Discard waits only for bytes that are
// already on their way.
func (b *Body) Discard(turnedAway bool) {
	most, longest := int64(drainBytes), drainTime
	if turnedAway {
		most, longest, b.stall = turnedAwayBytes, turnedAwayTime, turnedAwayStall
	}
	b.deadline = time.Now().Add(longest)
	_, _ = io.CopyN(io.Discard, b, most)
}

// BodyFault converts an error from reading a body to an error for the client.
func BodyFault(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if IsTimeout(err) {
		return ErrSlowBody.Fault(err)
	}
	return ErrShortBody.Fault(err)
}

// IsTimeout reports whether an error is a timeout, such as a passed deadline of a connection.
func IsTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// ReadWhole returns the whole body. If the body has more than limit bytes, ReadWhole returns the
// error that the function tooLarge returns.
func ReadWhole(b *Body, limit int, tooLarge func() error) ([]byte, error) {
	switch {
	case b.left > limit:
		return nil, tooLarge()
	case b.left >= 0:
		return readAll(b)
	}
	whole, err := io.ReadAll(io.LimitReader(b, int64(limit)+1))
	switch {
	case err != nil:
		return nil, BodyFault(err)
	case len(whole) > limit:
		return nil, tooLarge()
	}
	return whole, nil
}

// readAll reads the remaining bytes of b. It grows its buffer as they arrive, since a client may
// declare more than it sends.
func readAll(b *Body) ([]byte, error) {
	b.armed = time.Time{}
	whole := make([]byte, 0, min(b.left, firstBuffer))
	for now := time.Now(); b.left > 0; {
		if len(whole) == cap(whole) {
			whole = slices.Grow(whole, min(len(whole), b.left))
		}
		n, ended, err := b.readAt(whole[len(whole):min(cap(whole), len(whole)+b.left)], now)
		whole, now = whole[:len(whole)+n], ended
		if err != nil && !errors.Is(err, io.EOF) { // also with the last byte: Held may refuse the whole body
			return nil, BodyFault(err)
		}
	}
	return whole, nil
}

// firstBuffer is the initial size of a body's buffer, in bytes.
const firstBuffer = 64 << 10
