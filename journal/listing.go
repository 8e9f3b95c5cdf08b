package journal

// Listing says which questions are asked for.
type Listing struct {
	User   string    // the user that may answer
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
