// Package audit records the calls of tools: user, tool, protocol, decision and outcome. Instead of
// the arguments it stores only a digest, which shows whether two calls were equal.
//
//	log := audit.Open(db, audit.Options{})
//	defer log.Close()
//	registry.Observe(log)                              // calls of the registry's tools
//	session.Config{Ended: log.Ended, Via: audit.Via}   // other calls of turns
//	page, err := audit.List(ctx, db, audit.Query{User: "ada", Limit: 100})
//
// A call ends before its *record* is on disk. The writer, a goroutine, collects records for at most
// 100 ms and writes them in transactions of at most 500 records. A crash can lose the records of
// the last 100 ms, and records that waited for an unresponsive database.
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

// Record is the stored record of a call.
type Record struct {
	Time     time.Time // when the call ended, to the microsecond
	ID       int64     // distinguishes records with the same time
	User     string    // the user for whom the call was made
	Tool     string    // name in the registry, or the caller's name for it
	Origin   string    // origin of the tool, an agent.Kind; empty if the call did not reach a tool
	Protocol string    // protocol of the call: http, ws, prompt, mcp, general; empty for none
	Session  string    // session of the call; empty outside of a session
	Call     string    // in a turn, the model's id of the call; else the request's id
	Parent   string    // tool that made the call; empty if none did
	Digest   string    // journal.Digest of tool and arguments; empty if the arguments are invalid
	Decision Decision
	By       string // the user who decided; empty if the rules or nobody decided
	Outcome  Outcome
	Code     string        // error code of a failure
	Duration time.Duration // to the microsecond; 0 if not measured

	// Usage of the call. A zero was not measured, or nothing was used.
	Fuel      uint64
	Memory    int64 // in bytes
	HostCalls int64
	Egress    int64 // in bytes

	Removed int64 // for an erasure: number of deleted items of the kind that Tool names

	Tokens int64 // tokens that the model had used in all rounds of the turn before the call
}

// Decision is the reason why a call was allowed or refused. Its values are those of agent.Consent,
// but None replaces the empty Consent.
type Decision string

// None is the decision for a call without a request for approval.
const None Decision = "none"

// Outcome is the result of a call.
type Outcome string

// The outcomes.
const (
	Done     Outcome = "done"
	Failed   Outcome = "failed"   // the tool or its runtime failed
	Refused  Outcome = "refused"  // the call did not reach the tool
	Denied   Outcome = "denied"   // the user denied the call or did not answer; it did not reach the tool
	Canceled Outcome = "canceled" // the caller left before the end, or the turn ended first
	Unknown  Outcome = "unknown"  // the call may have been made
)

// Limits of the writer.
const (
	gather   = 100 * time.Millisecond // how long a record waits for others
	maxBatch = 500                    // records in one transaction
	maxQueue = 4096                   // records in the queue; a call with one more waits
	maxWait  = 10 * time.Second       // maximum wait for a place in the queue
	tryAgain = time.Second            // pause after a failure
	tryTime  = 10 * time.Second       // time limit of one transaction
	lastTime = 5 * time.Second        // time limit for the remaining records in Close
)

// Options configure a Log. A zero field means its default.
type Options struct {
	Log *slog.Logger // default: discard
}

// Log writes records to a database. Make one with Open. Its methods are safe for concurrent use,
// and several gateways may share the database.
type Log struct {
	db   *database.DB
	opts Options

	queue *batch.Queue[Record]
	once  sync.Once
	done  chan struct{} // closed when the writer ends

	work   context.Context // context of the writer
	cancel context.CancelFunc

	written, lost, waited atomic.Int64
}

// Open returns the log in db. The caller closes the log first and then db.
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

// Close writes the waiting records. It stops after at most five seconds. Records that are added
// later are lost. Close may be called twice.
func (l *Log) Close() {
	l.once.Do(func() {
		l.queue.Close()
		defer time.AfterFunc(lastTime, l.cancel).Stop()
		<-l.done
	})
	l.cancel()
}

// Stats are the counts since Open.
type Stats struct {
	Queued  int   // records that wait for the writer
	Written int64 // records on disk
	Lost    int64 // records that could not be written
	Waited  int64 // records that had to wait for a place in the queue
}

// Stats returns the counts.
func (l *Log) Stats() Stats {
	return Stats{Queued: l.queue.Len(), Written: l.written.Load(), Lost: l.lost.Load(), Waited: l.waited.Load()}
}
