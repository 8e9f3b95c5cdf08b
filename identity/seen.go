package identity

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/batch"
)

// Bounds of noting who was seen.
const (
	seenEvery  = time.Minute     // an install's last_seen is written at most so often
	seenGather = time.Second     // how long Run waits for others to write down with the first
	seenTime   = 5 * time.Second // of one writing
	maxSeen    = 4096            // installs that wait to be written down; more are noted at their next request
)

// newSeen returns the queue of the installs that Run is to note as seen.
func newSeen() *batch.Queue[string] {
	return batch.New(batch.Options[string]{Most: maxSeen, Waiting: maxSeen, Gather: seenGather, Once: true})
}

// note has Run write down that an install was seen. It waits for nothing, and who
// finds no room is noted at the next request.
func (i *Identity) note(install string) { _ = i.seen.TryPut(install) }

// Run writes down when installs were last seen, until ctx ends. Without it
// nobody is let in or refused otherwise, but LastSeen stays as it is.
func (i *Identity) Run(ctx context.Context) {
	i.seen.Run(ctx, func(installs []string) { i.writeSeen(context.WithoutCancel(ctx), installs) })
}

// writeSeen writes down the installs that were seen. Its failure is not
// reported: an install that is not written down now is noted again at the next
// request.
func (i *Identity) writeSeen(ctx context.Context, installs []string) {
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	slices.Sort(installs) // gateways lock rows in one order
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
