package journal_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// scripted is a journal with the results of a test. It panics if a result is missing.
type scripted struct {
	journal.Journal
	err      error
	decision journal.Decision
	events   []journal.Event
}

func (s *scripted) Append(_ context.Context, _ string, events ...journal.Event) (int64, error) {
	return int64(len(events)), s.err
}

func (s *scripted) AppendAs(_ context.Context, _ journal.Lease, _ string, events ...journal.Event) (int64, error) {
	return int64(len(events)), s.err
}

func (s *scripted) Follow(context.Context, string, int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for _, e := range s.events {
			if !yield(e, nil) {
				return
			}
		}
		if s.err != nil {
			yield(journal.Event{}, s.err)
		}
	}
}

func (s *scripted) Open(_ context.Context, d journal.Decision) (journal.Decision, error) {
	d.State, d.Expires = journal.Pending, time.Now().Add(journal.DefaultExpiry)
	return d, s.err
}

func (s *scripted) Decide(context.Context, string, journal.Decider, journal.Answer) (journal.Decision, error) {
	return s.decision, s.err
}

func (s *scripted) Lease(context.Context, string, string, time.Duration) (journal.Lease, error) {
	return journal.Lease{}, s.err
}
func (s *scripted) Await(context.Context, string) (journal.Decision, error) { return s.decision, s.err }
func (s *scripted) Decision(context.Context, string) (journal.Decision, error) {
	return s.decision, s.err
}

func TestCountedAppends(t *testing.T) {
	t.Parallel()
	s := new(scripted)
	c := journal.Count(s)
	append3 := func() {
		_, _ = c.Append(t.Context(), "s", make([]journal.Event, 2)...)
		_, _ = c.AppendAs(t.Context(), journal.Lease{}, "s", journal.Event{})
		_, _ = c.Append(t.Context(), "s")
	}
	append3()
	if got := c.Stats(); got.Events != 3 || got.Appends != 2 || got.Failed != 0 || got.Durations.Count != 2 {
		t.Errorf("%+v", got)
	}
	s.err = errors.New("away")
	append3()
	if got := c.Stats(); got.Events != 3 || got.Appends != 2 || got.Failed != 3 {
		t.Errorf("with failures: %+v", got)
	}
}

// TestCountedLeases checks that a lease that fails because of the store counts as a failed append.
// A lease that another owner holds must not count.
func TestCountedLeases(t *testing.T) {
	t.Parallel()
	for code, want := range map[sdkapi.Code]uint64{sdkapi.StateUnavailable: 1, sdkapi.StateDamaged: 1, sdkapi.LeaseHeld: 0} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			c := journal.Count(&scripted{err: fault.New("test", code, "no")})
			if _, err := c.Lease(t.Context(), "k", "o", time.Minute); fault.CodeOf(err) != code {
				t.Errorf("%v", err)
			}
			if got := c.Stats().Failed; got != want {
				t.Errorf("%d failed, want %d", got, want)
			}
		})
	}
}

// TestCountedFollowers checks that a follower counts from its first event to the end of its loop,
// and that a dropped follower counts as lost.
func TestCountedFollowers(t *testing.T) {
	t.Parallel()
	s := &scripted{events: make([]journal.Event, 2), err: fault.New("test", sdkapi.FollowerLags, "too slow")}
	c := journal.Count(s)
	follow := c.Follow(t.Context(), "s", 0)
	if got := c.Stats().Followers; got != 0 {
		t.Errorf("%d followers before the loop", got)
	}
	for _, err := range follow {
		if err != nil {
			t.Error(err)
		}
		if got := c.Stats().Followers; got != 1 {
			t.Errorf("%d followers in the loop", got)
		}
		break
	}
	if got := c.Stats(); got.Followers != 0 || got.Lost != 0 {
		t.Errorf("after a loop that was left: %+v", got)
	}
	for _, err := range c.Follow(t.Context(), "s", 0) {
		_ = err
	}
	if got := c.Stats(); got.Followers != 0 || got.Lost != 1 {
		t.Errorf("after one that was dropped: %+v", got)
	}
}

// TestCountedDecisions checks that each question counts once, however often it is opened, answered
// and awaited.
func TestCountedDecisions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := new(scripted)
		c := journal.Count(s)
		for i := range 5 {
			for range 2 {
				_, _ = c.Open(t.Context(), journal.Decision{ID: fmt.Sprint(i)})
			}
		}
		check := func(when string, opened, decided, expired uint64, pending int) {
			t.Helper()
			if got := c.Stats(); got.Opened != opened || got.Decided != decided || got.Expired != expired || got.Pending != pending {
				t.Errorf("%s: %+v", when, got)
			}
		}
		check("asked", 5, 0, 0, 5)
		s.decision = journal.Decision{State: journal.Decided}
		for range 2 {
			_, _ = c.Decide(t.Context(), "0", journal.Decider{}, journal.Answer{})
			_, _ = c.Await(t.Context(), "0")
		}
		_, _ = c.Decide(t.Context(), "asked elsewhere", journal.Decider{}, journal.Answer{})
		check("decided", 5, 1, 0, 4)
		s.decision = journal.Decision{State: journal.Expired}
		_, _ = c.Await(t.Context(), "1")
		s.err = fault.New("test", sdkapi.DecisionExpired, "too late")
		_, _ = c.Decide(t.Context(), "2", journal.Decider{}, journal.Answer{})
		s.err = fault.New("test", sdkapi.DecisionConflict, "another answer")
		_, _ = c.Decide(t.Context(), "3", journal.Decider{}, journal.Answer{})
		check("expired", 5, 1, 2, 2)
		s.err, s.decision = nil, journal.Decision{State: journal.Pending}
		_, _ = c.Decision(t.Context(), "3")
		check("looked at", 5, 1, 2, 2)
		time.Sleep(journal.DefaultExpiry + time.Minute)
		check("left alone", 5, 1, 4, 0)
	})
}
