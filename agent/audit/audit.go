// Package audit records the calls of tools: user, tool, protocol, decision and outcome. Of the
// arguments it keeps only a digest, which shows whether two calls were the same.
//
//	log := audit.Open(db, audit.Options{})
//	defer log.Close()
//	registry.Observe(log)                              // calls of the registry's tools
//	session.Config{Ended: log.Ended, Via: audit.Via}   // and those of turns that it does not hear of
//	page, err := audit.List(ctx, db, audit.Query{User: "ada", Limit: 100})
//
// A call is over before its *record* is on disk: the writer, a goroutine, gathers records for at
// most 100 ms and writes them in transactions of at most 500. A crash can lose those of the last
// 100 ms, and those that waited for a database that did not answer.
package audit

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/internal/batch"
	"github.com/windieos/windie/state/database"
)

// Record is what is kept of a call.
type Record struct {
	Time     time.Time // when it ended, to the microsecond
	ID       int64     // distinguishes records of one moment
	User     string    // on whose behalf it was made
	Tool     string    // as the registry calls it, or as the caller did
	Origin   string    // where the tool comes from, as agent.Kind; empty if the call did not get to a tool
	Protocol string    // that it came by: http, ws, prompt, mcp, general; empty for none
	Session  string    // that it belongs to; empty outside of one
	Call     string    // of a turn, the model's id of it; else the request's id
	Parent   string    // the tool from within which it was made
	Digest   string    // journal.Digest of tool and arguments; empty where they are no JSON
	Decision Decision
	By       string // the user that decided; empty for the rules, and for nobody
	Outcome  Outcome
	Code     string        // of a failure
	Duration time.Duration // to the microsecond; 0 where nobody measured

	// What it took. A zero was not measured, or was nothing.
	Fuel      uint64
	Memory    int64 // bytes
	HostCalls int64
	Egress    int64 // bytes

	Removed int64 // that an erasure removed, of the kind that Tool names

	Tokens int64 // that the model of its turn had taken by then, in all rounds
}

// Decision says why a call was made or not: agent.Consent, whose zero value is None here.
type Decision string

// None is the decision on a call about which nobody was asked.
const None Decision = "none"

// Outcome says what came of a call.
type Outcome string

// The outcomes.
const (
	Done     Outcome = "done"
	Failed   Outcome = "failed"   // the tool could not do it, or what runs it
	Refused  Outcome = "refused"  // it did not get to the tool
	Denied   Outcome = "denied"   // nor this: the user did not want it, or did not answer
	Canceled Outcome = "canceled" // whoever made it did not wait for its end, or the turn ended before
	Unknown  Outcome = "unknown"  // it may have run
)

// Bounds of the writer.
const (
	gather   = 100 * time.Millisecond // how long a record waits for others
	maxBatch = 500                    // records of a transaction
	maxQueue = 4096                   // that wait; whoever brings one more waits too
	maxWait  = 10 * time.Second       // for a place in the queue
	tryAgain = time.Second            // after a failure
	tryTime  = 10 * time.Second       // of one transaction
	lastTime = 5 * time.Second        // of all that Close has still to write
)

// Options say how a log works. The zero value is fine.
type Options struct {
	Log *slog.Logger // default: discard
}

// Log writes records into a database. Its methods may be called from several
// goroutines at once, and several gateways may share the database.
type Log struct {
	db   *database.DB
	opts Options

	queue *batch.Queue[Record]
	once  sync.Once
	done  chan struct{} // closed by the writer, last

	work   context.Context // of the writer
	cancel context.CancelFunc

	written, lost, waited atomic.Int64
}

// Open returns the log in db, which stays the caller's, who closes it after the log.
func Open(db *database.DB, opts Options) *Log {
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	l := &Log{
		db: db, opts: opts, done: make(chan struct{}),
		queue: batch.New(batch.Options[Record]{Most: maxBatch, Waiting: maxQueue, Gather: gather, Added: stamp}),
	}
	l.work, l.cancel = context.WithCancel(context.Background())
	go l.write()
	return l
}

// Close writes what waits, within five seconds. What is added later is lost. It
// may be called twice.
func (l *Log) Close() {
	l.once.Do(func() {
		l.queue.Close()
		defer time.AfterFunc(lastTime, l.cancel).Stop()
		<-l.done
	})
	l.cancel()
}

// Stats are figures since Open.
type Stats struct {
	Queued  int   // records that wait for the writer
	Written int64 // records that are on disk
	Lost    int64 // records that are not, and will not be
	Waited  int64 // records that had to wait for a place in the queue
}

// Stats returns the figures.
func (l *Log) Stats() Stats {
	return Stats{Queued: l.queue.Len(), Written: l.written.Load(), Lost: l.lost.Load(), Waited: l.waited.Load()}
}
