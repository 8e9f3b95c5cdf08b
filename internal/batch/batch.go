// Package batch collects values from goroutines and writes them in batches, so that many values
// share one wait for the disk.
//
//	q := batch.New(batch.Options[Record]{Most: 500, Waiting: 4096, Gather: 100 * time.Millisecond})
//	go q.Run(ctx, func(records []Record) { … })
//	err := q.Put(ctx, record)
//	q.Close()
//
// The queue passes each value to the writer once. Only the writer knows whether it has written the
// value, so the writer must report this itself.
package batch

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// Options configure a Queue. The fields Most and Waiting must be above 0.
type Options[T comparable] struct {
	Most    int           // maximum number of values in a batch
	Waiting int           // maximum number of waiting values; when it is reached, Put waits for room
	Gather  time.Duration // maximum wait for a batch to fill; if 0, Run waits only while values keep arriving
	Once    bool          // if true, a value that is already waiting is not added again
	// Added returns the replacement for each added value. It is called in the order of the values,
	// and may be nil.
	Added func(T) T

	Size  func(T) int // returns the size of a value; if nil, only Most limits a batch
	Bytes int         // maximum total size of a batch; a single larger value is a batch by itself
}

// Queue stores values until Run writes them. Create a Queue with New. The methods of a Queue are
// safe for concurrent use, but only one Run may be active at a time.
type Queue[T comparable] struct {
	opts  Options[T]
	batch []T // reused by Run

	mu      sync.Mutex
	waiting []T
	known   map[T]bool    // the waiting values; nil without Options.Once
	room    chan struct{} // closed when values were taken; nil if nobody waits for room
	closed  bool

	some chan struct{} // has one element if a value waits
	full chan struct{} // has one element if a full batch waits
	stop chan struct{} // closed by Close
}

// Errors of Put and TryPut.
var (
	ErrClosed = errors.New("the queue is closed")
	ErrFull   = errors.New("the queue is full")
)

// New returns an empty queue.
func New[T comparable](opts Options[T]) *Queue[T] {
	q := &Queue[T]{opts: opts, some: make(chan struct{}, 1), full: make(chan struct{}, 1), stop: make(chan struct{})}
	if opts.Once {
		q.known = map[T]bool{}
	}
	return q
}

// Put adds a value. If the queue is full, Put waits for room. If ctx ends first, Put fails with
// ctx's error. After Close, Put fails with ErrClosed.
func (q *Queue[T]) Put(ctx context.Context, v T) error {
	for {
		room, err := q.put(v)
		if room == nil {
			return err
		}
		select {
		case <-room:
		case <-q.stop:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TryPut adds a value without waiting. If the queue is full, TryPut fails with ErrFull. After
// Close, TryPut fails with ErrClosed.
func (q *Queue[T]) TryPut(v T) error {
	_, err := q.put(v)
	return err
}

// put adds a value. If the queue is full, it returns ErrFull and a channel that is closed when
// there may be room.
func (q *Queue[T]) put(v T) (room <-chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return nil, ErrClosed
	case q.opts.Once && q.known[v]:
		return nil, nil
	case len(q.waiting) >= q.opts.Waiting:
		if q.room == nil {
			q.room = make(chan struct{})
		}
		return q.room, ErrFull
	}
	if q.opts.Added != nil {
		v = q.opts.Added(v)
	}
	if q.opts.Once {
		q.known[v] = true
	}
	q.waiting = append(q.waiting, v)
	if n := len(q.waiting); n == 1 || n == q.opts.Most {
		q.signal()
	}
	return nil, nil
}

// Len returns the number of waiting values.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Close makes later calls of Put fail. Run still writes the waiting values and then returns, but
// Close does not wait for Run. Close may be called twice.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.stop)
	}
}

// Run passes the values of the queue to writer, one batch per call. When ctx ends or Close is
// called, Run passes the remaining values to writer and returns. writer must not keep its slice,
// because Run reuses the slice for the next batch.
func (q *Queue[T]) Run(ctx context.Context, writer func(values []T)) {
	for on := true; on; {
		on = q.gather(ctx)
		for values := q.take(); len(values) > 0; values = q.take() {
			writer(values)
			clear(values)
			if on {
				break // more values may arrive while the next batch is collected
			}
		}
	}
}

// gather waits for a batch. It returns false if Run must stop afterwards.
func (q *Queue[T]) gather(ctx context.Context) bool {
	select {
	case <-q.some:
	case <-q.stop:
		return false
	case <-ctx.Done():
		return false
	}
	if q.opts.Gather == 0 {
		q.settle()
		return true
	}
	timer := time.NewTimer(q.opts.Gather)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-q.full:
	case <-q.stop:
	case <-ctx.Done():
	}
	return true
}

// settle waits until no more values arrive. Goroutines whose values were just written may add more.
func (q *Queue[T]) settle() {
	for seen, n := 0, q.Len(); n > seen && n < q.opts.Most; n = q.Len() {
		seen = n
		runtime.Gosched()
	}
}

// take removes the next batch from the queue and returns it, empty if no value waits. The next call
// overwrites the slice.
func (q *Queue[T]) take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.fits()
	q.batch = append(q.batch[:0], q.waiting[:n]...)
	if q.opts.Once {
		for _, v := range q.batch {
			delete(q.known, v)
		}
	}
	rest := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[rest:])
	q.waiting = q.waiting[:rest]
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
	q.signal()
	return q.batch
}

// fits returns the number of waiting values in the next batch. It is at least 1 if a value waits,
// whatever the size of the value. The caller must hold q.mu.
func (q *Queue[T]) fits() (n int) {
	most := min(len(q.waiting), q.opts.Most)
	if q.opts.Size == nil {
		return most
	}
	for size := 0; n < most; n++ {
		if size += q.opts.Size(q.waiting[n]); size > q.opts.Bytes && n > 0 {
			break
		}
	}
	return n
}

// signal updates the channels that report waiting values to Run.
func (q *Queue[T]) signal() {
	set(q.some, len(q.waiting) > 0)
	set(q.full, len(q.waiting) >= q.opts.Most)
}

// set fills or empties a channel of capacity 1.
func set(c chan struct{}, on bool) {
	if on {
		select {
		case c <- struct{}{}:
		default:
		}
		return
	}
	select {
	case <-c:
	default:
	}
}
