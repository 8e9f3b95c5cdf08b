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
	Time     time.Time // time at which the call ended, to the microsecond
	ID       int64     // number that distinguishes records with equal times
	User     string    // the user for whom the call was made
	Tool     string    // name of the tool in the registry, or else the name that the caller used
	Origin   string    // origin of the tool, an agent.Kind; empty if the call did not reach a tool
	Protocol string    // protocol of the call: http, ws, prompt, mcp, general, openai or host; empty if there is none
	Session  string    // id of the call's session; empty outside of a session
	Call     string    // id of the call: in a turn the model's id, otherwise the id of the request
	Parent   string    // name of the tool that made the call; empty if no tool made it
	Digest   string    // journal.Digest of the tool and the arguments; empty if the arguments are invalid or too long
	Decision Decision
	By       string // user who decided; empty if the rules decided, or if nobody decided
	Outcome  Outcome
	Code     string        // error code of a call that failed
	Duration time.Duration // duration of the call, to the microsecond; 0 if not measured

	// Fuel, Memory, HostCalls and Egress are the usage of the call. A field is 0 if the call used
	// nothing, or if the usage was not measured.
	Fuel      uint64
	Memory    int64 // peak memory, in bytes
	HostCalls int64
	Egress    int64 // data sent to the network, in bytes

	Removed int64 // number of items that an erasure deleted; Tool names their kind

	Tokens int64 // tokens that the model used before the call, in all rounds of the turn
}

// Decision is the reason why a call was allowed or refused. It has the same values as agent.Consent, but None replaces
// the empty Consent.
type Decision string

// None is the decision if nobody was asked about the call.
const None Decision = "none"

// Outcome is the result of a call.
type Outcome string

// The outcomes.
const (
	Done     Outcome = "done"
	Failed   Outcome = "failed"   // the tool or its runtime failed
	Refused  Outcome = "refused"  // the call did not reach the tool
	Denied   Outcome = "denied"   // the call did not reach the tool: the user denied it or did not answer
	Canceled Outcome = "canceled" // the caller left before the call ended, or the turn ended first
	Unknown  Outcome = "unknown"  // the gateway does not know whether the call was made
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

// Options configure a Log. If a field is zero, its default applies.
type Options struct {
	Log *slog.Logger // log for failures; by default, messages are discarded
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
	Waited  int64 // records that had to wait for free space in the queue
}

// Stats returns the counts.
func (l *Log) Stats() Stats {
	return Stats{Queued: l.queue.Len(), Written: l.written.Load(), Lost: l.lost.Load(), Waited: l.waited.Load()}
}
