package wasmtools

import (
	"context"
	"sync"
)

// version is a plugin as its files were at one time. The gateway opens it in the background, or at its
// first call if that is earlier.
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

// newVersion returns a version that is not open. start calls open at most once.
func newVersion(open func(context.Context) (*Plugin, error)) *version {
	wanted := make(chan struct{})
	return &version{open: open, wanted: wanted, want: sync.OnceFunc(func() { close(wanted) }), opened: make(chan struct{})}
}

// start opens the version and returns when opening has succeeded or failed. If another goroutine has begun
// to open the version, start waits for that. start waits for a slot only until a call wants the version,
// because calls have priority over opening in advance.
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

// plugin waits until the version is open and returns its plugin. If ctx ends, plugin returns ctx's error,
// and opening continues for the next call.
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
