package ratelimit

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A bucket gives its amount at once, then what refills, and reports the truth of
// itself each time.
func TestTake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(60, time.Minute)
		for i, tt := range []struct {
			wait time.Duration
			n    int
			want Result
		}{
			{0, 1, Result{true, 60, 59, time.Second, 0}},
			{0, 58, Result{true, 60, 1, 59 * time.Second, 0}},
			{0, 2, Result{false, 60, 1, 59 * time.Second, time.Second}},
			{0, 1, Result{true, 60, 0, time.Minute, 0}},
			{0, 1, Result{false, 60, 0, time.Minute, time.Second}},
			{time.Second, 1, Result{true, 60, 0, time.Minute, 0}},
			{500 * time.Millisecond, 1, Result{false, 60, 0, 59500 * time.Millisecond, 500 * time.Millisecond}},
			{time.Hour, 0, Result{true, 60, 60, 0, 0}},
			{0, 61, Result{true, 60, 0, time.Minute, 0}}, // more than ever fits counts as all of it
			{30 * time.Second, 1000, Result{false, 60, 30, 30 * time.Second, 30 * time.Second}},
			{30 * time.Second, 1000, Result{true, 60, 0, time.Minute, 0}},
		} {
			time.Sleep(tt.wait)
			got := l.Take("a", tt.n)
			got.Reset, got.Retry = got.Reset.Round(time.Millisecond), got.Retry.Round(time.Millisecond)
			if got != tt.want {
				t.Errorf("%d: %+v, want %+v", i, got, tt.want)
			}
		}
		if got := l.Take("b", 60); !got.OK {
			t.Errorf("another's bucket: %+v", got)
		}
	})
}

func TestNoLimit(t *testing.T) {
	t.Parallel()
	for _, l := range []*Limiter{New(0, time.Minute), New(-1, time.Minute), nil} {
		if got := l.Take("a", 1<<30); got != (Result{OK: true}) {
			t.Errorf("%+v", got)
		}
	}
}

// No number of keys takes more room than it should: idle ones go as others
// come, and where none is idle the oldest goes.
func TestEviction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(1, time.Minute)
		l.keys = 100
		for i := range 1000 {
			l.Take(strconv.Itoa(i), 1)
		}
		if len(l.buckets) > 100 || len(l.buckets) != l.byUse.Len() {
			t.Errorf("%d buckets, %d in order", len(l.buckets), l.byUse.Len())
		}
		if l.Take("999", 1).OK {
			t.Error("the latest was forgotten")
		}
		l.Take("900", 1) // the oldest; used again, it is that no more
		l.Take("new", 1)
		if l.Take("900", 1).OK {
			t.Error("one in use was forgotten")
		}
		time.Sleep(time.Minute)
		for i := range 60 {
			l.Take(fmt.Sprint("later", i), 1)
		}
		if len(l.buckets) > 60 {
			t.Errorf("%d buckets after the others were idle", len(l.buckets))
		}
		if l.Take("later0", 1).OK {
			t.Error("one that is not idle was dropped though there is room")
		}
	})
}

// However many take at once, no more is given than there is.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	l := New(100, 24*time.Hour)
	var given atomic.Int64
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			for i := range 100 {
				if l.Take("shared", 1).OK {
					given.Add(1)
				}
				l.Take(fmt.Sprint(g, i), 1)
			}
		})
	}
	all.Wait()
	if given.Load() != 100 {
		t.Errorf("%d of 100 given", given.Load())
	}
}

func BenchmarkTake(b *testing.B) {
	l := New(1<<30, time.Second)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			l.Take("a", 1)
		}
	})
}
