// Package fair shares a limited resource, such as bytes of memory or processor cores, among users.
//
//	pool := fair.New(fair.Options{Name: "cores", Capacity: 3, Long: 2})
//	share, err := pool.Take(ctx, user, 1, fair.Short)
//	if err != nil {
//		return err // OVERLOADED; or the context's error
//	}
//	defer share.Give()
//
// A *pool* has a capacity in units. A *share* is the units that one piece of work holds until it
// gives them back. If too few units are free, work waits in a queue, first come, first served. Each
// user has a queue of their own, and the queues take turns: if one user makes a hundred requests at
// once, another user's request waits for one of them, not for a hundred.
//
// Work is *short* or *long*. Long work never holds more than a part of the pool, so that short work
// always finds units and does not wait behind long work. While long work waits, short work leaves
// that part to it.
package fair
