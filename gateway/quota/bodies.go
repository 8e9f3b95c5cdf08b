package quota

import (
	"context"

	"github.com/windieos/windie/internal/fair"
)

// JSON is held whole: as it arrived, as the text of its fields, and decoded where that is base64.
const (
	smallBody = 64 << 10 // bytes of a body that does not count as open while it arrives
	freeBody  = 1 << 20  // bytes of a body that take nothing from the pool
	heldTimes = 4        // how often the rest is held
)

// Held is what a body takes: it counts as open and as arriving until it is there whole, and if it is large it takes memory
// from a pool from then on.
type Held struct {
	Arrival *Arrival                          // nil for one that is not held in memory
	Pool    *fair.Pool                        // nil for one of which nothing is made
	User    func() (context.Context, string)  // for whom the pool is asked
	Open    func() (closed func(), err error) // counts the body as open

	closed func()
	share  *fair.Share
}

// Arrived takes what a body of which n bytes have arrived needs; whole, when they are all of it.
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

func (h *Held) close() {
	if h.closed != nil {
		h.closed()
		h.closed = nil
	}
}

// Give gives back what the body has taken. It may be called again.
func (h *Held) Give() {
	h.close()
	h.Arrival.End()
	h.share.Give()
}
