package audit

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/batch"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// add puts a record into the queue. If the queue is full, it waits for at most maxWait, because an
// unrecorded call is worse than a slow one.
func (l *Log) add(r Record) {
	err := l.queue.TryPut(r)
	if errors.Is(err, batch.ErrFull) {
		l.waited.Add(1)
		ctx, cancel := context.WithTimeout(context.Background(), maxWait)
		defer cancel()
		err = l.queue.Put(ctx, r)
	}
	switch {
	case errors.Is(err, batch.ErrClosed):
		l.lose(1, "the audit log is closed")
	case err != nil:
		l.lose(1, "the database is too slow for the number of calls")
	}
}

// stamp sets the time and id of a record. The queue calls it in order, so that records are in order
// of time, as grouped requires.
func stamp(r Record) Record {
	r.Time, r.ID = time.Now(), rand.Int64() //nolint:gosec // it is no secret
	return r
}

// write is the writer. It ends when Close was called and the queue is empty.
func (l *Log) write() {
	defer close(l.done)
	l.queue.Run(context.Background(), l.settle)
}

// settle writes a batch. It retries until the batch is written, or can never be written.
func (l *Log) settle(records []Record) {
	for {
		err := l.insert(records)
		if err == nil {
			l.written.Add(int64(len(records)))
			return
		}
		if l.work.Err() != nil || !passing(err) {
			l.lose(len(records), err.Error())
			return
		}
		l.opts.Log.Warn("cannot write tool calls to the audit log now; retrying", slog.Int("records", len(records)), slog.Any("err", err))
		_ = background.Sleep(l.work, tryAgain)
	}
}

// passing reports whether an error of the database may pass, so that a retry makes sense.
func passing(err error) bool {
	switch fault.CodeOf(err) {
	case sdkapi.StateUnavailable, sdkapi.StorageFull, sdkapi.Timeout:
		return true
	}
	return false
}

// lose counts lost records, and logs their number.
func (l *Log) lose(n int, why string) {
	l.lost.Add(int64(n))
	l.opts.Log.Error("tool calls lost from the audit log", slog.Int("records", n), slog.String("why", why))
}

// insert writes records in one transaction: all of them or, after an error, none.
func (l *Log) insert(records []Record) error {
	ctx, cancel := context.WithTimeout(l.work, tryTime)
	defer cancel()
	groups := grouped(records)
	rows := make([][]any, len(groups))
	for i, g := range groups {
		rows[i] = g.values()
	}
	return l.db.Write(ctx, "audit.write", func(ctx context.Context, tx bun.Tx) error {
		return l.db.Insert(ctx, tx, "INSERT INTO audit ("+columns+")", rows)
	})
}
