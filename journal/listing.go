package journal

import (
	"cmp"
	"strings"
)

// Listing says which questions are asked for.
type Listing struct {
	User   string    // who may answer
	Kind   string    // what is asked
	Stream string    // how the name of the stream begins; empty: any
	State  State     // empty: any
	Denied bool      // of Decided: those that were denied, and else those that were not
	Newest bool      // the newest first, and else the oldest
	After  *Decision // only those behind it, of which Created and ID count; nil: from the first on
	Limit  int       // 1 to MaxEvents
}

// CheckListing refuses what List does not take.
func CheckListing(l Listing) error {
	if l.Limit < 1 || l.Limit > MaxEvents {
		return refuse("limit", "expected 1 to %d questions, not %d", MaxEvents, l.Limit)
	}
	if err := checkText("user", l.User, 1, MaxStreamName); err != nil {
		return err
	}
	return checkText("kind", l.Kind, 1, MaxKind)
}

// wants reports whether a question, as it is now, is asked for.
func (l Listing) wants(d Decision) bool {
	switch {
	case d.User != l.User, d.Kind != l.Kind, !strings.HasPrefix(d.Stream, l.Stream):
		return false
	case l.State != "" && d.State != l.State, l.State == Decided && d.Answer.Denied != l.Denied:
		return false
	}
	return l.After == nil || l.order(*l.After, d) < 0
}

// order compares the places of two questions in the list.
func (l Listing) order(a, b Decision) int {
	if l.Newest {
		a, b = b, a
	}
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}
