// Package ratelimit bounds how much each of many callers may have in a time.
//
//	requests := ratelimit.New(600, time.Minute)
//	if got := requests.Take("user_1", 1); !got.OK {
//		… // ask again after got.Retry
//	}
//
// Each key has a *bucket* that holds the amount of one period and refills evenly: a caller who was
// quiet may have all of it at once.
package ratelimit

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Keys is how many buckets a Limiter keeps. Whoever comes beyond that takes the
// place of the caller that was away for longest, most likely with a full bucket.
const Keys = 1 << 15

// Limiter holds a bucket for each key. Its methods may be called from several
// goroutines. One that is nil lets everything pass. Make others with New.
type Limiter struct {
	amount int
	per    time.Duration
	keys   int

	mu      sync.Mutex
	buckets map[string]*list.Element // of *bucket
	byUse   *list.List               // the latest used in front
}

type bucket struct {
	key  string
	used time.Time
	left *rate.Limiter
}

// New returns a limiter of an amount in a period; nil, no limit, if amount is not above 0.
func New(amount int, per time.Duration) *Limiter {
	if amount <= 0 {
		return nil
	}
	return &Limiter{amount: amount, per: per, keys: Keys, buckets: map[string]*list.Element{}, byUse: list.New()}
}

// Result is the outcome of a Take.
type Result struct {
	OK        bool
	Limit     int           // what a full bucket holds; 0: there is no limit
	Remaining int           // what is in the bucket, in whole units
	Reset     time.Duration // until the bucket is full
	Retry     time.Duration // until the same Take succeeds, if nobody takes meanwhile; 0 where OK
}

// Take takes n out of key's bucket, or nothing if it holds less. More than a
// full bucket counts as a full one: else it would be refused for ever.
func (l *Limiter) Take(key string, n int) Result {
	if l == nil {
		return Result{OK: true}
	}
	n = min(n, l.amount)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	b := l.bucket(key, now)
	ok := b.left.AllowN(now, n)
	tokens := max(b.left.TokensAt(now), 0)
	got := Result{OK: ok, Limit: l.amount, Remaining: int(tokens), Reset: l.timeFor(float64(l.amount) - tokens)}
	if !ok {
		got.Retry = l.timeFor(float64(n) - tokens)
	}
	return got
}

func (l *Limiter) timeFor(tokens float64) time.Duration {
	return max(0, time.Duration(tokens/float64(l.amount)*float64(l.per)))
}

// bucket returns key's bucket, which is made if there is none. l.mu is held.
func (l *Limiter) bucket(key string, now time.Time) *bucket {
	if e, ok := l.buckets[key]; ok {
		l.byUse.MoveToFront(e)
		b := e.Value.(*bucket)
		b.used = now
		return b
	}
	l.evict(now)
	b := &bucket{key: key, used: now, left: rate.NewLimiter(rate.Limit(float64(l.amount)/l.per.Seconds()), l.amount)}
	l.buckets[key] = l.byUse.PushFront(b)
	return b
}

// evictions is how many idle buckets make room for a new one. With two the
// buckets become fewer while callers come and go.
const evictions = 2

// evict drops buckets that nobody has used for a period, which are full, as new ones are. Where
// there is no room it drops the oldest. l.mu is held.
func (l *Limiter) evict(now time.Time) {
	for range evictions {
		oldest := l.byUse.Back()
		if oldest == nil {
			return
		}
		b := oldest.Value.(*bucket)
		if now.Sub(b.used) < l.per && len(l.buckets) < l.keys {
			return
		}
		delete(l.buckets, b.key)
		l.byUse.Remove(oldest)
	}
}
