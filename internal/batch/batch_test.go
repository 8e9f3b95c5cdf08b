package batch_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/batch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run runs a queue's writer, and returns what it was handed by the time that
// done is called, which waits for its end.
func run(ctx context.Context, q *batch.Queue[int]) (done func() [][]int) {
	var all [][]int
	var wg sync.WaitGroup
	wg.Go(func() { q.Run(ctx, func(values []int) { all = append(all, slices.Clone(values)) }) })
	return func() [][]int {
		wg.Wait()
		return all
	}
}

func put(t *testing.T, q *batch.Queue[int], values ...int) {
	t.Helper()
	for _, v := range values {
		if err := q.Put(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
}

func want(t *testing.T, got [][]int, want ...[]int) {
	t.Helper()
	if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("%v, not %v", got, want)
	}
}

// What comes within the time of the first is one batch.
func TestGather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := batch.New(batch.Options[int]{Most: 3, Waiting: 10, Gather: time.Second})
		done := run(t.Context(), q)
		put(t, q, 1)
		time.Sleep(900 * time.Millisecond)
		put(t, q, 2)
		time.Sleep(200 * time.Millisecond)
		if q.Len() != 0 {
			t.Errorf("%d wait", q.Len())
		}
		put(t, q, 3)
		time.Sleep(1100 * time.Millisecond)
		start := time.Now()
		put(t, q, 4, 5, 6, 7) // a batch does not wait
		synctest.Wait()
		if q.Len() != 1 || !time.Now().Equal(start) {
			t.Errorf("%d wait", q.Len())
		}
		q.Close()
		q.Close()
		want(t, done(), []int{1, 2}, []int{3}, []int{4, 5, 6}, []int{7})
		if !time.Now().Equal(start) {
			t.Error("Close waits")
		}
		if err := q.Put(t.Context(), 8); !errors.Is(err, batch.ErrClosed) {
			t.Error(err)
		}
	})
}

// What waits when ctx ends is written, in batches.
func TestEnd(t *testing.T) {
	t.Parallel()
	q := batch.New(batch.Options[int]{Most: 2, Waiting: 10, Gather: time.Hour})
	put(t, q, 1, 2, 3, 4, 5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var all []int
	for _, values := range run(ctx, q)() {
		if len(values) > 2 {
			t.Errorf("%v is no batch", values)
		}
		all = append(all, values...)
	}
	want(t, [][]int{all}, []int{1, 2, 3, 4, 5})
}

// A caller that finds the queue full waits for room, for the queue's end, or for no longer
// than its context.
func TestFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := batch.New(batch.Options[int]{Most: 1, Waiting: 2})
		put(t, q, 1, 2)
		if err := q.TryPut(3); !errors.Is(err, batch.ErrFull) {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := q.Put(ctx, 3); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		ended := make(chan error, 2)
		go func() { ended <- q.Put(t.Context(), 3) }()
		synctest.Wait()
		done := run(t.Context(), q)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		q.Close()
		want(t, done(), []int{1}, []int{2}, []int{3})

		q = batch.New(batch.Options[int]{Most: 1, Waiting: 1})
		put(t, q, 1)
		go func() { ended <- q.Put(t.Context(), 2) }()
		synctest.Wait()
		q.Close()
		if err := <-ended; !errors.Is(err, batch.ErrClosed) {
			t.Error(err)
		}
	})
}

// A batch keeps to its bytes, unless one value alone is larger.
func TestSize(t *testing.T) {
	t.Parallel()
	q := batch.New(batch.Options[int]{Most: 10, Waiting: 10, Size: func(v int) int { return v }, Bytes: 10})
	put(t, q, 4, 6, 1, 20, 10, 1)
	q.Close()
	want(t, run(t.Context(), q)(), []int{4, 6}, []int{1}, []int{20}, []int{10}, []int{1})
}

// A value that waits is not added again; one that was written is.
func TestOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := batch.New(batch.Options[int]{Most: 10, Waiting: 2, Gather: time.Second, Once: true})
		put(t, q, 1, 1, 2, 1, 2) // and no room for a third
		done := run(t.Context(), q)
		time.Sleep(2 * time.Second)
		put(t, q, 2)
		q.Close()
		want(t, done(), []int{1, 2}, []int{2})
	})
}

// What is put in place of a value has the order of the values.
func TestAdded(t *testing.T) {
	t.Parallel()
	n := 0
	q := batch.New(batch.Options[int]{Most: 200, Waiting: 200, Added: func(int) int { n++; return n }})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if err := q.Put(t.Context(), 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	q.Close()
	if got := slices.Concat(run(t.Context(), q)()...); len(got) != 200 || !slices.IsSorted(got) {
		t.Errorf("%v", got)
	}
}

// Of what many bring while the queue is closed, each value that was taken is
// written, once.
func TestMany(t *testing.T) {
	t.Parallel()
	q := batch.New(batch.Options[int]{Most: 7, Waiting: 20})
	done := run(t.Context(), q)
	var mu sync.Mutex
	var put []int
	var all sync.WaitGroup
	for c := range 8 {
		all.Go(func() {
			for i := range 500 {
				v := c*500 + i
				if q.Put(t.Context(), v) == nil {
					mu.Lock()
					put = append(put, v)
					mu.Unlock()
				}
				if v == 400 {
					q.Close()
				}
			}
		})
	}
	all.Wait()
	got := slices.Concat(done()...)
	slices.Sort(got)
	slices.Sort(put)
	if !slices.Equal(got, put) || len(got) < 400 {
		t.Errorf("%d were written of %d", len(got), len(put))
	}
}
