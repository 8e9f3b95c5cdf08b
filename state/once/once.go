// Package once stores the answers to requests with an Idempotency-Key. A repeated request gets the
// same answer and is not executed again.
//
//	keys := once.Open(db, once.Options{})
//	claim, err := keys.Claim(ctx, once.Key{User: "ada", Route: "upload-artifact", Name: "8e03978e"}, digest, true)
//	switch {
//	case claim.Answer != nil: // an earlier request was executed
//	default:
//		defer keys.Hold(ctx, claim)()
//		… // execute it
//		err = keys.Keep(ctx, claim, digest, answer) // or keys.Release(ctx, claim)
//	}
//
// A *claim* is the stored record of a key. It is on disk before the request is executed, and it is
// deleted a day later. While the first request runs, other requests with the key fail. If a gateway
// dies, it leaves a claim that nobody holds. The request is then executed again if the caller says
// that this does no harm; else its outcome stays unknown.
//
// A request that begins a turn is answered with the turn, and no answer is stored. Join returns its
// claim to all requests with the key, and the claim's Nonce names the turn.
package once

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// TTL is the time for which a key is stored.
const TTL = 24 * time.Hour

// Limits of stored keys and answers.
const (
	MaxPerUser = 10_000   // maximum number of keys that one user has at the same time
	MaxAnswer  = 1 << 20  // maximum size of an answer's body, in bytes; a larger body is not stored
	MaxAnswers = 64 << 20 // maximum size of all stored answers of one user together, in bytes
)

// Times of a claim.
const (
	holds     = 30 * time.Second // how long a claim lasts without a renewal
	writeTime = 10 * time.Second // time limit for storing the outcome of a claim
)

// Limits of deleting expired keys.
const (
	cleanEvery = 10 * time.Minute // approximate time between two runs
	cleanBatch = 200              // rows deleted in one transaction; other writers wait for it
)

// Options configure Keys. The zero value is useful.
type Options struct {
	TTL   time.Duration // time for which a key is stored; default TTL, which is 24 hours
	Holds time.Duration // time after which a claim without a renewal ends; default 30 s
	Keys  int           // maximum number of keys that one user has at the same time; default MaxPerUser
	Bytes int64         // maximum size of all stored answers of one user together, in bytes; default MaxAnswers
	Log   *slog.Logger  // logger; nil discards the log lines
}

// Keys stores the idempotency keys of all requests. Make one with Open. Its methods are safe for
// concurrent use, and several gateways may share the database.
type Keys struct {
	db   *database.DB
	opts Options
}

// Open returns the Keys in db. The caller closes db.
func Open(db *database.DB, opts Options) *Keys {
	return &Keys{db, Options{
		TTL: cmp.Or(opts.TTL, TTL), Holds: cmp.Or(opts.Holds, holds), Keys: cmp.Or(opts.Keys, MaxPerUser),
		Bytes: cmp.Or(opts.Bytes, MaxAnswers), Log: cmp.Or(opts.Log, slog.New(slog.DiscardHandler)),
	}}
}

// Run deletes expired keys until ctx ends. Several gateways may run it at the same time.
func (k *Keys) Run(ctx context.Context) {
	background.About(ctx, cleanEvery, func(ctx context.Context) {
		if _, err := k.Clean(ctx); err != nil && ctx.Err() == nil {
			k.opts.Log.Warn("the gateway could not remove old idempotency keys; it retries later", slog.Any("err", err))
		}
	})
}

// Clean deletes the keys that have expired, and returns their number.
func (k *Keys) Clean(ctx context.Context) (removed int64, err error) {
	return k.db.ChangeAll(ctx, "once.Clean", cleanBatch, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		now, err := k.db.Now(ctx, tx)
		if err != nil {
			return nil, err
		}
		return tx.NewRaw("DELETE FROM once WHERE (user_id, route, name) IN (SELECT user_id, route, name FROM once WHERE expires <= ? LIMIT ?)",
			now, cleanBatch).Exec(ctx)
	})
}

// Hold renews a claim in the background until the caller calls stop. If a renewal is running at
// that moment, stop waits until the renewal has ended.
func (k *Keys) Hold(ctx context.Context, c Claim) (stop func()) {
	return background.Start(context.WithoutCancel(ctx), func(ctx context.Context) {
		background.Every(ctx, k.opts.Holds/3, func(ctx context.Context) {
			if err := k.renew(ctx, c); err != nil && ctx.Err() == nil {
				k.opts.Log.Warn("the gateway could not renew the claim of an idempotency key", slog.Any("err", err))
			}
		})
	})
}

// Key is the idempotency key of a request. Each user and each route has its own keys.
type Key struct {
	User  string // user who sent the request; empty if the request belongs to no particular user
	Route string // id of the API operation
	Name  string // name of the key, chosen by the client
}

// Claim is the stored record of an idempotency key.
type Claim struct {
	Key
	Nonce   string    // random text of 26 letters and digits, equal for all requests with the key
	Digest  string    // hash of the request; empty until it is known
	Created time.Time // time of the first request
	First   bool      // true if the caller must execute the request
	Began   []byte    // JSON that the caller gave to Begin, set only by Join; empty before Begin
	Answer  *Answer   // answer to an earlier request with the key, set only by the method Claim; else nil

	owner string
}

// Answer is the answer to a request. Header has one value for each header name.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
}

// row is a row of the table once.
type row struct {
	bun.BaseModel `bun:"table:once"`

	UserID  string `bun:"user_id,pk"`
	Route   string `bun:"route,pk"`
	Name    string `bun:"name,pk"`
	Digest  string
	Nonce   string
	State   state
	Owner   string
	Held    int64
	Created int64
	Expires int64
	Began   string
	Status  int
	Header  string
	Size    int64
	Body    string
}

// state is the state of a claim.
type state string

const (
	open     state = "open"     // a request runs or ran
	answered state = "answered" // the answer is stored
	unkept   state = "unkept"   // the answer was too large to store
	turn     state = "turn"     // the request began a turn
)

const op = "once"

// Claim returns the claim of a key. If the claim is new, First is set and the caller must execute
// the request. Otherwise, Answer is set. digest is the hash of the request. It is empty if the hash
// is known only after the execution. Claim may fail with these codes:
//   - IDEMPOTENCY_KEY_REUSED: the first request with the key had another digest.
//   - IDEMPOTENCY_KEY_IN_USE: the first request is still running.
//   - IDEMPOTENCY_ANSWER_NOT_KEPT: the answer was too large to store.
//   - IDEMPOTENCY_OUTCOME_UNKNOWN: the gateway that executed the first request died. If redo is
//     true, Claim does not fail in this case: it sets First.
//   - RATE_LIMITED: the user already has the maximum number of keys.
func (k *Keys) Claim(ctx context.Context, key Key, digest string, redo bool) (Claim, error) {
	owner := rand.Text()
	r, now, err := k.find(ctx, row{
		UserID: key.User, Route: key.Route, Name: key.Name, Digest: digest, Nonce: strings.ToLower(rand.Text()), State: open, Owner: owner,
	})
	if err != nil {
		return Claim{}, err
	}
	c := r.claim()
	switch {
	case r.Owner == owner:
		c.First = true
		return c, nil
	case differ(r.Digest, digest):
		return c, Reused()
	case r.State == answered:
		c.Answer, err = r.answer()
		return c, err
	case r.State == unkept:
		return c, fault.New(op, sdkapi.KeyAnswerNotKept,
			"the request with this Idempotency-Key is already done, but its response was not stored because it is larger than %d bytes; read the result from the resource itself", MaxAnswer)
	case r.Held > now:
		return c, fault.New(op, sdkapi.KeyInUse, "the first request with this Idempotency-Key is still running; send the request again later")
	case redo:
		return k.takeOver(ctx, r, owner, digest)
	}
	return c, fault.New(op, sdkapi.KeyOutcomeUnknown,
		"the gateway stopped during the first request with this Idempotency-Key, so its outcome is unknown; check the resource before you send the request with another key")
}

// Reused returns the fault IDEMPOTENCY_KEY_REUSED. It means that the key was sent before with a
// different request.
func Reused() *fault.Error {
	return fault.New(op, sdkapi.KeyReused, "another request already used this Idempotency-Key; send each request with its own key").
		At("header."+sdkapi.IdempotencyKeyHeader, "expected a key that no other request used on this route within %v", TTL)
}

// differ reports whether two digests are known and different. An empty digest is unknown.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// Join returns the claim of a request that begins a turn. All requests with the key get this claim,
// even after the first request has ended. First is set only for the request that created the claim.
func (k *Keys) Join(ctx context.Context, key Key, digest string) (Claim, error) {
	nonce := strings.ToLower(rand.Text())
	r, _, err := k.find(ctx, row{UserID: key.User, Route: key.Route, Name: key.Name, Digest: digest, Nonce: nonce, State: turn})
	if err != nil {
		return Claim{}, err
	}
	c := r.claim()
	if differ(r.Digest, digest) {
		return c, Reused()
	}
	c.First = r.Nonce == nonce
	return c, nil
}

// find returns the row of a key, after inserting fresh if there is none, and the database's time.
func (k *Keys) find(ctx context.Context, fresh row) (found row, now int64, err error) {
	err = k.db.Write(ctx, op+".Claim", func(ctx context.Context, tx bun.Tx) (err error) {
		if now, err = k.db.Now(ctx, tx); err != nil {
			return err
		}
		fresh.Created, fresh.Expires, fresh.Held = now, now+k.opts.TTL.Microseconds(), now+k.opts.Holds.Microseconds()
		if _, err = tx.NewDelete().Model(&fresh).WherePK().Where("expires <= ?", now).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO once (user_id, route, name, digest, nonce, state, owner, held, created, expires, began, status, header, size, body) "+
			"SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, '', 0, '' WHERE (SELECT count(*) FROM once WHERE user_id = ?) < ? ON CONFLICT (user_id, route, name) DO NOTHING",
			fresh.UserID, fresh.Route, fresh.Name, fresh.Digest, fresh.Nonce, fresh.State, fresh.Owner, fresh.Held, fresh.Created, fresh.Expires,
			fresh.UserID, k.opts.Keys).Exec(ctx)
		if err != nil {
			return err
		}
		found = fresh
		return tx.NewSelect().Model(&found).WherePK().Scan(ctx)
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = fault.New(op, sdkapi.RateLimited, "you already have the maximum of %d idempotency keys, each stored for %v; send the request without a key, or send it later", k.opts.Keys, k.opts.TTL)
	}
	return found, now, err
}

// takeOver makes the caller the owner of an abandoned claim. It fails if another caller was faster.
func (k *Keys) takeOver(ctx context.Context, r row, owner, digest string) (Claim, error) {
	taken, err := k.change(ctx, r.claim(), func(ctx context.Context, tx bun.Tx, now int64) (sql.Result, error) {
		return tx.NewRaw("UPDATE once SET owner = ?, digest = ?, held = ? WHERE user_id = ? AND route = ? AND name = ? AND owner = ?",
			owner, digest, now+k.opts.Holds.Microseconds(), r.UserID, r.Route, r.Name, r.Owner).Exec(ctx)
	})
	r.Owner, r.Digest = owner, digest
	c := r.claim()
	c.First = true
	if err == nil && !taken {
		err = fault.New(op, sdkapi.KeyInUse, "another request with this Idempotency-Key is running; send this request again later")
	}
	return c, err
}

// Keep stores the answer to a claim's request. digest is the hash of the request. If the answer is
// larger than MaxAnswer, or if the user's stored answers would exceed Options.Bytes, Keep stores
// only that the request was answered, and not the answer.
func (k *Keys) Keep(ctx context.Context, c Claim, digest string, a Answer) error {
	header, err := json.Marshal(a.Header)
	if err != nil {
		return err
	}
	fits := len(a.Body) <= MaxAnswer && utf8.Valid(a.Body) && !bytes.ContainsRune(a.Body, 0)
	_, err = k.change(ctx, c, func(ctx context.Context, tx bun.Tx, _ int64) (sql.Result, error) {
		var kept int64
		if err := tx.NewRaw("SELECT coalesce(sum(size), 0) FROM once WHERE user_id = ?", c.User).Scan(ctx, &kept); err != nil {
			return nil, err
		}
		as, body := answered, string(a.Body)
		if !fits || kept+int64(len(body)) > k.opts.Bytes {
			as, body = unkept, ""
		}
		return tx.NewRaw("UPDATE once SET state = ?, owner = '', digest = ?, status = ?, header = ?, size = ?, body = ? WHERE user_id = ? AND route = ? AND name = ? AND owner = ?",
			as, digest, a.Status, string(header), len(body), body, c.User, c.Route, c.Name, c.owner).Exec(ctx)
	})
	return err
}

// Release deletes a claim whose request was not executed.
func (k *Keys) Release(ctx context.Context, c Claim) error {
	_, err := k.change(ctx, c, func(ctx context.Context, tx bun.Tx, _ int64) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM once WHERE user_id = ? AND route = ? AND name = ? AND nonce = ? AND owner = ? AND began = ''",
			c.User, c.Route, c.Name, c.Nonce, c.owner).Exec(ctx)
	})
	return err
}

// Begin stores the turn that a claim's request has begun. began is the turn as JSON. If Begin was
// called before for the claim, Begin changes nothing.
func (k *Keys) Begin(ctx context.Context, c Claim, began []byte) error {
	_, err := k.change(ctx, c, func(ctx context.Context, tx bun.Tx, _ int64) (sql.Result, error) {
		return tx.NewRaw("UPDATE once SET began = ? WHERE user_id = ? AND route = ? AND name = ? AND nonce = ? AND began = ''",
			string(began), c.User, c.Route, c.Name, c.Nonce).Exec(ctx)
	})
	return err
}

// renew extends a claim.
func (k *Keys) renew(ctx context.Context, c Claim) error {
	_, err := k.change(ctx, c, func(ctx context.Context, tx bun.Tx, now int64) (sql.Result, error) {
		return tx.NewRaw("UPDATE once SET held = ? WHERE user_id = ? AND route = ? AND name = ? AND owner = ?",
			now+k.opts.Holds.Microseconds(), c.User, c.Route, c.Name, c.owner).Exec(ctx)
	})
	return err
}

// change runs a statement on one claim, and reports whether it changed a row. It continues after
// the end of ctx, for at most writeTime.
func (k *Keys) change(ctx context.Context, c Claim, statement func(ctx context.Context, tx bun.Tx, now int64) (sql.Result, error)) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	n, err := k.db.Change(ctx, op+"."+c.Route, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		now, err := k.db.Now(ctx, tx)
		if err != nil {
			return nil, err
		}
		return statement(ctx, tx, now)
	})
	return n > 0, err
}

// claim returns the claim in a row, with neither First nor Answer.
func (r row) claim() Claim {
	return Claim{
		Key: Key{User: r.UserID, Route: r.Route, Name: r.Name}, Nonce: r.Nonce, Digest: r.Digest, Created: database.Time(r.Created),
		Began: []byte(r.Began), owner: r.Owner,
	}
}

// answer returns the answer in a row, whose state must be answered.
func (r row) answer() (*Answer, error) {
	a := &Answer{Status: r.Status, Body: []byte(r.Body)}
	if err := json.Unmarshal([]byte(r.Header), &a.Header); err != nil {
		return nil, fault.New(op, sdkapi.Internal, "the stored response of an earlier request is invalid").Because(err)
	}
	return a, nil
}
