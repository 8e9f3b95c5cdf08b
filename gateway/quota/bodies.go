package quota

import (
	"context"

	"github.com/windieos/windie/internal/fair"
)

// JSON is held whole: as it arrived, as the text of its fields, and decoded where that is base64.
const (
	freeBody  = 1 << 20 // bytes of a body that take nothing from the pool
	heldTimes = 4       // how often the rest is held
)

// Held is what a body of JSON takes from a pool of memory while it arrives, so that a slow one takes
// little. Nil takes nothing.
type Held struct {
	pool  *fair.Pool
	user  func() (context.Context, string)
	paid  int64 // bytes of the body
	share *fair.Share
}

// Hold returns what a body takes from pool, for the user that is known once it arrives; nil without
// a pool.
func Hold(pool *fair.Pool, user func() (context.Context, string)) *Held {
	if pool == nil {
		return nil
	}
	return &Held{pool: pool, user: user, paid: freeBody}
}

// Arrived takes memory for a body of which n bytes have arrived. What it takes first waits for its
// turn; later it is there at once, or the error is OVERLOADED.
func (h *Held) Arrived(n int64) error {
	for ; h != nil && n > h.paid; h.paid += freeBody {
		if h.share != nil {
			if !h.share.Grow(freeBody * heldTimes) {
				return h.pool.Overloaded()
			}
			continue
		}
		ctx, user := h.user()
		share, err := h.pool.Take(ctx, user, freeBody*heldTimes, fair.Short)
		if err != nil {
			return err
		}
		h.share = share
	}
	return nil
}

// Give gives back what the body has taken.
func (h *Held) Give() {
	if h != nil {
		h.share.Give()
	}
}
