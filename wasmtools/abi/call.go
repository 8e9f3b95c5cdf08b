package abi

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Limits bounds what one call may move between guest and gateway.
type Limits struct {
	InputBytes  int
	OutputBytes int // and of the text of a failure
	LogLines    int // lines beyond it are dropped, and counted at the end
	LogBytes    int // likewise
	HostCalls   int // asking for something, or logging
	RandomBytes int // read from the host

	Deadline time.Time // of what the host does for the guest; none if zero
}

// LimitError names the limit that ended a call.
type LimitError struct {
	Limit string // its name in a manifest, as "output_bytes"
	Most  int64
}

func (e *LimitError) Error() string { return fmt.Sprintf("over the limit %s of %d", e.Limit, e.Most) }

// BoundError names what a guest had more of than any guest may have.
type BoundError struct {
	What string // as "bytes in a path"
	Most int64
}

func (e *BoundError) Error() string { return fmt.Sprintf("more than %d %s", e.Most, e.What) }

// ErrStopped is the reason of a call that Stop ended.
var ErrStopped = errors.New("the call was stopped")

// Turn is a run's place among others that take cores. Its methods are called from the
// goroutine of the run. An error ends the run.
type Turn interface {
	// Visit is called about once a millisecond while the guest computes.
	Visit() error

	// Leave is called before the host waits for something on behalf of the guest, and
	// Return afterwards, unless the run ends there.
	Leave()
	Return() error
}

// Call is one run of a guest. It belongs to one instance and is used for one
// run after the other; only Stop may be called from another goroutine.
type Call struct {
	Turn Turn // set before Begin; nil for none

	run
	arena   arena // memory of the Extism functions
	stopped atomic.Bool
}

// run is what is new in each run.
type run struct {
	Output    []byte // what the guest wrote so far
	Failure   []byte // why it failed, as it says
	HostCalls int

	host    Host
	limits  Limits
	input   []byte
	unread  []byte // what is left of the input on standard input
	answer  []byte // of the last host call
	vars    map[string][]byte
	status  int32  // of the last HTTP response
	headers uint64 // handle of its headers
	log     logLine
	random  int
	ctx     context.Context // of the run, for functions that are not given one
	err     error           // why the host ended the run
}

// Begin makes c ready for a run with input. Output and Failure are new.
func (c *Call) Begin(ctx context.Context, host Host, limits Limits, input []byte) error {
	if len(input) > limits.InputBytes {
		return &LimitError{"input_bytes", int64(limits.InputBytes)}
	}
	c.run = run{host: host, limits: limits, input: input, unread: input, ctx: ctx, log: logLine{at: logInfo}}
	c.arena.reset(limits.InputBytes + limits.OutputBytes + arenaSpare)
	c.stopped.Store(false)
	return nil
}

// End returns why the host ended the run, nil if it did not, and drops what the run held.
func (c *Call) End() error {
	c.log.flush(c)
	c.input, c.unread, c.vars, c.ctx = nil, nil, nil, nil
	return c.err
}

// Stop makes the run's next host function end it, from any goroutine between Begin and End.
func (c *Call) Stop() { c.stopped.Store(true) }

type callKey struct{}

// Context returns ctx with c, for calling the guest.
func (c *Call) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// from returns the call that ctx belongs to. The guest cannot run without one.
func from(ctx context.Context) *Call { return ctx.Value(callKey{}).(*Call) }

func (c *Call) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.limits.Deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, c.limits.Deadline)
}

// errEnded is what a host function panics with to end a guest; the engine makes
// it the error of the call. The reason is in Call.err.
var errEnded = errors.New("the host ended the call")

// end ends the guest with a reason. It does not return.
func (c *Call) end(err error) {
	if c.err == nil {
		c.err = err
	}
	panic(errEnded)
}

// check ends a run that was stopped. Each host function whose work is not
// tiny begins with it: the guest itself cannot be stopped while in one.
func (c *Call) check() {
	if c.stopped.Load() {
		c.end(ErrStopped)
	}
}

// outside does something that may wait for what is no work of a core.
func outside[T any](c *Call, do func() (T, error)) (T, error) {
	if c.Turn == nil {
		return do()
	}
	c.Turn.Leave()
	value, err := do()
	c.endOn(c.Turn.Return())
	return value, err
}

// limit ends the guest if n is more than most, the value of the named limit.
func (c *Call) limit(n, most int, name string) {
	if n > most {
		c.end(&LimitError{name, int64(most)})
	}
}

// count counts a use of the host, and ends the guest after too many.
func (c *Call) count() {
	c.check()
	c.HostCalls++
	c.limit(c.HostCalls, c.limits.HostCalls, "host_calls")
}

func (c *Call) write(b []byte) {
	c.check()
	c.limit(len(c.Output)+len(b), c.limits.OutputBytes, "output_bytes")
	if c.Output == nil { // an answer is often written in pieces, and about as long as the input
		c.Output = make([]byte, 0, max(len(b), min(len(c.input)+outputSpare, c.limits.OutputBytes)))
	}
	c.Output = append(c.Output, b...)
}

// outputSpare is how much longer than its input an answer may be without being moved, in bytes.
const outputSpare = 64

// fail adds b to the guest's reason for its failure.
func (c *Call) fail(b []byte) {
	c.check()
	c.limit(len(c.Failure)+len(b), c.limits.OutputBytes, "output_bytes")
	c.Failure = append(c.Failure, b...)
}
