package sqljournal

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/batch"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// Limits of the writer.
const (
	maxQueue  = 1024             // queued appends; further callers wait for a place
	maxBatch  = 256              // appends in one transaction
	maxBytes  = 8 << 20          // bytes of events in one transaction, unless one append alone has more
	rowBytes  = 512              // size that an event counts in addition to its data
	writeTime = 30 * time.Second // time limit of a transaction on PostgreSQL
)

// newQueue returns the queue of requests to the writer, with the limits above.
func newQueue() *batch.Queue[*request] {
	return batch.New(batch.Options[*request]{Most: maxBatch, Waiting: maxQueue, Bytes: maxBytes, Size: func(r *request) int { return r.size }})
}

// runWriter writes queued requests until the journal is closed.
func (j *Journal) runWriter() { j.queue.Run(context.Background(), j.commit) }

// commit writes a batch in one transaction and answers each request. After Close it leaves the
// batch to its callers, who take their requests back.
func (j *Journal) commit(queued []*request) {
	select {
	case <-j.closed:
		return
	default:
	}
	taken := slices.DeleteFunc(queued, func(r *request) bool { return !r.taken.CompareAndSwap(false, true) })
	if len(taken) == 0 {
		return
	}
	err := j.write(taken)
	for _, r := range taken {
		r.finish(err)
	}
}

// write writes a batch and wakes followers.
func (j *Journal) write(batch []*request) error {
	ctx := context.Background() // SQLite always responds
	if j.db.Postgres() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(j.work, writeTime)
		defer cancel()
	}
	each, err := j.prepareEach(ctx)
	if err != nil {
		return unanswered(ctx, err)
	}
	var grown []*growth
	err = j.db.Write(ctx, "sqljournal.Append", func(ctx context.Context, tx bun.Tx) error {
		w := writing{db: j.db, tx: tx, each: each.in(ctx, tx)}
		if err := w.admit(ctx, batch); err != nil {
			return err
		}
		grown = w.streams
		return w.keep(ctx)
	})
	if err != nil {
		return unanswered(ctx, err)
	}
	each.remember(grown)
	for _, g := range grown {
		j.hub.grown(g.name, g.id, g.events)
	}
	return nil
}

// writing is one transaction of the writer.
type writing struct {
	db      *database.DB
	tx      bun.Tx
	each    *eachByItself // nil on PostgreSQL
	streams []*growth     // sorted by name, so that all gateways lock in the same order
}

// growth is the part of a transaction that appends to one stream.
type growth struct {
	name     string
	requests []*request
	count    int64           // number of events
	id, last int64           // valid once the stream is locked
	events   []journal.Event // as they are stored
}

// admit runs the requests that are not appends, groups the others by stream, and moves the end of
// each stream. It refuses requests whose lease is lost.
func (w *writing) admit(ctx context.Context, batch []*request) (err error) {
	for _, r := range batch {
		r.last, r.err = 0, nil // this may be a retry
		if r.do != nil {
			if err := r.do(ctx, w.tx); err != nil {
				return err
			}
		}
		if r.beside != nil {
			if err := r.prepare(ctx, w.tx); err != nil {
				return err
			}
		}
	}
	if w.each != nil {
		w.streams, err = w.each.growAll(ctx, byStream(batch))
		return err
	}
	if err := w.refuse(ctx, batch); err != nil {
		return err
	}
	w.streams = byStream(batch)
	return w.grow(ctx)
}

// byStream groups the appends of a batch by stream, without refused ones.
func byStream(batch []*request) []*growth {
	var streams []*growth
	byName := map[string]*growth{}
	for _, r := range batch {
		if r.err != nil || len(r.events) == 0 {
			continue
		}
		g := byName[r.stream]
		if g == nil {
			g = &growth{name: r.stream}
			byName[r.stream] = g
			streams = append(streams, g)
		}
		g.requests = append(g.requests, r)
		g.count += int64(len(r.events))
	}
	slices.SortFunc(streams, func(a, b *growth) int { return strings.Compare(a.name, b.name) })
	return streams
}

// refuse locks the leases of a batch, so that none changes its owner before the transaction ends.
// It refuses the requests whose lease is lost.
func (w *writing) refuse(ctx context.Context, batch []*request) error {
	var keys []string
	for _, r := range batch {
		if r.lease != nil {
			keys = append(keys, r.lease.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	const query = "SELECT key, owner, token FROM leases WHERE key IN (?) ORDER BY key FOR SHARE"
	var rows []leaseRow
	if err := w.tx.NewRaw(query, bun.List(keys)).Scan(ctx, &rows); err != nil {
		return err
	}
	for _, r := range batch {
		if l := r.lease; l != nil && (l.Owner == "" || !slices.Contains(rows, leaseRow{l.Key, l.Owner, l.Token})) {
			r.err = leaseLost(*l)
		}
	}
	return nil
}

// keep inserts the events of the admitted appends.
func (w *writing) keep(ctx context.Context) error {
	if len(w.streams) == 0 {
		return nil
	}
	now, err := w.db.Now(ctx, w.tx)
	if err != nil {
		return err
	}
	var rows, pieces [][]any
	for _, g := range w.streams {
		seq := g.last - g.count
		for _, r := range g.requests {
			for _, e := range r.events {
				seq++
				e = journal.Event{Seq: seq, Time: database.Time(now), Kind: e.Kind, Data: e.Data}
				g.events = append(g.events, e)
				row, beside := inPieces(text(e.Data))
				rows = append(rows, []any{g.id, seq, now, e.Kind, row})
				for i, piece := range beside {
					pieces = append(pieces, []any{g.id, seq, i, piece})
				}
			}
			r.last = seq
		}
	}
	if err := w.insertPieces(ctx, pieces); err != nil {
		return err
	}
	if w.each != nil {
		return w.each.keepAll(ctx, rows)
	}
	if err := w.db.Insert(ctx, w.tx, "INSERT INTO events (stream_id, seq, time, kind, data)", rows); err != nil {
		return err
	}
	return tell(ctx, w.db, w.tx, w.topics())
}

// grow creates or locks each stream, in order, and moves its end.
func (w *writing) grow(ctx context.Context) error {
	if len(w.streams) == 0 {
		return nil
	}
	rows := make([]streamRow, len(w.streams))
	byName := make(map[string]*growth, len(w.streams))
	for i, g := range w.streams {
		rows[i] = streamRow{ID: newID(), Name: g.name, Last: g.count}
		byName[g.name] = g
	}
	var grown []streamRow
	err := w.tx.NewInsert().Model(&rows).On("CONFLICT (name) DO UPDATE").Set("last = s.last + EXCLUDED.last").
		Returning("id, name, last").Scan(ctx, &grown)
	for _, row := range grown {
		g := byName[row.Name]
		g.id, g.last = row.ID, row.Last
	}
	return err
}

// topics returns the topics of the streams that the transaction appends to.
func (w *writing) topics() []topic {
	topics := make([]topic, len(w.streams))
	for i, g := range w.streams {
		topics[i] = streamTopic(g.name)
	}
	return topics
}

// newID returns a positive random number.
func newID() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // Read never fails
	return int64(binary.BigEndian.Uint64(b[:])>>1) | 1
}

// ackTime is how long an append whose context has ended waits for its result if the writer has
// begun with it.
const ackTime = 5 * time.Second

// request is an append, or another change, that the writer runs in its transaction.
type request struct {
	do     func(ctx context.Context, tx bun.Tx) error // nil for an append; may run more than once
	beside Beside                                     // nil for an append of given events

	lease  *journal.Lease // nil if none is required
	stream string
	events []journal.Event
	size   int // approximate bytes of its events

	taken atomic.Bool   // set by the writer, which then answers, or by the caller, who has left
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

// append queues an append and waits for its commit. Without events it writes nothing. It returns the number of the
// stream's last event.
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

// ask queues a request and waits for its answer. It waits for a place in a full queue until ctx ends.
func (j *Journal) ask(ctx context.Context, r *request) (last int64, err error) {
	r.done = make(chan struct{})
	if err := j.queue.Put(ctx, r); err != nil {
		return 0, j.usable(ctx)
	}
	return j.answer(ctx, r)
}

// end returns the number of a stream's last event. It fails with LEASE_LOST if lease is not nil and
// lost.
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

// answer waits for the writer. If the caller leaves before the writer has taken the request, it is
// never written.
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
			"the database does not respond, so the events may or may not be stored; read the stream to check")
	}
}

// finish answers a request. err is the failure of the whole transaction; nil leaves the request's own result.
func (r *request) finish(err error) {
	if err != nil {
		r.last, r.err = 0, err
	}
	close(r.done)
}

// leaseLost returns the error LEASE_LOST.
func leaseLost(lease journal.Lease) error {
	return fault.New("sqljournal.AppendAs", sdkapi.LeaseLost, "another worker has taken over the lease of %q; stop work on it", lease.Key)
}
