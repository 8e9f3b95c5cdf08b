package sqljournal

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// ackTime is how long an append whose context has ended waits to learn whether
// it was written, when the writer has begun with it.
const ackTime = 5 * time.Second

// request is one append on its way through the writer, or something else that
// is done in its transaction.
type request struct {
	do func(ctx context.Context, tx bun.Tx) error // nil for an append; may run more than once

	lease  *journal.Lease // nil for anybody
	stream string
	events []journal.Event
	size   int // bytes that its events take, about

	taken atomic.Bool   // by the writer, which then answers; or by its caller, who has left
	done  chan struct{} // closed when last or err is set
	last  int64
	err   error
}

// Append implements journal.Log.
func (j *Journal) Append(ctx context.Context, stream string, events ...journal.Event) (last int64, err error) {
	return j.append(ctx, nil, stream, events)
}

// AppendAs implements journal.Log.
func (j *Journal) AppendAs(ctx context.Context, lease journal.Lease, stream string, events ...journal.Event) (last int64, err error) {
	return j.append(ctx, &lease, stream, events)
}

func (j *Journal) append(ctx context.Context, lease *journal.Lease, stream string, events []journal.Event) (last int64, err error) {
	if err := cmp.Or(journal.CheckAppend(stream, events), j.usable(ctx)); err != nil {
		return 0, err
	}
	if len(events) == 0 {
		return j.end(ctx, lease, stream)
	}
	r := &request{lease: lease, stream: stream, events: events}
	for _, e := range events {
		r.size += rowBytes + len(e.Data)
	}
	return j.ask(ctx, r)
}

// ask has the writer do something.
func (j *Journal) ask(ctx context.Context, r *request) (last int64, err error) {
	r.done = make(chan struct{})
	if err := j.queue.Put(ctx, r); err != nil {
		return 0, j.usable(ctx)
	}
	return j.answer(ctx, r)
}

// end returns the number of a stream's last event to the holder of a lease, or to
// anybody if lease is nil.
func (j *Journal) end(ctx context.Context, lease *journal.Lease, stream string) (last int64, err error) {
	const op = "sqljournal.Append"
	held := lease == nil
	err = j.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		if lease != nil {
			var err error
			held, err = db.NewSelect().Table("leases").Where("key = ? AND owner = ? AND token = ?", lease.Key, lease.Owner, lease.Token).Exists(ctx)
			if err != nil {
				return err
			}
		}
		return db.NewRaw("SELECT coalesce(max(last), 0) FROM streams WHERE name = ?", stream).Scan(ctx, &last)
	})
	switch {
	case err != nil:
		return 0, err
	case !held || lease != nil && lease.Owner == "":
		return 0, leaseLost(*lease)
	}
	return last, nil
}

// answer waits for the writer. A request that it has not taken when the caller
// leaves will not be written.
func (j *Journal) answer(ctx context.Context, r *request) (last int64, err error) {
	select {
	case <-r.done:
		return r.last, r.err
	case <-ctx.Done():
	case <-j.closed:
	}
	if r.taken.CompareAndSwap(false, true) {
		return 0, j.usable(ctx)
	}
	timer := time.NewTimer(ackTime)
	defer timer.Stop()
	select {
	case <-r.done:
		return r.last, r.err
	case <-timer.C:
		return 0, fault.New("sqljournal.Append", sdkapi.StateUnavailable,
			"the database does not answer; whether the events were kept shows when they are read")
	}
}

// finish answers the caller.
func (r *request) finish(err error) {
	if err != nil {
		r.last, r.err = 0, err
	}
	close(r.done)
}

func leaseLost(lease journal.Lease) error {
	return fault.New("sqljournal.AppendAs", sdkapi.LeaseLost, "somebody else has taken over %q", lease.Key)
}
