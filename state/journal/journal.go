// Package journal keeps what happened, in order, and what somebody still has to
// decide. All protocols are views of it.
//
//	last, err := log.Append(ctx, "session/42", journal.Event{Kind: "turn.started", Data: data})
//	for event, err := range log.Follow(ctx, "session/42", cursor) { ... }
//
// A stream is a sequence of events under one name, numbered from 1 without gaps. The number
// is the cursor: a reader that returns with the last one it has seen gets every later event
// once, in order. If older events were trimmed, the reader gets one Resync in their place.
//
// A decision is a question that is answered once: a call that waits for approval, or for its
// client's result. A lease is the right to work on something, which one gateway has at a time.
//
//	         Decide
//	pending --------> decided
//	   |
//	   +------------> expired, which counts as denied
//	     time passes, or Withdraw
//
// Package sqljournal has the journal on SQLite and PostgreSQL. Package journaltest
// has the tests that every journal passes, and a journal in memory for tests.
package journal

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Bounds of what a journal takes.
const (
	MaxStreamName = 200      // bytes of a stream's name, a decision's id, user and digest, a lease's key and owner
	MaxKind       = 64       // bytes of an event's kind
	MaxData       = 32 << 20 // bytes of one event's data: a message of 10 MB of which each byte becomes three
	MaxValue      = 1 << 20  // bytes of a decision's request, of an answer's value, and of a snapshot
	MaxEvents     = 1000     // events of one Append, and of one Read
	MaxAppend     = 64 << 20 // bytes of data of one Append
	MaxPage       = 16 << 20 // bytes of data that one Read returns, unless its first event alone has more
	MaxLag        = 10_000   // events that a follower may be behind once it had caught up
)

// Resync is the kind of the event that stands for those no longer kept. Its Seq is that of the
// last one missing, its Data the snapshot of Trim, null if there was none, and its Time zero.
const Resync = "resync"

// Event is something that happened in a stream.
type Event struct {
	Seq  int64           // place in the stream, from 1; set by Append
	Time time.Time       // when it was appended, UTC, to the microsecond; set by Append, the same for all its events
	Kind string          // what happened, as "turn.started"; Resync is the journal's own
	Data json.RawMessage // valid JSON in UTF-8, at most MaxData bytes, kept byte for byte; nil is kept as null
}

// Journal keeps streams, decisions and leases. Its methods may be called from several
// goroutines at once. They keep no reference to their arguments, and their results are the
// caller's. Errors are faults: VALIDATION_ERROR for an argument that is over a bound, empty
// though required, or not valid UTF-8 without zero bytes; STATE_UNAVAILABLE when the back
// end fails or the journal is closed; STORAGE_FULL; CANCELED or TIMEOUT, with ctx's error
// in the chain, when ctx ends; and those that a method names. After a failure nothing of
// the call is visible; if the back end went away during the write, all of it or nothing.
type Journal interface {
	Log
	Decisions
	Leases

	// Ready reports whether the journal can be used now. Its error says what to do.
	Ready(ctx context.Context) error

	// Close ends all that waits, with STATE_UNAVAILABLE, and gives back what
	// the journal holds. It may be called twice.
	Close() error
}

// Log keeps streams of events.
type Log interface {
	// Append adds all events to the end of a stream, or none of them, and returns the number of
	// the last one. They are on disk before it returns, and visible to readers only then. There
	// are at most MaxEvents, with MaxAppend bytes of data. A stream begins with its first
	// event. Without events it returns the stream's last number, 0 if there is no stream.
	Append(ctx context.Context, stream string, events ...Event) (last int64, err error)

	// AppendAs is Append for the holder of a lease. It fails with LEASE_LOST if somebody else
	// has held the key since, or the lease was released; an expired one is as good as ever.
	AppendAs(ctx context.Context, lease Lease, stream string, events ...Event) (last int64, err error)

	// Read returns the events after a cursor, oldest first and at most limit of them, which is
	// 1 to MaxEvents. It returns fewer if they have more than MaxPage bytes of data, but one at
	// least: everything was read only if Read returns no event. 0 is before the first event;
	// from the last one on there is nothing. If events after the cursor were trimmed, the first
	// one returned is a Resync, which counts towards limit. A missing stream is empty.
	Read(ctx context.Context, stream string, after int64, limit int) ([]Event, error)

	// Follow yields the events after a cursor, as Read does, and then each new one as it is
	// appended, on whichever gateway. It ends with the loop, with ctx, whose error it yields
	// last, or with an error. A follower never slows an append. It has caught up when it
	// gets the event that was the last one when read. If it is more than MaxLag events
	// behind later, it ends with FOLLOWER_LAGS, and can follow again from its cursor. Follow
	// waits for a missing stream. However large events are, it holds a few at once.
	Follow(ctx context.Context, stream string, after int64) iter.Seq2[Event, error]

	// Trim removes the events of a stream before a number, which need not exist yet.
	// It keeps the snapshot for readers that come too late: the stream's state at that
	// point, at most MaxValue bytes, nil for nothing. Numbers go on as before.
	// Trimming no more than was trimmed before changes nothing, the snapshot included.
	Trim(ctx context.Context, stream string, before int64, snapshot json.RawMessage) error

	// Drop forgets a stream wholly, with the questions asked in it: a later event is number 1
	// of a new one. A follower that has got an event of the old stream gets NOT_FOUND, as do
	// those that await its questions. Dropping a missing stream is no error.
	Drop(ctx context.Context, stream string) error

	// Streams lists the streams whose names begin with a prefix and sort behind a name, in
	// the order of their bytes, at most limit of them, which is 1 to MaxEvents. The prefix is
	// empty, or ends in a character of ASCII.
	Streams(ctx context.Context, prefix, after string, limit int) ([]Stream, error)
}

// Stream describes a stream.
type Stream struct {
	Name string
	Last int64     // number of its last event
	Used time.Time // when that was appended; zero if it was trimmed
}

// Decisions keeps questions until somebody answers.
type Decisions interface {
	// Open keeps a question, on disk before it returns, so that it is there when an
	// event of its stream names it. ID, User, Digest and Kind are required; zero
	// Created and Expires are set, the latter to Lasts after the former. State, Answer
	// and Ended are ignored. The same question (see Decision.Same) under the same id
	// returns what there is, decided or not; another one is DECISION_CONFLICT.
	Open(ctx context.Context, d Decision) (Decision, error)

	// Decide answers a question, once and for good, by the rule of Decision.Decide, and returns
	// it. The same answer again (see Answer.Equal) is fine; another one is DECISION_CONFLICT,
	// as is an answer to another digest. A missing question, or another user's, is
	// DECISION_NOT_FOUND; one that was open for too long, or withdrawn, is DECISION_EXPIRED.
	Decide(ctx context.Context, id string, by Decider, answer Answer) (Decision, error)

	// Withdraw ends questions whose answer nobody needs any longer: pending ones count as denied
	// from then on, and Await returns. Decided, expired and missing ones are passed over.
	Withdraw(ctx context.Context, ids ...string) error

	// Await waits until a question is decided, on whichever gateway, expires
	// or is withdrawn, and returns it. A missing one is DECISION_NOT_FOUND.
	Await(ctx context.Context, id string) (Decision, error)

	// Decision returns a question as it is now.
	Decision(ctx context.Context, id string) (Decision, error)

	// Pending returns the questions of a stream that can still be answered,
	// oldest first, at most MaxEvents.
	Pending(ctx context.Context, stream string) ([]Decision, error)

	// PendingOf returns the questions of a kind that a user can still answer, in
	// whichever stream, oldest first, at most MaxEvents. An empty user is everybody.
	PendingOf(ctx context.Context, user, kind string) ([]Decision, error)

	// List returns the questions that a listing asks for, and those that were
	// decided or expired too: of questions asked at the same time, by their ids.
	List(ctx context.Context, l Listing) ([]Decision, error)

	// Forget removes the questions whose Ended is before a time, also those
	// that expired without anybody looking.
	Forget(ctx context.Context, before time.Time) (removed int64, err error)

	// ForgetUser removes all questions of a user, also those that can be answered.
	ForgetUser(ctx context.Context, user string) (removed int64, err error)
}

// DefaultExpiry is how long a question can be answered.
const DefaultExpiry = 10 * time.Minute

// Decision is a question, and its answer once there is one.
type Decision struct {
	ID      string
	Stream  string          // where it is asked; empty for none
	User    string          // the user that may answer
	Kind    string          // what is asked, as "approval" or "result"
	Digest  string          // of what exactly is asked, see Digest
	Request json.RawMessage // what is asked, for whom it is shown to; valid JSON, at most MaxValue bytes, nil is kept as null
	Created time.Time       // UTC, to the microsecond
	Expires time.Time       // likewise

	// Lasts is how long the question can be answered, by the clock of the
	// back end; 0 for DefaultExpiry. Only Open reads it, if Expires is zero.
	Lasts time.Duration

	State  State
	Answer Answer    // meaningful unless State is Pending
	Ended  time.Time // when it was decided, or Expires where nobody did; zero while Pending
}

// State is how far a decision is.
type State string

// The states. Pending is the only one that can change.
const (
	Pending State = "pending"
	Decided State = "decided"
	Expired State = "expired" // counts as denied, for ReasonExpired or ReasonWithdrawn
)

// The reasons of a denial that nobody decided.
const (
	ReasonExpired   = "expired"   // its time has passed
	ReasonWithdrawn = "withdrawn" // nobody waits for the answer any longer
)

// Answer is what was decided.
type Answer struct {
	Denied bool            // it must not be done
	Reason string          // why, in the decider's words; at most MaxReason bytes
	Value  json.RawMessage // a client's result, or arguments that were changed; as Canonical takes it, at most MaxValue bytes, nil is kept as null
}

// MaxReason bounds an answer's reason, in bytes.
const MaxReason = 4096

// Decider is the user that answers, and the question it answers.
type Decider struct {
	User   string // must be the question's
	Digest string // must be the question's; empty: not compared
}

// Leases keep two gateways from working on the same thing.
type Leases interface {
	// Lease gives owner the key until ttl, of MinTTL to MaxTTL, has passed, or longer if
	// owner asks again in time. It fails with LEASE_HELD if another owner has the key. A new
	// owner, or one that released the key, gets a higher token. The last owner keeps the
	// token, even if it asks too late: so each process needs a name of its own as owner.
	Lease(ctx context.Context, key, owner string, ttl time.Duration) (Lease, error)

	// Release gives the key back early. It does nothing where the lease is lost already.
	Release(ctx context.Context, lease Lease) error

	// Evict takes a key from whoever holds it, whose appends fail with LEASE_LOST from then on.
	Evict(ctx context.Context, key string) error

	// Abandoned returns the leases of keys with a prefix that expired unreleased, longest ago
	// first, at most MaxAbandoned: work of processes that died. Taking the lease takes the work.
	Abandoned(ctx context.Context, prefix string) ([]Lease, error)
}

// MaxAbandoned is how many leases Abandoned returns at most: what a gateway
// takes over from one that is gone should not be the end of it too.
const MaxAbandoned = 10

// Bounds of a lease.
const (
	MinTTL = 100 * time.Millisecond
	MaxTTL = time.Hour
)

// Lease is the right to work on something, for a while.
type Lease struct {
	Key, Owner string
	Token      int64     // rises with each change of hands, over the life of the key
	Expires    time.Time // by the clock of the back end
}
