package abi

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Limits are the limits of one call. They limit the data and the calls between the guest and the
// gateway, and the time that the host works for the guest.
type Limits struct {
	InputBytes  int
	OutputBytes int // maximum size of the output, and of the failure text
	LogLines    int // maximum number of log lines; more lines are dropped, and their number is logged at the end
	LogBytes    int // maximum size of the log lines together; more bytes are dropped
	HostCalls   int // maximum number of calls of host functions, including those that log a line
	RandomBytes int // maximum number of random bytes that the guest gets

	Deadline time.Time // time at which the host stops its work for the guest; the zero time means no deadline
}

// LimitError names the limit that ended a call.
type LimitError struct {
	Limit string // name of the limit in a manifest, for example "output_bytes"
	Most  int64
}

// Error names the limit and its value, for the author of the plugin.
func (e *LimitError) Error() string { return fmt.Sprintf("over the limit %s of %d", e.Limit, e.Most) }

// BoundError names a limit that a guest exceeded. The limit is fixed: an operator cannot change it.
type BoundError struct {
	What string // unit of the limit, for example "bytes in a path"
	Most int64
}

// Error returns a text such as "more than 65536 bytes in a path".
func (e *BoundError) Error() string { return fmt.Sprintf("more than %d %s", e.Most, e.What) }

// ErrStopped is the error of a call that the method Stop ended.
var ErrStopped = errors.New("the call was stopped")

// Turn is a run's place in the queue for cores. Only the goroutine of the run calls its methods. If
// a method returns an error, the run ends.
type Turn interface {
	// Visit is called about once a millisecond while the guest computes.
	Visit() error

	// Leave is called before the host waits on behalf of the guest. Return is called afterwards,
	// unless the run ends during the wait.
	Leave()
	Return() error
}

// Call holds the state of a run of a guest. Each instance of a guest has one Call, and uses it for
// all its runs, one after another. A goroutine that is not the goroutine of the run may call only
// Stop.
type Call struct {
	Turn Turn // place of the run in the queue for cores, set before Begin; nil: the run does not queue

	run
	arena   arena // memory for the Extism functions
	stopped atomic.Bool
}

// run is the state that each run starts afresh.
type run struct {
	Output    []byte // written by the guest so far
	Failure   []byte // the guest's own reason for its failure
	HostCalls int

	host    Host
	limits  Limits
	input   []byte
	unread  []byte // the part of the input that standard input has not returned yet
	answer  []byte // result of the last host call
	vars    map[string][]byte
	status  int32  // status of the last HTTP response
	headers uint64 // handle of the last HTTP response's headers
	log     logLine
	random  int
	ctx     context.Context // context of the run, for functions that get none
	err     error           // why the host ended the run
}

// Begin prepares c for the next run, and clears Output and Failure. If input is longer than
// limits.InputBytes, Begin fails with a LimitError.
func (c *Call) Begin(ctx context.Context, host Host, limits Limits, input []byte) error {
	if len(input) > limits.InputBytes {
		return &LimitError{"input_bytes", int64(limits.InputBytes)}
	}
	c.run = run{host: host, limits: limits, input: input, unread: input, ctx: ctx, log: logLine{at: logInfo}}
	c.arena.reset(limits.InputBytes + limits.OutputBytes + arenaSpare)
	c.stopped.Store(false)
	return nil
}

// End releases the data of the run. If the host ended the run early, End returns the reason.
// Otherwise, it returns nil.
func (c *Call) End() error {
	c.log.flush(c)
	c.input, c.unread, c.answer, c.vars, c.ctx = nil, nil, nil, nil, nil
	return c.err
}

// Stop ends the run. When the guest next calls a host function, the run fails with ErrStopped. Any
// goroutine may call Stop, but only after Begin and before End.
func (c *Call) Stop() { c.stopped.Store(true) }

type callKey struct{}

// Context returns a copy of ctx that contains c. The caller must pass this copy when it calls a
// function of the guest.
func (c *Call) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// from returns the call in ctx. It panics if there is none: a guest cannot run without a call.
func from(ctx context.Context) *Call { return ctx.Value(callKey{}).(*Call) }

// bounded returns a context that ends with ctx or at Limits.Deadline. The caller must call the cancel function.
func (c *Call) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.limits.Deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, c.limits.Deadline)
}

// errEnded is the value with which a host function panics to end a guest. The engine turns it into
// the call's error. Call.err has the reason.
var errEnded = errors.New("the host ended the call")

// end ends the guest and records the reason. It does not return.
func (c *Call) end(err error) {
	if c.err == nil {
		c.err = err
	}
	panic(errEnded)
}

// check ends a run that was stopped. Every host function with noticeable work calls it first: a
// guest cannot be stopped inside a host function.
func (c *Call) check() {
	if c.stopped.Load() {
		c.end(ErrStopped)
	}
}

// outside runs do, which may wait for something other than a core. The run gives up its core
// meanwhile.
func outside[T any](c *Call, do func() (T, error)) (T, error) {
	if c.Turn == nil {
		return do()
	}
	c.Turn.Leave()
	value, err := do()
	c.endOn(c.Turn.Return())
	return value, err
}

// limit ends the guest if n is more than most, the value of the limit called name.
func (c *Call) limit(n, most int, name string) {
	if n > most {
		c.end(&LimitError{name, int64(most)})
	}
}

// count counts a use of the host, and ends the guest above Limits.HostCalls.
func (c *Call) count() {
	c.check()
	c.HostCalls++
	c.limit(c.HostCalls, c.limits.HostCalls, "host_calls")
}

// write appends b to the output. It ends the guest if the output would exceed Limits.OutputBytes.
func (c *Call) write(b []byte) {
	c.check()
	c.limit(len(c.Output)+len(b), c.limits.OutputBytes, "output_bytes")
	if c.Output == nil { // guests often write an output in pieces, about as long as the input
		c.Output = make([]byte, 0, max(len(b), min(len(c.input)+outputSpare, c.limits.OutputBytes)))
	}
	c.Output = append(c.Output, b...)
}

// outputSpare is how much longer than its input an output may be without a reallocation, in bytes.
const outputSpare = 64

// fail appends b to the guest's reason for its failure. It ends the guest above Limits.OutputBytes.
func (c *Call) fail(b []byte) {
	c.check()
	c.limit(len(c.Failure)+len(b), c.limits.OutputBytes, "output_bytes")
	c.Failure = append(c.Failure, b...)
}
