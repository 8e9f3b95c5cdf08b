package fair_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// take takes units that must be free.
func take(t *testing.T, p *fair.Pool, user string, units int64, length fair.Length) *fair.Share {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := p.Take(ctx, user, units, length)
	if err != nil {
		t.Fatalf("%s gets no %d units: %v", user, units, err)
	}
	return s
}

// waits reports whether user would wait for units.
func waits(t *testing.T, p *fair.Pool, user string, units int64, length fair.Length) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := p.Take(ctx, user, units, length)
	s.Give()
	return errors.Is(err, context.Canceled)
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	p := fair.New(fair.Options{Name: "units", Capacity: 8, Long: 6})
	first := take(t, p, "a", 2, fair.Short)
	second := take(t, p, "a", 6, fair.Long)
	if !waits(t, p, "b", 1, fair.Short) {
		t.Error("9 of 8 units are taken")
	}
	first.Give()
	first.Give()
	take(t, p, "b", 2, fair.Short)
	if !waits(t, p, "b", 1, fair.Short) {
		t.Error("units given back twice count twice")
	}
	second.Give()
	if got := p.Stats(); got != (fair.Stats{Capacity: 8, Taken: 2}) {
		t.Errorf("%+v", got)
	}
}

// Long work leaves a part to short work, and what takes more than that part is long.
func TestLong(t *testing.T) {
	t.Parallel()
	p := fair.New(fair.Options{Name: "units", Capacity: 8})
	take(t, p, "a", 3, fair.Short) // long, as 2 units are left beside long work
	take(t, p, "a", 3, fair.Long)
	if !waits(t, p, "b", 1, fair.Long) {
		t.Error("long work takes what is left for short work")
	}
	take(t, p, "a", 2, fair.Short)
	_, err := p.Take(t.Context(), "b", 7, fair.Long)
	if fault.CodeOf(err) != sdkapi.PayloadTooLarge {
		t.Error(err)
	}
}

// A user with many waiting pieces has another's wait for one of them only.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := fair.New(fair.Options{Name: "cores", Capacity: 1, Wait: time.Hour})
		var mu sync.Mutex
		var order []string
		ask := func(user string) {
			go func() {
				s, err := p.Take(t.Context(), user, 1, fair.Short)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, user)
				mu.Unlock()
				time.Sleep(time.Second)
				s.Give()
			}()
			synctest.Wait()
		}
		for range 4 {
			ask("a")
		}
		for range 2 {
			ask("b")
		}
		ask("c")
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []string{"a", "a", "b", "c", "a", "b", "a"}; !slices.Equal(order, want) {
			t.Errorf("%v, not %v", order, want)
		}
	})
}

// The next in turn is not passed by smaller work, but where its own user's bound holds it back.
func TestNextIsNotPassed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := fair.New(fair.Options{Name: "units", Capacity: 100, Long: 80, PerUser: 50, Wait: time.Hour})
		first := take(t, p, "a", 50, fair.Long)
		got := make(chan string, 10)
		ask := func(user string, units int64) {
			go func() {
				s, err := p.Take(t.Context(), user, units, fair.Long)
				if err == nil {
					got <- user
					s.Give()
				}
			}()
			synctest.Wait()
		}
		ask("a", 30)
		ask("b", 25)
		if len(got) != 1 {
			t.Fatal("b waits, though only a's own bound holds a back")
		}
		<-got
		ask("c", 50)
		ask("d", 25)
		if len(got) != 0 {
			t.Fatalf("%s passes c, which fits as soon as a ends", <-got)
		}
		first.Give()
		synctest.Wait()
		if len(got) != 3 {
			t.Errorf("%d of 3 have had their turn", len(got))
		}
	})
}

// While long work waits, short work leaves it its part; otherwise short work may have all.
func TestShortLeavesLongItsPart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := fair.New(fair.Options{Name: "units", Capacity: 4, Long: 3, Wait: time.Hour})
		var shorts []*fair.Share
		for range 4 {
			shorts = append(shorts, take(t, p, "a", 1, fair.Short))
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			s, err := p.Take(t.Context(), "b", 3, fair.Long)
			if err != nil {
				t.Error(err)
			}
			s.Give()
		}()
		synctest.Wait()
		shorts[0].Give()
		if !waits(t, p, "a", 1, fair.Short) {
			t.Error("short work takes the part that long work waits for")
		}
		shorts[1].Give()
		shorts[2].Give()
		<-done
		take(t, p, "a", 3, fair.Long)
	})
}

func TestWaitHasAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := fair.New(fair.Options{Name: "cores", Capacity: 1, Waiting: 2, Wait: time.Minute})
		take(t, p, "a", 1, fair.Short)
		start := time.Now()
		var overloaded atomic.Int32
		for range 3 {
			go func() {
				if _, err := p.Take(t.Context(), "a", 1, fair.Short); fault.CodeOf(err) == sdkapi.Overloaded {
					overloaded.Add(1)
				}
			}()
			synctest.Wait()
		}
		if overloaded.Load() != 1 {
			t.Errorf("%d are refused, where 2 may wait and 3 do", overloaded.Load())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.Take(ctx, "b", 1, fair.Short); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if overloaded.Load() != 3 || p.Stats().Waiting != 0 {
			t.Errorf("%d are refused, %d wait", overloaded.Load(), p.Stats().Waiting)
		}
	})
}

func TestGrow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := fair.New(fair.Options{Name: "cores", Capacity: 3, Long: 3, Wait: time.Hour})
		s := take(t, p, "a", 1, fair.Long)
		if !s.Grow(2) || s.Grow(1) {
			t.Error("a share does not grow to the capacity, or beyond it")
		}
		go func() {
			other, err := p.Take(t.Context(), "b", 1, fair.Long)
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Second)
			other.Give()
		}()
		synctest.Wait()
		s.Shrink(1)
		synctest.Wait()
		if s.Grow(1) {
			t.Error("a share takes the unit that another has got")
		}
		time.Sleep(2 * time.Second)
		s.Give()
		if s.Grow(1) || p.Stats().Taken != 0 {
			t.Errorf("a share that was given back has grown: %+v", p.Stats())
		}
	})
}

// At every moment no more is taken than there is, and in the end nothing.
func TestManyUsers(t *testing.T) {
	t.Parallel()
	p := fair.New(fair.Options{Name: "units", Capacity: 20, Long: 14, PerUser: 10, Waiting: 10_000, Wait: time.Minute})
	var taken, most atomic.Int64
	var all sync.WaitGroup
	for user := range 8 {
		for range 4 {
			all.Go(func() {
				for range 200 {
					units, length := rand.Int64N(14)+1, fair.Length(rand.IntN(2))
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(2000))*time.Microsecond)
					s, err := p.Take(ctx, fmt.Sprint(user), units, length)
					cancel()
					if err != nil {
						continue
					}
					now := taken.Add(units)
					for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
					}
					taken.Add(-units)
					s.Give()
				}
			})
		}
	}
	all.Wait()
	if most.Load() > 20 || most.Load() == 0 {
		t.Errorf("%d of 20 units were taken at once", most.Load())
	}
	if got := p.Stats(); got.Taken != 0 || got.Waiting != 0 {
		t.Errorf("in the end: %+v", got)
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	p := fair.New(fair.Options{Name: "cores", Capacity: 2, Long: 2})
	for name, ctx := range map[string]context.Context{
		"without a share": t.Context(),
		"with a share":    fair.WithShare(t.Context(), take(t, p, "a", 1, fair.Long)),
	} {
		t.Run(name, func(t *testing.T) {
			var sum, running, most atomic.Int64
			err := fair.Each(ctx, 1000, func(i int) {
				most.Store(max(most.Load(), running.Add(1)))
				sum.Add(int64(i))
				running.Add(-1)
			})
			if err != nil || sum.Load() != 499_500 {
				t.Errorf("sum %d, %v", sum.Load(), err)
			}
		})
	}
	if p.Stats().Taken != 1 {
		t.Errorf("%+v", p.Stats())
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	if err := fair.Each(ctx, 1, func(int) { calls++; cancel() }); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func BenchmarkTake(b *testing.B) {
	p := fair.New(fair.Options{Name: "cores", Capacity: 4})
	for b.Loop() {
		s, err := p.Take(b.Context(), "a", 1, fair.Short)
		if err != nil {
			b.Fatal(err)
		}
		s.Give()
	}
}

// Long work has but one core while short work goes on, and others where there is none.
func TestLongMakesRoom(t *testing.T) {
	t.Parallel()
	p := fair.New(fair.Options{Name: "cores", Capacity: 3, Long: 2})
	long := take(t, p, "a", 1, fair.Long)
	short := take(t, p, "b", 1, fair.Short)
	if long.Grow(1) || !short.Grow(1) {
		t.Error("long work grows beside short work, or short work does not")
	}
	short.Give()
	ctx := fair.WithShare(t.Context(), long)
	begun, end := make(chan struct{}), make(chan struct{})
	if !fair.Beside(ctx, func() { close(begun); <-end }) || fair.Beside(ctx, func() {}) {
		t.Error("work goes on beside that has no unit, or none although there is one")
	}
	<-begun
	close(end)
	if !fair.Beside(t.Context(), func() {}) {
		t.Error("without a share nothing goes on beside")
	}
}
