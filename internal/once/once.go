// Package once keeps the answers to requests that bring an Idempotency-Key, so
// that a request which is sent again is answered again and not done again.
//
//	keys := once.Open(db, once.Options{})
//	claim, err := keys.Claim(ctx, once.Key{User: "ada", Route: "upload-artifact", Name: "8e03978e"}, digest, true)
//	switch {
//	case claim.Answer != nil: // was done before
//	default:
//		defer keys.Hold(ctx, claim)()
//		… // do it
//		err = keys.Keep(ctx, claim, digest, answer) // or keys.Release(ctx, claim)
//	}
//
// A *claim* is what a key stands for. It is on disk before anything is done, and
// forgotten a day later. Whoever comes with the key while its first request runs
// gets an answer that says so. A gateway that dies leaves a claim that nobody
// holds: then the request is done again if that does no harm, and else nobody
// knows what came of it.
//
// A request that begins a turn has no answer to be kept: it is answered with the
// turn. Join returns the claim of such a request to all who bring the key at
// once, and its Nonce names the turn: so they begin the same one.
package once

import (
	"cmp"
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/database"
)

// TTL is how long a key is known.
const TTL = 24 * time.Hour

// Bounds of what is kept.
const (
	MaxPerUser = 10_000   // keys of one user at a time
	MaxAnswer  = 1 << 20  // bytes of an answer's body; a larger one is not kept
	MaxAnswers = 64 << 20 // bytes of all answers to one user
)

// How long a claim holds without its worker renewing it, and how long a write
// may take.
const (
	holds     = 30 * time.Second
	writeTime = 10 * time.Second // of recording the outcome of a claim
)

// Bounds of removing what is old.
const (
	cleanEvery = 10 * time.Minute // about
	cleanBatch = 200              // rows of a transaction: others wait for it
)

// Options say how keys are kept. The zero value is fine.
type Options struct {
	TTL   time.Duration // default: TTL
	Holds time.Duration // how long the owner of a claim may be silent; default 30 s
	Keys  int           // of one user at a time; default MaxPerUser
	Bytes int64         // of all answers to one user; default MaxAnswers
	Log   *slog.Logger  // default: discard
}

// Keys are those of a deployment. Their methods may be called from several
// goroutines at once, and several gateways may share the database.
type Keys struct {
	db   *database.DB
	opts Options
}

// Open returns the keys in db, which stays the caller's.
func Open(db *database.DB, opts Options) *Keys {
	return &Keys{db, Options{
		TTL: cmp.Or(opts.TTL, TTL), Holds: cmp.Or(opts.Holds, holds), Keys: cmp.Or(opts.Keys, MaxPerUser),
		Bytes: cmp.Or(opts.Bytes, MaxAnswers), Log: cmp.Or(opts.Log, slog.New(slog.DiscardHandler)),
	}}
}

// Run removes keys that are too old, until ctx ends. Several gateways may do so
// at once.
func (k *Keys) Run(ctx context.Context) {
	background.About(ctx, cleanEvery, func(ctx context.Context) {
		if _, err := k.Clean(ctx); err != nil && ctx.Err() == nil {
			k.opts.Log.Warn("old idempotency keys cannot be removed now; it is tried again", slog.Any("err", err))
		}
	})
}

// Clean removes the keys that are too old now, and returns how many those were.
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

// Hold records that somebody works on a claim until the function that it returns
// is called, which waits for the last record.
func (k *Keys) Hold(ctx context.Context, c Claim) (stop func()) {
	return background.Start(context.WithoutCancel(ctx), func(ctx context.Context) {
		background.Every(ctx, k.opts.Holds/3, func(ctx context.Context) {
			if err := k.renew(ctx, c); err != nil && ctx.Err() == nil {
				k.opts.Log.Warn("the claim of an idempotency key cannot be renewed", slog.Any("err", err))
			}
		})
	})
}
