package wasmtools

import (
	"context"
	"sync"
)

// version is a plugin as its files were at one time. It is opened when there is time, or at its
// first call.
type version struct {
	grant  string // grant to open it with, in the form of marshalGrant
	open   func(context.Context) (*Plugin, error)
	wanted chan struct{} // closed at the first call
	want   func()        // closes wanted
	opened chan struct{} // closed when the two fields below are set
	p      *Plugin
	err    error

	mu      sync.Mutex
	started bool
	closed  bool
}

func newVersion(open func(context.Context) (*Plugin, error)) *version {
	wanted := make(chan struct{})
	return &version{open: open, wanted: wanted, want: sync.OnceFunc(func() { close(wanted) }), opened: make(chan struct{})}
}

// start opens the version, unless that has begun, and returns when that has succeeded or failed. It
// waits for a slot only until a call wants the version: calls go before opening in advance.
func (v *version) start(ctx context.Context, slots chan struct{}) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-v.wanted:
	case <-ctx.Done(): // open reports the error
	}
	v.mu.Lock()
	started := v.started
	v.started = true
	v.mu.Unlock()
	if started {
		<-v.opened
		return
	}
	p, err := v.open(ctx)
	v.mu.Lock()
	v.p, v.err = p, err
	if v.closed && p != nil {
		p.Close()
	}
	v.mu.Unlock()
	close(v.opened)
}

// failed reports whether the version could not be opened.
func (v *version) failed() bool {
	select {
	case <-v.opened:
		return v.err != nil
	default:
		return false
	}
}

// close closes the plugin of the version, now or as soon as it is open.
func (v *version) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.closed && v.p != nil {
		v.p.Close()
	}
	v.closed = true
}

// plugin waits for the opened plugin and returns it. If ctx ends, opening continues for the next
// call.
func (v *version) plugin(ctx context.Context) (*Plugin, error) {
	select {
	case <-v.opened:
		return v.p, v.err
	default:
		v.want()
	}
	select {
	case <-v.opened:
		return v.p, v.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
