package journal

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// question is one that Memory keeps.
type question struct {
	Decision               // as it was last kept; it may have expired since
	decided  chan struct{} // closed when it is decided
}

// now returns a copy of the question as it is.
func (q *question) now() Decision {
	d := q.At(time.Now())
	d.Request = orNull(d.Request)
	d.Answer.Value = orNull(d.Answer.Value)
	return d
}

// Open implements Decisions.
func (m *Memory) Open(ctx context.Context, d Decision) (Decision, error) {
	d, err := d.Asked(time.Now())
	if err != nil {
		return Decision{}, err
	}
	if err := m.usable(ctx); err != nil {
		return Decision{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.questions[d.ID]
	switch {
	case q == nil:
		q = &question{Decision: d, decided: make(chan struct{})}
		m.questions[d.ID] = q
	case !q.Same(d):
		return Decision{}, AnotherDecision(d.ID)
	}
	return q.now(), nil
}

// Decide implements Decisions.
func (m *Memory) Decide(ctx context.Context, id string, by Decider, answer Answer) (Decision, error) {
	var decided Decision
	err := m.question(ctx, "journal.Decide", id, func(q *question) error {
		d, err := q.Decide(by, answer, time.Now())
		if err != nil {
			return err
		}
		if q.State == Pending {
			q.Decision = d
			close(q.decided)
		}
		decided = q.now()
		return nil
	})
	return decided, err
}

// Withdraw implements Decisions.
func (m *Memory) Withdraw(ctx context.Context, ids ...string) error {
	for _, id := range ids {
		err := m.question(ctx, "journal.Withdraw", id, func(q *question) error {
			if q.State == Pending {
				q.Decision = q.Withdrawn(time.Now())
				close(q.decided)
			}
			return nil
		})
		if err != nil && fault.CodeOf(err) != sdkapi.DecisionNotFound {
			return err
		}
	}
	return nil
}

// Await implements Decisions.
func (m *Memory) Await(ctx context.Context, id string) (Decision, error) {
	for {
		var d Decision
		var decided <-chan struct{}
		err := m.question(ctx, "journal.Await", id, func(q *question) error {
			d, decided = q.now(), q.decided
			return nil
		})
		if err != nil || d.State != Pending {
			return d, err
		}
		expiry := time.NewTimer(time.Until(d.Expires))
		err = m.wait(ctx, decided, expiry.C)
		expiry.Stop()
		if err != nil {
			return Decision{}, err
		}
	}
}

// Decision implements Decisions.
func (m *Memory) Decision(ctx context.Context, id string) (Decision, error) {
	var d Decision
	err := m.question(ctx, "journal.Decision", id, func(q *question) error {
		d = q.now()
		return nil
	})
	return d, err
}

// question runs do on the question of an id, with mu held.
func (m *Memory) question(ctx context.Context, op, id string, do func(q *question) error) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := m.usable(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.questions[id]
	if q == nil {
		return NoDecision(op, id)
	}
	return do(q)
}

// Pending implements Decisions.
func (m *Memory) Pending(ctx context.Context, stream string) ([]Decision, error) {
	if err := CheckStream(stream); err != nil {
		return nil, err
	}
	return m.pending(ctx, func(d Decision) bool { return d.Stream == stream })
}

// PendingOf implements Decisions.
func (m *Memory) PendingOf(ctx context.Context, user, kind string) ([]Decision, error) {
	if err := CheckPendingOf(user, kind); err != nil {
		return nil, err
	}
	return m.pending(ctx, func(d Decision) bool { return d.Kind == kind && (user == "" || d.User == user) })
}

// pending returns the questions that can still be answered and that are wanted.
func (m *Memory) pending(ctx context.Context, wanted func(Decision) bool) ([]Decision, error) {
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var pending []Decision
	for _, q := range m.questions {
		if d := q.now(); d.State == Pending && wanted(d) {
			pending = append(pending, d)
		}
	}
	slices.SortFunc(pending, func(a, b Decision) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return pending[:min(len(pending), MaxEvents)], nil
}

// List implements Decisions.
func (m *Memory) List(ctx context.Context, l Listing) ([]Decision, error) {
	if err := CheckListing(l); err != nil {
		return nil, err
	}
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Decision
	for _, q := range m.questions {
		if d := q.now(); l.wants(d) {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, l.order)
	return list[:min(len(list), l.Limit)], nil
}

// Forget implements Decisions.
func (m *Memory) Forget(ctx context.Context, before time.Time) (removed int64, err error) {
	if err := m.usable(ctx); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, q := range m.questions {
		if d := q.now(); d.State != Pending && d.Ended.Before(before) {
			delete(m.questions, id)
			removed++
		}
	}
	return removed, nil
}
