// Package trouble counts failures of work on many things of one store.
//
//	var t trouble.Count
//	for _, id := range ids {
//		if t.Note(remove(id)); t.Enough() {
//			break
//		}
//	}
//	return t.First
package trouble

// InARow is after how many failures in a row a store is taken to be away.
const InARow = 10

// Count is what has failed. One failure stops nothing; InARow in a row mean that the store is away. The
// zero value is ready.
type Count struct {
	First error // what failed first

	fresh, streak int64 // since Take; since a success
}

// Note counts how one piece of work ended.
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

// Enough reports whether to try nothing more now.
func (c *Count) Enough() bool { return c.streak >= InARow }

// Take returns how many failures there were since it was asked last.
func (c *Count) Take() int64 {
	n := c.fresh
	c.fresh = 0
	return n
}
