package fair

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

type shareKey struct{}

// WithShare returns a context for work that holds s, a share of cores. Each and Beside use this
// share.
func WithShare(ctx context.Context, s *Share) context.Context {
	return context.WithValue(ctx, shareKey{}, s)
}

// Within takes one unit of a pool for short work of a user, and waits if no unit is free. It
// returns a context with the share, and give, which returns the share to the pool. With a nil pool,
// Within never waits. It fails like Pool.Take.
func Within(ctx context.Context, p *Pool, user string) (_ context.Context, give func(), err error) {
	if p == nil {
		return ctx, func() {}, nil
	}
	share, err := p.Take(ctx, user, 1, Short)
	if err != nil {
		return nil, nil, err
	}
	return WithShare(ctx, share), share.Give, nil
}

// Each calls do for each number from 0 to n-1, in any order and in parallel. If ctx ends, Each
// stops early and returns ctx's error. It works in the caller's goroutine and in additional
// goroutines. An additional goroutine starts if the share of ctx can grow by one unit, and ends
// early when other work waits for the pool. Without a share, there are as many goroutines as
// processors.
func Each(ctx context.Context, n int, do func(i int)) error {
	share, _ := ctx.Value(shareKey{}).(*Share)
	yields := share != nil && share.length == Long // so that short work gets a processor at once
	var next atomic.Int64
	work := func(leave func() bool) {
		for ctx.Err() == nil && !leave() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			do(i)
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

// Beside calls do in a new goroutine if the share of ctx can grow by one unit, or if ctx has no
// share. Otherwise it returns false without a call.
func Beside(ctx context.Context, do func()) bool {
	share, _ := ctx.Value(shareKey{}).(*Share)
	switch {
	case share == nil:
		go do()
	case share.Grow(1):
		go func() {
			defer share.Shrink(1)
			do()
		}()
	default:
		return false
	}
	return true
}
