package journal

import (
	"bytes"
	"cmp"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Asked returns d in the form in which Open stores it: the question is pending, and empty fields
// have their default values. now is the time of the back end's clock. Asked fails if Open does not
// accept the question.
func (d Decision) Asked(now time.Time) (Decision, error) {
	if err := checkQuestion(d); err != nil {
		return Decision{}, err
	}
	if d.Created.IsZero() {
		d.Created = now
	}
	if d.Expires.IsZero() {
		d.Expires = d.Created.Add(cmp.Or(d.Lasts, DefaultExpiry))
	}
	d.Lasts = 0
	d.Created, d.Expires = micros(d.Created), micros(d.Expires)
	d.Request = orNull(d.Request)
	d.State, d.Answer, d.Ended = Pending, Answer{}, time.Time{}
	return d, nil
}

// At returns the question with its state at now, a time from the back end's clock. A pending
// question whose time has passed is returned as expired.
func (d Decision) At(now time.Time) Decision {
	if d.State == Pending && !now.Before(d.Expires) {
		d.State, d.Ended = Expired, d.Expires
		d.Answer = Answer{Denied: true, Reason: ReasonExpired, Value: orNull(nil)}
	}
	return d
}

// Withdrawn returns the question after its withdrawal at now, a time from the back end's clock. If
// the question has already ended, Withdrawn returns it unchanged.
func (d Decision) Withdrawn(now time.Time) Decision {
	if d = d.At(now); d.State == Pending {
		d.State, d.Ended = Expired, micros(now)
		d.Answer = Answer{Denied: true, Reason: ReasonWithdrawn, Value: orNull(nil)}
	}
	return d
}

// Same reports whether two decisions are the same question: whether ID, Stream, User, Kind and
// Digest are equal.
func (d Decision) Same(other Decision) bool {
	return d.ID == other.ID && d.Stream == other.Stream && d.User == other.User && d.Kind == other.Kind && d.Digest == other.Digest
}

// Decide returns the question with an answer by decider. If the answer is refused, Decide returns a
// fault with the reason. now is the current time on the back end's clock. Decide applies the rules
// of Decisions.Decide and stores nothing.
func (d Decision) Decide(decider Decider, answer Answer, now time.Time) (Decision, error) {
	const op = "journal.Decide"
	if err := checkAnswer(answer); err != nil {
		return Decision{}, err
	}
	d = d.At(now)
	switch {
	case decider.User != d.User:
		return Decision{}, NoDecision(op, d.ID)
	case decider.Digest != "" && decider.Digest != d.Digest:
		return Decision{}, fault.New(op, sdkapi.DecisionConflict, "the answer does not match the current content of the question %q; read the question again, then answer", d.ID)
	case d.State == Expired && d.Answer.Reason == ReasonWithdrawn:
		return Decision{}, fault.New(op, sdkapi.DecisionExpired, "the question %q no longer needs an answer: its call was canceled, or its turn has ended", d.ID)
	case d.State == Expired:
		return Decision{}, fault.New(op, sdkapi.DecisionExpired, "the question %q has expired and counts as denied", d.ID)
	case d.State == Decided && !d.Answer.Equal(answer):
		return Decision{}, fault.New(op, sdkapi.DecisionConflict, "the question %q already has a different answer", d.ID)
	case d.State == Decided:
		return d, nil
	}
	answer.Value = orNull(answer.Value)
	d.State, d.Answer, d.Ended = Decided, answer, micros(now)
	return d, nil
}

// NoDecision returns the fault DECISION_NOT_FOUND for a question that does not exist or belongs to
// another user.
func NoDecision(op, id string) error {
	return fault.New(op, sdkapi.DecisionNotFound, "there is no question with the id %q; list the open questions", id)
}

// AnotherDecision returns the fault DECISION_CONFLICT for a new question whose id already belongs
// to another question.
func AnotherDecision(id string) error {
	return fault.New("journal.Open", sdkapi.DecisionConflict, "another question already has the id %q", id)
}

// Equal reports whether two answers are the same. It compares their values as JSON. If Canonical
// refuses one of the values, Equal returns false.
func (a Answer) Equal(b Answer) bool {
	if a.Denied != b.Denied || a.Reason != b.Reason {
		return false
	}
	left, err := Canonical(a.Value)
	if err != nil {
		return false
	}
	right, err := Canonical(b.Value)
	return err == nil && bytes.Equal(left, right)
}

// micros returns a time in UTC, truncated to microseconds, as journals store it.
func micros(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
