// Package trouble counts failures of work on many items of one store.
//
//	var t trouble.Count
//	for _, id := range ids {
//		if t.Note(remove(id)); t.Enough() {
//			break
//		}
//	}
//	return t.First
package trouble

// InARow is the number of consecutive failures after which a store counts as unavailable.
const InARow = 10

// Count counts failures of a store. A single failure is no reason to stop; InARow consecutive
// failures mean that the store is unavailable. The zero value is ready to use.
type Count struct {
	First error // the first failure; nil if there was no failure

	fresh, streak int64 // since Take; since a success
}

// Note counts err, the result of work on one item. A nil err is a success.
func (c *Count) Note(err error) {
	if err == nil {
		c.streak = 0
		return
	}
	c.fresh++
	c.streak++
	if c.First == nil {
		c.First = err
	}
}

// Enough reports whether the caller should stop because the store is unavailable.
func (c *Count) Enough() bool { return c.streak >= InARow }

// Take returns the number of failures since the last Take.
func (c *Count) Take() int64 {
	n := c.fresh
	c.fresh = 0
	return n
}
