package fair

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// shareKey is the context key of the Share.
type shareKey struct{}

// WithShare returns a context that holds the Share s. In this context, Each and Beside take more
// units for s when they start goroutines.
func WithShare(ctx context.Context, s *Share) context.Context {
	return context.WithValue(ctx, shareKey{}, s)
}

// Within takes one unit of the pool p for short work of a user, and waits until the unit is free.
// The returned context holds a Share with this unit (see WithShare). The caller gives the unit back
// with release. If p is nil, Within returns ctx unchanged. The errors are the errors of Pool.Take.
func Within(ctx context.Context, p *Pool, user string) (_ context.Context, release func(), err error) {
	if p == nil {
		return ctx, func() {}, nil
	}
	share, err := p.Take(ctx, user, 1, Short)
	if err != nil {
		return nil, nil, err
	}
	return WithShare(ctx, share), share.Give, nil
}

// Each calls task once for each number from 0 to n-1, in parallel and in any order. If ctx ends,
// Each starts no more calls, waits for the running calls, and returns ctx's error.
//
// The calls run in the caller's goroutine and in helper goroutines, together at most one goroutine
// per processor. If ctx holds a Share, each helper needs one more unit for the Share. Helpers end
// early when other work waits for the pool.
func Each(ctx context.Context, n int, task func(i int)) error {
	share, _ := ctx.Value(shareKey{}).(*Share)
	yields := share != nil && share.length == Long // so that short work gets a processor at once
	var next atomic.Int64
	work := func(leave func() bool) {
		for ctx.Err() == nil && !leave() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			task(i)
			if yields {
				runtime.Gosched()
			}
		}
	}
	never := func() bool { return false }
	var helpers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		if share == nil {
			helpers.Go(func() { work(never) })
			continue
		}
		if !share.Grow(1) {
			break
		}
		helpers.Go(func() {
			defer share.Shrink(1)
			work(share.wanted)
		})
	}
	work(never)
	helpers.Wait()
	return ctx.Err()
}

// wanted reports whether work waits for units of the pool, or short work runs beside this long
// work.
func (s *Share) wanted() bool {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kinds[Short].waiting > 0 || p.kinds[Long].waiting > 0 || s.length == Long && p.kinds[Short].taken > 0
}

// Beside calls task in a new goroutine and returns true. If ctx holds a Share, the goroutine needs
// one more unit for the Share. If the Share cannot grow, Beside does not call task and returns
// false.
func Beside(ctx context.Context, task func()) bool {
	share, _ := ctx.Value(shareKey{}).(*Share)
	switch {
	case share == nil:
		go task()
	case share.Grow(1):
		go func() {
			defer share.Shrink(1)
			task()
		}()
	default:
		return false
	}
	return true
}
