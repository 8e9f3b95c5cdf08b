package quota

import (
	"context"

	"github.com/windieos/windie/internal/fair"
)

// A JSON body is in memory several times: as received, as the text of its fields, and decoded if
// that is base64.
const (
	smallBody = 64 << 10 // a body of at most this many bytes does not count as open while it is received
	freeBody  = 1 << 20  // bytes of a body that take nothing from the pool
	heldTimes = 4        // how many times the rest of a body is in memory
)

// Held is the part of the gateway's limits that one request body uses. While the body is received,
// it counts as an open body and as an arriving body. A large body takes memory from a pool when it
// is complete.
type Held struct {
	Arrival *Arrival // counts the bytes of the body; nil if the body is not held in memory
	// Pool is the pool from which a large complete body takes memory. It is nil if the body is not decoded.
	Pool *fair.Pool
	// User returns the context that limits the wait for memory from Pool, and the user for whom the
	// body takes this memory.
	User func() (context.Context, string)
	// Open counts the body as an open body. The count ends when Held calls the returned function.
	Open func() (closed func(), err error)

	closed func()
	share  *fair.Share
}

// Arrived updates the body's share of the limits. n is the number of bytes of the body that have
// arrived so far. whole means that the body is complete. Arrived fails if a limit is reached.
func (h *Held) Arrived(n int64, whole bool) (err error) {
	if !whole && n > smallBody && h.closed == nil {
		if h.closed, err = h.Open(); err != nil {
			return err
		}
	}
	if err := h.Arrival.Arrived(n); err != nil || !whole {
		return err
	}
	h.close()
	if h.Pool != nil && n > freeBody {
		ctx, user := h.User()
		if h.share, err = h.Pool.Take(ctx, user, (n-freeBody)*heldTimes, fair.Short); err != nil {
			return err
		}
	}
	err = h.Arrival.Lost()
	h.Arrival.End()
	return err
}

// close ends the count of the body as open. Further calls have no effect.
func (h *Held) close() {
	if h.closed != nil {
		h.closed()
		h.closed = nil
	}
}

// Give releases the body's share of the limits. Further calls have no effect.
func (h *Held) Give() {
	h.close()
	h.Arrival.End()
	h.share.Give()
}
