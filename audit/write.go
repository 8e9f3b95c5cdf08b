package audit

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// add puts a record into the queue. Where that is full it waits, at most
// maxWait, as a call that nobody records is worse than one that takes longer.
func (l *Log) add(r Record) {
	room := l.put(r)
	if room == nil {
		return
	}
	l.waited.Add(1)
	late := time.NewTimer(maxWait)
	defer late.Stop()
	for ; room != nil; room = l.put(r) {
		select {
		case <-room:
		case <-l.stop:
		case <-late.C:
			l.lose(1, "the database does not keep up")
			return
		}
	}
}

// put is add without waiting. It returns what is closed when there may be room,
// nil once the record is settled.
func (l *Log) put(r Record) (room <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		l.lose(1, "the log is closed")
		return nil
	case len(l.queue) >= maxQueue:
		if l.room == nil {
			l.room = make(chan struct{})
		}
		return l.room
	}
	r.Time, r.ID = time.Now(), rand.Int64() //nolint:gosec // it is no secret
	l.queue = append(l.queue, r)
	switch len(l.queue) {
	case 1:
		signal(l.some)
	case maxBatch:
		signal(l.full)
	}
	return nil
}

// signal fills a channel that holds one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take empties the queue, and gives it back what was taken before.
func (l *Log) take(spare []Record) []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.queue
	clear(spare)
	l.queue = spare[:0]
	if l.room != nil {
		close(l.room)
		l.room = nil
	}
	select {
	case <-l.full: // it was about what is taken now
	default:
	}
	return taken
}

// write is the writer. It ends once Close has been called and the queue is empty.
func (l *Log) write() {
	defer close(l.done)
	var taken []Record
	for last := false; !last; {
		select {
		case <-l.some:
		case <-l.stop:
			last = true
		}
		if !last {
			timer := time.NewTimer(gather)
			select {
			case <-timer.C:
			case <-l.full:
			case <-l.stop:
			}
			timer.Stop()
		}
		taken = l.take(taken)
		for rest := taken; len(rest) > 0; {
			n := min(len(rest), maxBatch)
			l.settle(rest[:n])
			rest = rest[n:]
		}
	}
}

// settle writes a batch, and tries until it is written, or can never be.
func (l *Log) settle(batch []Record) {
	for {
		err := l.insert(batch)
		if err == nil {
			l.written.Add(int64(len(batch)))
			return
		}
		if l.work.Err() != nil || !passing(err) {
			l.lose(len(batch), err.Error())
			return
		}
		l.opts.Log.Warn("calls of tools cannot be recorded now; they wait", slog.Int("records", len(batch)), slog.Any("err", err))
		select {
		case <-time.After(tryAgain):
		case <-l.work.Done():
		}
	}
}

// passing reports whether what failed may succeed later.
func passing(err error) bool {
	switch fault.CodeOf(err) {
	case sdkapi.StateUnavailable, sdkapi.StorageFull, sdkapi.Timeout:
		return true
	}
	return false
}

// lose counts records that are not kept, and tells the operator.
func (l *Log) lose(n int, why string) {
	l.lost.Add(int64(n))
	l.opts.Log.Error("calls of tools are not recorded", slog.Int("records", n), slog.String("why", why))
}

func (l *Log) insert(batch []Record) error {
	ctx, cancel := context.WithTimeout(l.work, tryTime)
	defer cancel()
	groups := grouped(batch)
	rows := make([][]any, len(groups))
	for i, g := range groups {
		rows[i] = g.values()
	}
	return l.db.Write(ctx, "audit.write", func(ctx context.Context, tx bun.Tx) error {
		return l.db.Insert(ctx, tx, "INSERT INTO audit ("+columns+")", rows)
	})
}
