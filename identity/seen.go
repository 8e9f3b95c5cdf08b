package identity

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

// Bounds of noting who was seen.
const (
	seenEvery  = time.Minute     // an install's last_seen is written at most so often
	seenGather = time.Second     // how long Run waits for others to write down with the first
	seenTime   = 5 * time.Second // of one writing
	maxSeen    = 4096            // installs that wait to be written down; more are noted at their next request
)

// note has Run write down that an install was seen. It waits for nothing.
func (i *Identity) note(install string) {
	i.mu.Lock()
	if len(i.seen) < maxSeen {
		i.seen[install] = true
	}
	i.mu.Unlock()
	select {
	case i.wake <- struct{}{}:
	default: // Run knows already
	}
}

// Run writes down when installs were last seen, until ctx ends. Without it
// nobody is let in or refused otherwise, but LastSeen stays as it is.
func (i *Identity) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			i.writeSeen(context.WithoutCancel(ctx))
			return
		case <-i.wake:
		}
		select {
		case <-ctx.Done():
		case <-time.After(seenGather):
			i.writeSeen(ctx)
		}
	}
}

// writeSeen writes down the installs that were seen. Its failure is not
// reported: an install that is not written down now is noted again at the next
// request.
func (i *Identity) writeSeen(ctx context.Context) {
	i.mu.Lock()
	installs := slices.Sorted(maps.Keys(i.seen))
	clear(i.seen)
	i.mu.Unlock()
	if len(installs) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	_ = i.db.Write(ctx, "identity.seen", func(ctx context.Context, tx bun.Tx) error {
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		// Another gateway may have written it down meanwhile.
		_, err = tx.NewRaw("UPDATE installs SET last_seen = ? WHERE id IN (?) AND last_seen <= ?",
			now, bun.List(installs), now-int64(seenEvery/time.Microsecond)).Exec(ctx)
		return err
	})
}
