package sqljournal

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/state/journal"
)

// Beside is a function that changes rows in a transaction. It returns a list of events and the name
// of their stream. AppendBeside appends the events to the stream in the same transaction. The list
// of events may be empty. AppendBeside may call the function several times. If the function returns
// an error, its changes are undone. The error must be a database error or a fault.
type Beside func(ctx context.Context, tx bun.Tx) (stream string, events []journal.Event, err error)

// AppendBeside calls the function change in a transaction. In the same transaction, it appends the
// returned events to the returned stream. So the rows that the function has written always agree
// with the stream. AppendBeside returns the number of the stream's last event, or 0 if there are no
// events. On PostgreSQL, callers that change the same rows must lock them in the same order.
func (j *Journal) AppendBeside(ctx context.Context, op string, change Beside) (last int64, err error) {
	if err := j.usable(ctx); err != nil {
		return 0, err
	}
	r := &request{beside: change, size: rowBytes}
	if !j.db.Postgres() {
		return j.ask(ctx, r)
	}
	var grown []*growth
	err = j.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		w := writing{db: j.db, tx: tx}
		if err := w.admit(ctx, []*request{r}); err != nil {
			return err
		}
		grown = w.streams
		return w.keep(ctx)
	})
	if err != nil {
		return 0, unanswered(ctx, err)
	}
	for _, g := range grown {
		j.hub.grown(g.name, g.id, g.events)
	}
	return r.last, r.err
}

// prepare runs beside and stores its events in the request. A fault refuses only this request;
// other errors abort the whole transaction.
func (r *request) prepare(ctx context.Context, tx bun.Tx) error {
	r.stream, r.events = "", nil
	err := tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { // a savepoint
		stream, events, err := r.beside(ctx, tx)
		if err == nil && len(events) > 0 {
			err = journal.CheckAppend(stream, events)
		}
		if err == nil {
			r.stream, r.events = stream, events
		}
		return err
	})
	if refused, ok := err.(*fault.Error); ok { //nolint:errorlint // what a fault wraps is the database's, and ends the whole
		r.err = refused
		return nil
	}
	return err
}
