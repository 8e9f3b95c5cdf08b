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
// returns them. If too few units are free, work waits in a queue, first come, first served. Each
// user has a separate queue, and the queues take turns. If one user makes a hundred requests at
// once, another user's request waits for only one of these requests.
//
// Work is *short* or *long*. Long work never holds more than a part of the pool, so short work
// always finds units and does not wait behind long work. While long work waits, new short work
// takes no units of this part.
package fair
