package fair

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

type shareKey struct{}

// WithShare returns a context whose work holds s, a share of cores: see Each.
func WithShare(ctx context.Context, s *Share) context.Context {
	return context.WithValue(ctx, shareKey{}, s)
}

// Within waits for a short share of one unit of a pool for a user, and returns a context that holds it, and what gives it
// back. A nil pool has enough for everybody. It fails as Pool.Take does.
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

// Each calls do for each number from 0 to n-1, in any order and in parallel, until ctx ends, whose
// error it returns. The caller's goroutine is one of those that work. Others join where the share
// of ctx can grow by a unit for each, and leave when somebody waits for the pool. Without a share
// there are as many as processors.
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

// wanted reports whether somebody waits for units of the pool, or short work goes on beside long.
func (s *Share) wanted() bool {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kinds[Short].waiting > 0 || p.kinds[Long].waiting > 0 || s.length == Long && p.kinds[Short].taken > 0
}

// Beside runs do in a goroutine of its own, if the share of ctx can grow by a unit for it, and
// reports whether it does. Without a share it does.
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
