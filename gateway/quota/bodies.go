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

// Held is a body's share of the gateway's limits. While the body is received, it counts as open and
// as arriving. Once complete, a large body takes memory from a pool.
type Held struct {
	Arrival *Arrival                          // nil for a body that is not held in memory
	Pool    *fair.Pool                        // nil for a body that is not decoded
	User    func() (context.Context, string)  // returns the user for whom Pool is asked
	Open    func() (closed func(), err error) // counts the body as open until closed is called

	closed func()
	share  *fair.Share
}

// Arrived accounts for a body of which n bytes have arrived. whole means that the body is complete.
// It fails if a limit is reached.
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
