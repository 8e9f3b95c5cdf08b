// Package ratelimit limits the amount that each of many callers may take in a period.
//
//	requests := ratelimit.New(600, time.Minute)
//	if got := requests.Take("user_1", 1); !got.OK {
//		… // retry after got.Retry
//	}
//
// Each key has a *bucket* that contains the amount of one period and refills evenly. A caller who
// took nothing for a period may take the whole amount at once.
package ratelimit

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Keys is the maximum number of buckets in a Limiter. If it is reached, a new bucket replaces the
// bucket that was idle for longest, because that bucket is most likely full.
const Keys = 1 << 15

// Limiter has a bucket for each key. Its methods are safe for concurrent use. A nil Limiter has no
// limit. Make one with New.
type Limiter struct {
	amount int
	per    time.Duration
	keys   int

	mu      sync.Mutex
	buckets map[string]*list.Element // of *bucket
	byUse   *list.List               // most recently used first
}

type bucket struct {
	key  string
	used time.Time
	left *rate.Limiter
}

// New returns a limiter that allows amount units in each period of length per. If amount is at most
// 0, New returns nil, which has no limit.
func New(amount int, per time.Duration) *Limiter {
	if amount <= 0 {
		return nil
	}
	return &Limiter{amount: amount, per: per, keys: Keys, buckets: map[string]*list.Element{}, byUse: list.New()}
}

// Result says whether a call of Take succeeded, and how many units are left.
type Result struct {
	OK        bool
	Limit     int           // capacity of a bucket, in units; 0: no limit
	Remaining int           // content of the bucket, in whole units; 0 without a limit
	Reset     time.Duration // time until the bucket is full
	Retry     time.Duration // time until the failed Take can succeed if nobody else takes units; 0 if OK
}

// Take takes n units from key's bucket. If the bucket has fewer units, Take leaves the bucket
// unchanged and fails. If n exceeds the capacity of a bucket, Take takes the capacity, because no
// bucket ever has more.
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

// timeFor returns the time in which a bucket refills by a number of units. It is 0 for a negative number.
func (l *Limiter) timeFor(tokens float64) time.Duration {
	return max(0, time.Duration(tokens/float64(l.amount)*float64(l.per)))
}

// bucket returns key's bucket, and creates it if necessary. The caller holds l.mu.
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

// evictions is the number of idle buckets that are removed for each new one. With two, the number
// of buckets decreases while callers come and go.
const evictions = 2

// evict removes buckets that were idle for a period. They are full, like new ones. If there is no
// room, it removes the bucket that was idle for longest. The caller holds l.mu.
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
