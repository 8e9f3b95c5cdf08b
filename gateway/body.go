package gateway

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Of streamed request bodies fasthttp leaves three things to us: to bound how long and how
// much is read, to distinguish a body cut short from one that ended, and to leave nothing
// unread on the connection: the rest of a body would be taken for the next request.

const (
	bodyTimeout = 10 * time.Minute // for all of a body
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

// bodyError is a way in which a body can fail to arrive.
type bodyError string

const (
	errShortBody bodyError = "the body ended before all of it had arrived"
	errSlowBody  bodyError = "the body stopped arriving"
)

func (e bodyError) fault(cause error) *fault.Error {
	code := sdkapi.MalformedBody
	if e == errSlowBody {
		code = sdkapi.RequestTimeout
	}
	return fault.New("gateway.body", code, "%s", string(e)).At("body", "expected the whole body").Because(cause)
}

// RequestBody reads one request's body. Its errors are io.EOF after the whole
// body, and otherwise io.ErrUnexpectedEOF or a net.Error timeout.
type RequestBody struct {
	r        io.Reader // nil: there is no body
	conn     net.Conn
	left     int           // bytes still to come; negative: unknown, as in chunks
	arrived  int64         // bytes read
	stall    time.Duration // the longest wait for a byte
	deadline time.Time     // of the whole body
	err      error         // what ended it, once it has ended; fasthttp must not be read again then
	stopped  atomic.Bool   // nothing more is to be read, see cut
}

// bodyKey is where a request's body is kept among Fiber's locals.
type bodyKey struct{}

// openBody finds the body of c's request and remembers it for BodyOf.
func openBody(c *fiber.Ctx, stall time.Duration) *RequestBody {
	b := &RequestBody{
		r:        c.Context().RequestBodyStream(),
		conn:     c.Context().Conn(),
		left:     c.Request().Header.ContentLength(),
		stall:    stall,
		deadline: time.Now().Add(bodyTimeout),
	}
	if b.r == nil || b.left == 0 {
		b.err = io.EOF
	}
	c.Locals(bodyKey{}, b)
	return b
}

// BodyOf returns the body that openBody found.
func BodyOf(c *fiber.Ctx) *RequestBody { return c.Locals(bodyKey{}).(*RequestBody) }

// Read implements io.Reader.
func (b *RequestBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	next := time.Now().Add(b.stall)
	if next.After(b.deadline) {
		next = b.deadline
	}
	if err := b.conn.SetReadDeadline(next); err != nil {
		return 0, err
	}
	if b.stopped.Load() { // since then, or before
		b.err = errRevoked
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.arrived += int64(n)
	b.left -= max(min(n, b.left), 0)
	switch {
	case b.left > 0 && errors.Is(err, io.EOF):
		b.err = io.ErrUnexpectedEOF
	case b.left == 0:
		b.err = io.EOF
	case err != nil && !errors.Is(err, io.EOF) && !isTimeout(err):
		b.err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err) // the connection broke
	default:
		b.err = err
	}
	if b.err != nil { // no deadline of ours may strike the next request
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, b.err
}

// cut ends the reading of a body whose sender is let in no longer, at once.
func (b *RequestBody) cut() {
	b.stopped.Store(true)
	_ = b.conn.SetReadDeadline(time.Unix(1, 0))
}

// bodyFault explains an error of reading a body to its sender.
func bodyFault(err error) error {
	if isTimeout(err) {
		return errSlowBody.fault(err)
	}
	return errShortBody.fault(err)
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// humaContext is huma.Context under a name that, embedded, does not hide its method Context.
type humaContext = huma.Context

// boundedContext hands huma a body that is watched.
type boundedContext struct {
	humaContext
	body io.Reader
}

func (c *boundedContext) Unwrap() huma.Context  { return c.humaContext }
func (c *boundedContext) BodyReader() io.Reader { return c.body }

// boundBody is huma middleware that watches the body's arrival.
func boundBody(ctx huma.Context, next func(huma.Context)) {
	next(&boundedContext{humaContext: ctx, body: BodyOf(humafiber.UnwrapV2(ctx))})
}

// finishBody leaves the connection after the request's last byte, or closes it. Reading what
// a refused client still sends, within bounds, lets it read the answer instead of a reset.
func (s *Server) finishBody(c *fiber.Ctx) error {
	b := openBody(c, s.Config.StallTimeout)
	err := c.Next()
	if b.err == nil {
		b.discard(fault.CodeOf(err))
	}
	if !errors.Is(b.err, io.EOF) {
		c.Context().SetConnectionClose()
	}
	return err
}

// discard reads what a handler that failed with code left of the body.
func (b *RequestBody) discard(code sdkapi.Code) {
	most, longest := int64(drainBytes), drainTime
	if code == sdkapi.AuthRequired || code == sdkapi.RateLimited {
		most, longest, b.stall = turnedAwayBytes, turnedAwayTime, turnedAwayStall
	}
	b.deadline = time.Now().Add(longest)
	_, _ = io.CopyN(io.Discard, b, most)
}

// ReadWhole reads a body of at most most bytes; its error for a longer one is tooLarge's.
func ReadWhole(b *RequestBody, most int, tooLarge func() error) ([]byte, error) {
	switch {
	case b.left > most:
		return nil, tooLarge()
	case b.left >= 0:
		whole := make([]byte, b.left)
		if _, err := io.ReadFull(b, whole); err != nil {
			return nil, bodyFault(err)
		}
		return whole, nil
	}
	whole, err := io.ReadAll(io.LimitReader(b, int64(most)+1))
	switch {
	case err != nil:
		return nil, bodyFault(err)
	case len(whole) > most:
		return nil, tooLarge()
	}
	return whole, nil
}
