// Package fair shares what there is a bounded amount of, such as bytes of memory or processor
// cores, among users.
//
//	pool := fair.New(fair.Options{Name: "cores", Capacity: 3, Long: 2})
//	share, err := pool.Take(ctx, user, 1, fair.Short)
//	if err != nil {
//		return err // OVERLOADED; or the context's error
//	}
//	defer share.Give()
//
// A *pool* has a capacity in units. A *share* is the units that one piece of work holds until it
// gives them back. Work that finds too few units waits in a queue, first come, first served. Each
// user has a queue of their own, and the queues take turns: a user who asks for a hundred things
// at once has another user's one thing wait for one of them, not for the hundred.
//
// Work is *short* or *long*. Long work never holds more than a part of the pool, so that some of it
// is left for short work, which then does not wait behind long work. While long work waits, short
// work leaves it its part.
package fair
