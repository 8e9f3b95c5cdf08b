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

// add puts a record into the queue. Where that is full it waits, at most
// maxWait, as a call that nobody records is worse than one that takes longer.
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
		l.lose(1, "the log is closed")
	case err != nil:
		l.lose(1, "the database does not keep up")
	}
}

// stamp gives a record its time and id. Records in the queue are in the order of
// time, on which grouped depends.
func stamp(r Record) Record {
	r.Time, r.ID = time.Now(), rand.Int64() //nolint:gosec // it is no secret
	return r
}

// write is the writer. It ends once Close has been called and the queue is empty.
func (l *Log) write() {
	defer close(l.done)
	l.queue.Run(context.Background(), l.settle)
}

// settle writes a batch, and tries until it is written, or can never be.
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
		l.opts.Log.Warn("calls of tools cannot be recorded now; they wait", slog.Int("records", len(records)), slog.Any("err", err))
		_ = background.Sleep(l.work, tryAgain)
	}
}

func passing(err error) bool {
	switch fault.CodeOf(err) {
	case sdkapi.StateUnavailable, sdkapi.StorageFull, sdkapi.Timeout:
		return true
	}
	return false
}

// lose counts records that are not kept, and logs their number.
func (l *Log) lose(n int, why string) {
	l.lost.Add(int64(n))
	l.opts.Log.Error("calls of tools are not recorded", slog.Int("records", n), slog.String("why", why))
}

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
