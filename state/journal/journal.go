// Package journal stores events in order, and decisions that somebody still has to make. All
// protocols are views of it.
//
//	last, err := log.Append(ctx, "session/42", journal.Event{Kind: "turn.started", Data: data})
//	for event, err := range log.Follow(ctx, "session/42", cursor) { ... }
//
// A stream is a named sequence of events, numbered from 1 without gaps. The number is the cursor: a
// reader that returns with the last number it has seen gets every later event once, in order. If
// older events were trimmed, the reader gets one Resync in their place.
//
// A decision is a question that is answered once, for example a call that waits for approval or for
// its client's result. A lease is the exclusive right of one gateway to work on something.
//
//	         Decide
//	pending --------> decided
//	   |
//	   +------------> expired, which counts as denied
//	     time passes, or Withdraw
//
// Package sqljournal implements the journal on SQLite and PostgreSQL. Package journaltest has the
// test suite for every journal, and a journal in memory for tests.
package journal

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Limits of a journal.
const (
	// Maximum size of a stream's name, of a decision's id, user and digest, and of a lease's key
	// and owner, in bytes.
	MaxStreamName = 200
	MaxKind       = 64 // maximum size of an event's kind, in bytes
	// Maximum size of one event's data, in bytes. A message of 10 MB fits, even if each of its
	// bytes is escaped as three bytes.
	MaxData = 32 << 20
	// maximum size of a decision's request, of an answer's value, and of a snapshot, in bytes
	MaxValue  = 1 << 20
	MaxEvents = 1000     // maximum number of events of one Append and of one Read
	MaxAppend = 64 << 20 // maximum size of the data of one Append, in bytes
	// maximum size of the data in one result of Read, in bytes, unless the first event alone is
	// larger
	MaxPage = 16 << 20
	MaxLag  = 10_000 // maximum lag of a follower that has caught up, in events
)

// Resync is the kind of the event that replaces trimmed events. Its Seq is the Seq of the last
// trimmed event. Its Data is the snapshot that Trim stored, or null. Its Time is zero.
const Resync = "resync"

// Event is one event of a stream.
type Event struct {
	Seq int64 // number of the event in the stream, from 1; set by Append
	// time of the Append in UTC, to the microsecond; set by Append, equal for all events of one
	// call
	Time time.Time
	Kind string // type of the event, for example "turn.started"; Resync is reserved for the journal
	// Data is valid JSON in UTF-8, at most MaxData bytes. It is stored byte for byte; nil is stored
	// as null.
	Data json.RawMessage
}

// Journal stores streams, decisions and leases. Its methods are safe for concurrent use. They
// retain no reference to their arguments, and the caller owns their results. Errors are faults:
//
//   - VALIDATION_ERROR for an argument that exceeds a limit, lacks a required value, is
//     invalid UTF-8, or contains a zero byte
//   - STATE_UNAVAILABLE if the back end fails or the journal is closed
//   - STORAGE_FULL if the disk is full
//   - CANCELED or TIMEOUT, with ctx's error in the chain, if ctx ends
//   - the codes that a method names
//
// A failed call changes nothing, with one exception: if the back end fails during the write, either
// all changes of the call are visible or none of them.
type Journal interface {
	Log
	Decisions
	Leases

	// Ready checks that the journal can be used now. Its error says what to do.
	Ready(ctx context.Context) error

	// Close ends all waiting calls with STATE_UNAVAILABLE and releases the journal's resources. It
	// may be called twice.
	Close() error
}

// Log stores streams of events.
type Log interface {
	// Append adds all events to the end of a stream, or none of them, and returns the number of the
	// last one. Before it returns, the events are on disk; readers see them only then. There may be
	// at most MaxEvents events with MaxAppend bytes of data. The first event creates the stream.
	// Without events, Append returns the number of the stream's last event, 0 for a missing stream.
	Append(ctx context.Context, stream string, events ...Event) (last int64, err error)

	// AppendAs is Append for the holder of a lease. It fails with LEASE_LOST if another owner has
	// taken the key since, or if the lease was released. An expired lease is valid until another
	// owner takes the key.
	AppendAs(ctx context.Context, lease Lease, stream string, events ...Event) (last int64, err error)

	// Read returns the events after a cursor, oldest first, at most limit of them (1 to MaxEvents).
	// If they have more than MaxPage bytes of data, it returns fewer, but at least one. So the
	// reader has reached the end only when Read returns no event. Cursor 0 is before the first
	// event; a cursor at or after the last event yields nothing. If events after the cursor were
	// trimmed, the first returned event is a Resync, which counts towards limit. A missing stream
	// counts as empty.
	Read(ctx context.Context, stream string, after int64, limit int) ([]Event, error)

	// Follow yields the events after a cursor, as Read returns them, and then each new event when
	// any gateway appends it. It ends when the loop ends, when ctx ends (it yields ctx's error
	// last), or with an error. A follower never slows an append. A follower has caught up when it
	// has got the event that was the last one at its last read. If it later lags by more than
	// MaxLag events, Follow ends with FOLLOWER_LAGS; the caller can follow again from its cursor.
	// For a missing stream, Follow waits. It has only a few events in memory at a time, however
	// large they are.
	Follow(ctx context.Context, stream string, after int64) iter.Seq2[Event, error]

	// Trim removes the events of a stream before a number, which need not exist yet. It stores a
	// snapshot for late readers: the stream's state at that point, at most MaxValue bytes, nil for
	// no snapshot. Numbering continues. If nothing more is to be trimmed than before, Trim changes
	// nothing, and the old snapshot is kept.
	Trim(ctx context.Context, stream string, before int64, snapshot json.RawMessage) error

	// Drop deletes a stream with its questions. A later event has number 1 of a new stream. A
	// follower that has got an event of the old stream gets NOT_FOUND, and so do callers that await
	// one of its questions. Dropping a missing stream is not an error.
	Drop(ctx context.Context, stream string) error

	// Streams returns the streams whose names begin with prefix and sort after the name after, in
	// byte order, at most limit of them (1 to MaxEvents). prefix is empty or ends in an ASCII
	// character.
	Streams(ctx context.Context, prefix, after string, limit int) ([]Stream, error)
}

// Stream describes a stream.
type Stream struct {
	Name string
	Last int64     // number of the stream's last event
	Used time.Time // time of the stream's last event; zero if that event was trimmed
}

// Decisions stores questions and their answers.
type Decisions interface {
	// Open stores a question. It is on disk when Open returns, so that an event of its stream can
	// refer to it. ID, User, Digest and Kind are required. A zero Created becomes now, and a zero
	// Expires becomes Created plus Lasts. State, Answer and Ended are ignored. If the same question
	// (see Decision.Same) exists under the id, Open returns it, decided or not. If another question
	// has the id, Open fails with DECISION_CONFLICT.
	Open(ctx context.Context, d Decision) (Decision, error)

	// Decide answers a question once, by the rules of Decision.Decide, and returns it. Repeating
	// the same answer (see Answer.Equal) is not an error. Another answer, or an answer to another
	// digest, fails with DECISION_CONFLICT. A missing question, or another user's, fails with
	// DECISION_NOT_FOUND; an expired or withdrawn one with DECISION_EXPIRED.
	Decide(ctx context.Context, id string, by Decider, answer Answer) (Decision, error)

	// Withdraw ends pending questions whose answer is no longer needed. They count as denied from
	// then on, and Await returns. Decided, expired and missing questions are skipped.
	Withdraw(ctx context.Context, ids ...string) error

	// Await waits until any gateway decides a question, or until it expires or is withdrawn, and
	// returns it. It fails with DECISION_NOT_FOUND for a missing question.
	Await(ctx context.Context, id string) (Decision, error)

	// Decision returns a question in its current state. It fails with DECISION_NOT_FOUND for a
	// missing question.
	Decision(ctx context.Context, id string) (Decision, error)

	// Pending returns the questions of a stream that can still be answered, oldest first, at most
	// MaxEvents.
	Pending(ctx context.Context, stream string) ([]Decision, error)

	// PendingOf returns the questions of a kind that a user can still answer, in any stream, oldest
	// first, at most MaxEvents. An empty user selects all users.
	PendingOf(ctx context.Context, user, kind string) ([]Decision, error)

	// List returns the questions that match a listing, decided and expired ones included. Questions
	// with the same Created are ordered by id.
	List(ctx context.Context, l Listing) ([]Decision, error)

	// Forget deletes the questions whose Ended is before a time, including expired questions that
	// nobody has looked up. It returns how many it deleted. If dry is true, it only counts them.
	Forget(ctx context.Context, before time.Time, dry bool) (removed int64, err error)

	// ForgetUser deletes all questions of a user, pending ones included. It returns how many it
	// deleted.
	ForgetUser(ctx context.Context, user string) (removed int64, err error)
}

// DefaultExpiry is the default time in which a question can be answered.
const DefaultExpiry = 10 * time.Minute

// Decision is a question, with its answer once it is decided.
type Decision struct {
	ID     string
	Stream string // stream in which the question is asked; empty if the question is in no stream
	User   string // user allowed to answer the question
	Kind   string // kind of question, for example "approval" or "result"
	Digest string // hash of the exact subject, for example from the function Digest
	// Request is the subject, for the people who are asked: valid JSON, at most MaxValue bytes. nil
	// is stored as null.
	Request json.RawMessage
	Created time.Time // time of the question in UTC, to the microsecond
	Expires time.Time // time of the question's expiry in UTC, to the microsecond

	// Lasts is the time in which the question can be answered, by the back end's clock; 0 means
	// DefaultExpiry. Only Open reads Lasts, and only if Expires is zero.
	Lasts time.Duration

	State  State
	Answer Answer    // answer to the question; not valid while State is Pending
	Ended  time.Time // time of the decision, expiry or withdrawal; zero while State is Pending
}

// State is the state of a decision.
type State string

// The states. Only Pending can change.
const (
	Pending State = "pending"
	Decided State = "decided"
	Expired State = "expired" // the question counts as denied; the reason is ReasonExpired or ReasonWithdrawn
)

// Reasons of denials that nobody decided.
const (
	ReasonExpired   = "expired"   // the time for the answer is over
	ReasonWithdrawn = "withdrawn" // nobody waits for the answer any more
)

// Answer is the answer to a question.
type Answer struct {
	Denied bool   // whether the action is denied
	Reason string // reason of the user who answered; at most MaxReason bytes
	// Value is a client's result, or changed arguments. It must be JSON that Canonical accepts, of
	// at most MaxValue bytes. nil is stored as null.
	Value json.RawMessage
}

// MaxReason is the maximum length of an answer's reason, in bytes.
const MaxReason = 4096

// Decider names the user who answers, and the digest of the question that the user answers.
type Decider struct {
	User   string // the answering user; must be the User of the question
	Digest string // must be the Digest of the question; if empty, it is not compared
}

// Leases prevent two gateways from working on the same thing at the same time.
type Leases interface {
	// Lease gives owner the key for ttl, from MinTTL to MaxTTL. A further call of the same owner
	// extends the lease. It fails with LEASE_HELD while another owner has the key. A new owner, or
	// one that released the key before, gets a higher token. If the last owner calls again, it
	// keeps its token, even after the expiry. So each process needs a unique owner name.
	Lease(ctx context.Context, key, owner string, ttl time.Duration) (Lease, error)

	// Release gives up a lease before its expiry. If the lease is lost already, it does nothing.
	Release(ctx context.Context, lease Lease) error

	// Evict takes a key from its holder, whose appends then fail with LEASE_LOST.
	Evict(ctx context.Context, key string) error

	// Abandoned returns expired, unreleased leases whose keys have a prefix, at most MaxAbandoned,
	// longest expired first. Their owners died during the work. A process that takes such a lease
	// takes over the work.
	Abandoned(ctx context.Context, prefix string) ([]Lease, error)
}

// MaxAbandoned is the maximum number of leases that Abandoned returns. A gateway that takes over
// too much work at once could fail as well.
const MaxAbandoned = 10

// Limits of a lease's duration.
const (
	MinTTL = 100 * time.Millisecond
	MaxTTL = time.Hour
)

// Lease is the exclusive right to work on something, until Expires.
type Lease struct {
	Key, Owner string
	Token      int64     // number that increases whenever the key gets a new owner; it is never reset
	Expires    time.Time // time of the expiry, by the clock of the back end
}
