// Package sqljournal keeps a journal in a database: SQLite for one gateway,
// PostgreSQL for several.
//
//	db, err := database.Open(ctx, database.Config{File: "windie.db"})
//	log, err := sqljournal.Open(db, sqljournal.Options{})
//	defer log.Close()
//
// Appends are committed in groups: one goroutine, the writer, takes all that are waiting,
// writes them in one transaction, and acknowledges them: many wait for the disk once.
//
// A follower of a stream, and a caller that awaits a decision, ask the database
// when there may be something new. The hub wakes those in this process, a notice
// of PostgreSQL those of other gateways, and if a notice got lost, the poller,
// which looks now and then. The hub also hands on what was committed here: a
// follower that keeps up need not ask. A slow reader costs an append nothing.
package sqljournal

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/internal/batch"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// Options say how a journal works. The zero value is fine.
type Options struct {
	Poll time.Duration // between looks for changes without a notice; default DefaultPoll

	// Reclaim ends all leases at once if nobody else has the journal open: their owners are
	// gone, and the work need not wait. On PostgreSQL nobody knows who else there is: they stay.
	Reclaim bool

	// Beside is for a process that takes no leases, as one that serves a client beside the
	// gateway: Lease fails, and others do not count it among those that have the journal open.
	Beside bool
}

// DefaultPoll is how late a change is seen at most when a notice got lost, or
// another process made it in the same SQLite file.
const DefaultPoll = time.Second

// closeGrace is how long Close lets a transaction finish that a database does not answer.
const closeGrace = 5 * time.Second

// Journal implements journal.Journal.
type Journal struct {
	db     *database.DB
	poll   time.Duration
	queue  *batch.Queue[*request] // to the writer
	each   *eachByItself          // the writer's, on SQLite
	hub    *hub
	closed chan struct{}
	once   sync.Once
	own    sync.WaitGroup // the goroutines
	leave  func()         // gives back that the journal is in use; nil with Options.Beside

	work   context.Context // ends the goroutines, and what they ask the database
	cancel context.CancelFunc
}

var _ journal.Journal = (*Journal)(nil)

// Open returns the journal in a database. The database stays the caller's, who
// closes it after the journal.
func Open(db *database.DB, options Options) (*Journal, error) {
	if options.Poll < 0 {
		return nil, fault.New("sqljournal.Open", sdkapi.ValidationError, "a journal cannot poll every %v", options.Poll)
	}
	j := &Journal{
		db: db, poll: cmp.Or(options.Poll, DefaultPoll),
		queue: newQueue(), hub: newHub(), closed: make(chan struct{}),
	}
	j.work, j.cancel = context.WithCancel(context.Background())
	if !options.Beside {
		var err error
		if j.leave, err = db.Join(j.work, func(ctx context.Context) error { return j.reclaim(ctx, options) }); err != nil {
			j.cancel()
			return nil, err
		}
	}
	j.own.Go(j.runWriter)
	j.own.Go(j.runPoller)
	j.own.Go(j.runListener)
	j.own.Go(j.sweepDropped)
	return j, nil
}

// Ready implements journal.Journal.
func (j *Journal) Ready(ctx context.Context) error {
	if err := j.usable(ctx); err != nil {
		return err
	}
	return j.db.Ready(ctx)
}

// Close implements journal.Journal. It lets the transaction finish that the writer is in.
func (j *Journal) Close() error {
	j.once.Do(func() {
		close(j.closed)
		j.queue.Close()
		defer time.AfterFunc(closeGrace, j.cancel).Stop()
		j.own.Wait()
		if j.leave != nil {
			j.leave()
		}
	})
	j.cancel()
	return nil
}

// usable reports why a call cannot be served.
func (j *Journal) usable(ctx context.Context) error {
	select {
	case <-j.closed:
		return fault.New("sqljournal", sdkapi.StateUnavailable, "the journal is closed; start the gateway again")
	default:
	}
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}

// untilClosed returns a context that ends with the journal, for goroutines
// that have nothing to finish.
func (j *Journal) untilClosed() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(j.work)
	j.own.Go(func() {
		select {
		case <-j.closed:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, cancel
}

// unanswered makes the end of a context of ours a database that does not answer.
func unanswered(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fault.New("sqljournal", sdkapi.StateUnavailable, "the database does not answer; see that it runs and can be reached").Because(err)
}
