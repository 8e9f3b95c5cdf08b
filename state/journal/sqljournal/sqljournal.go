// Package sqljournal implements a journal in a database: SQLite for one gateway, PostgreSQL for
// several.
//
//	db, err := database.Open(ctx, database.Config{File: "windie.db"})
//	log, err := sqljournal.Open(db, sqljournal.Options{})
//	defer log.Close()
//
// Appends are committed in groups: one goroutine, the writer, takes all waiting appends, writes
// them in one transaction, and acknowledges them. So many appends share one wait for the disk.
//
// Followers of a stream and callers that await a decision query the database when there may be
// news. The hub wakes the waiting callers of this process. A PostgreSQL notice wakes those of other
// gateways. If a notice is lost, the poller finds the change after Options.Poll. The hub also passes
// on events that this process has committed, so that a fast follower needs no query. A slow reader
// never delays an append.
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

// Options configure a journal. The zero value is useful.
type Options struct {
	// time between two polls for changes whose notice was lost or never sent; default DefaultPoll
	Poll time.Duration

	// Reclaim says whether Open ends all leases if no other process has the journal open. The
	// owners of these leases have died, so nobody needs to wait until the leases expire. On
	// PostgreSQL, other gateways may have the journal open, so Open keeps the leases.
	Reclaim bool

	// Beside says that the process takes no leases, for example because it serves a client while a
	// gateway uses the same journal. Lease then fails. Other processes that open the journal with
	// Reclaim ignore this process.
	Beside bool
}

// DefaultPoll is the default time between two polls for changes in the database. A poll finds
// changes whose notice was lost, and changes by other processes in the same SQLite file.
const DefaultPoll = time.Second

// closeGrace is how long Close waits for a transaction if the database does not respond.
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
	own    sync.WaitGroup // the journal's goroutines
	leave  func()         // ends the mark that the journal is in use; nil with Options.Beside

	work   context.Context // cancels the goroutines and their queries
	cancel context.CancelFunc
}

var _ journal.Journal = (*Journal)(nil)

// Open returns the journal in a database. The caller closes the journal first and then the
// database.
func Open(db *database.DB, options Options) (*Journal, error) {
	if options.Poll < 0 {
		return nil, fault.New("sqljournal.Open", sdkapi.ValidationError, "invalid poll interval %v; expected 0 or more", options.Poll)
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

// Close implements journal.Journal. It waits for the writer's current transaction.
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

// usable returns the reason why the journal cannot serve a call, or nil.
func (j *Journal) usable(ctx context.Context) error {
	select {
	case <-j.closed:
		return fault.New("sqljournal", sdkapi.StateUnavailable, "the journal is closed; restart the gateway")
	default:
	}
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}

// untilClosed returns a context that ends when the journal is closed, for goroutines that may stop
// at any moment.
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

// unanswered turns an error into STATE_UNAVAILABLE if ctx, which is the journal's own time limit,
// has ended.
func unanswered(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fault.New("sqljournal", sdkapi.StateUnavailable, "the database does not respond; check that it runs and that the gateway can reach it").Because(err)
}
