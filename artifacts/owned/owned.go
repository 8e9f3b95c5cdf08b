// Package owned knows whose an artifact is, and until when it is kept. It wraps
// any artifacts.Store, and keeps what it knows in the database.
//
//	store := owned.Open(files, db, owned.Options{TTL: 30 * 24 * time.Hour})
//	go store.Run(ctx) // the janitor
//	info, err := store.For("ada").Put(ctx, id, contentType, r)
//
// A view is the store as one owner sees it. The view of "" shows all, also what was stored before
// there was a table. Others do not distinguish artifacts of somebody else, expired ones and missing
// ones.
//
// # What a crash leaves
//
// An artifact is a row of the table and bytes in the store, and no transaction
// spans both. Put goes in three steps, and a view shows no artifact before the
// last:
//
//	claim   insert the row, not stored yet, which expires in a day
//	bytes   store them
//	finish  note in the row that they are, and when the artifact expires
//
// A crash after claim leaves a row that expires, which no view shows and the janitor removes. Bytes
// without a row, which nobody would ever remove, cannot come about: the row is there before the
// bytes, Put gives up long before its row expires, and a removal removes the bytes first. Broken
// off in between, a row without bytes is left for the janitor. What is erased on its way keeps its
// row, as nobody's, until that expires.
//
// A disk that is not mounted, or a wrong bucket, looks the same. So the janitor keeps such a row
// for a week.
//
// No id is ever given twice, and a stored artifact never changes, so views cache what they know. Until
// when it is kept may change, also by another gateway, so they ask again after a moment.
package owned

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Limits of what is remembered, and of how long things take. A Put that takes
// longer than putTime fails: its row must not be taken for that of a crash.
const (
	remembered = 8192               // artifacts of which views know the owner without asking; some 200 bytes each
	claimTime  = 24 * time.Hour     // until a row that was never finished expires
	putTime    = claimTime / 2      // of one Put
	tidyTime   = 10 * time.Second   // of a write that must be tried though the caller has left
	absentTime = 7 * 24 * time.Hour // until a row without bytes is removed
	sweepAge   = 24 * time.Hour     // of what the store's own Sweep removes
	everyTime  = 10 * time.Minute   // between two rounds of the janitor
	askAgain   = 2 * time.Second    // until the database is asked again for what views remember
	expiryUnit = int64(time.Second / time.Microsecond)

	clocksApart = time.Minute // the most that the clocks of gateways may differ
)

// Options of a Store. The zero value is useful.
type Options struct {
	TTL   time.Duration // how long an artifact is kept once it is stored; 0: until it is deleted
	Every time.Duration // between two rounds of the janitor; default 10 minutes
	Log   *slog.Logger  // what the janitor did; default: discard

	// Bounds of what one owner keeps; 0: none. Everybody's view has none. Each artifact counts
	// Overhead bytes besides its content.
	OwnerBytes, OwnerCount int64
}

// Overhead is about how many bytes of disk an artifact takes besides its content: a block of the
// file system that is not full, its description, and its row.
const Overhead = 8 << 10

// Store gives each owner a view of one store; itself it is everybody's view. Its methods are safe
// for concurrent use, and processes may share the database and the store.
type Store struct {
	view  // of everybody
	inner artifacts.Store
	db    *database.DB
	opts  Options
	known *lru.Cache[string, entry] // of artifacts that are stored

	expired, gone, swept, failed atomic.Int64
	damaged                      atomic.Int64
}

var _ artifacts.PerUser = (*Store)(nil)

// Open returns the store. It closes neither inner nor db, which must both outlive it.
func Open(inner artifacts.Store, db *database.DB, opts Options) *Store {
	opts.Every = cmp.Or(opts.Every, everyTime)
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	known, _ := lru.New[string, entry](remembered) // fails only for a size below one
	s := &Store{inner: inner, db: db, opts: opts, known: known}
	s.view = view{of: s}
	return s
}

// For implements artifacts.PerUser. The view of "" is everybody's.
func (s *Store) For(owner string) artifacts.Store {
	v := view{of: s, owner: owner}
	if links, ok := s.inner.(artifacts.Presigner); ok {
		return linking{v, links}
	}
	return v
}

// Done is what janitors have done.
type Done struct {
	Expired int64 // artifacts removed because their time had come
	Gone    int64 // rows removed because their bytes were gone
	Swept   int64 // leftovers that the store itself removed
	Failed  int64 // attempts that failed, and are made again
}

// Done reports what this process's janitor has done since Open.
func (s *Store) Done() Done {
	return Done{Expired: s.expired.Load(), Gone: s.gone.Load(), Swept: s.swept.Load(), Failed: s.failed.Load()}
}

// view is the store as one owner sees it, "" for everybody.
type view struct {
	of    *Store
	owner string
}

// linking is a view of a store that hands out links of its own.
type linking struct {
	view
	links artifacts.Presigner
}

var (
	_ artifacts.Store     = view{}
	_ artifacts.Store     = linking{}
	_ artifacts.Presigner = linking{}
)

// find returns what is known of an artifact that the owner may see. Any other is not there.
func (v view) find(ctx context.Context, op, id string) (entry, error) {
	if err := ctx.Err(); err != nil {
		return entry{}, ended(op, err)
	}
	if !artifacts.ValidID(id) {
		return entry{}, artifacts.NotFound(op, id)
	}
	e, err := v.of.lookup(ctx, op, id)
	if err == nil && !e.seenBy(v.owner) {
		err = artifacts.NotFound(op, id)
	}
	return e, err
}

// Put implements artifacts.Store. What it stores is the owner's.
func (v view) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	const op = "owned.Put"
	if !artifacts.ValidID(id) {
		return artifacts.Info{}, fault.New(op, sdkapi.Internal, "%q is no artifact id; nothing was stored", id)
	}
	if err := v.of.claim(ctx, op, id, v.owner); err != nil {
		return artifacts.Info{}, err
	}
	within, cancel := context.WithTimeout(ctx, putTime)
	defer cancel()
	info, err := v.of.inner.Put(within, id, contentType, r)
	if err != nil {
		if storedNothing(err) {
			v.of.release(ctx, op, id, v.owner)
		}
		return artifacts.Info{}, err
	}
	e, err := v.of.finish(ctx, op, id, v.owner, info.Size)
	if err != nil {
		v.drop(ctx, id)
		if fault.CodeOf(err) == sdkapi.QuotaExceeded {
			v.of.release(ctx, op, id, v.owner)
		}
		return artifacts.Info{}, err
	}
	info.ExpiresAt = e.expiresAt()
	return info, nil
}

// storedNothing reports whether a Put surely failed before it stored anything: its content broke
// off, or its id is in use. After other failures bytes may be there or yet arrive, and the row
// stays until it expires.
func storedNothing(err error) bool {
	var known *fault.Error
	return errors.As(err, new(*artifacts.SourceError)) || errors.As(err, &known) && known.Code == sdkapi.Internal
}

// drop removes bytes that no view shows, since nobody knows when else it
// happens. If it fails, the janitor removes them when their row expires.
func (v view) drop(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_ = v.of.inner.Delete(ctx, id)
}

// Stat implements artifacts.Store.
func (v view) Stat(ctx context.Context, id string) (artifacts.Info, error) {
	const op = "owned.Stat"
	e, err := v.find(ctx, op, id)
	if err != nil {
		return artifacts.Info{}, err
	}
	return v.describe(ctx, op, id, e)
}

func (v view) describe(ctx context.Context, op, id string, e entry) (artifacts.Info, error) {
	info, err := v.of.inner.Stat(ctx, id)
	if err != nil {
		return artifacts.Info{}, err
	}
	return v.complete(ctx, op, id, e, info)
}

// Get implements artifacts.Store. Content that expires while it is read is read to its end. Damage is
// logged and counted.
func (v view) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	const op = "owned.Get"
	e, err := v.find(ctx, op, id)
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	r, info, err := v.of.inner.Get(ctx, id, offset, length)
	if err != nil {
		v.of.noteDamage(ctx, id, err)
		return nil, artifacts.Info{}, err
	}
	info, err = v.complete(ctx, op, id, e, info)
	if err != nil {
		_ = r.Close() // nothing was read
		return nil, artifacts.Info{}, err
	}
	return &noting{r, v.of, id}, info, nil
}

// complete adds what the table knows to what the store says of an artifact.
func (v view) complete(ctx context.Context, op, id string, e entry, info artifacts.Info) (artifacts.Info, error) {
	e, err := v.of.confirm(ctx, op, id, e, info)
	switch {
	case err != nil:
		return artifacts.Info{}, err
	case !e.seenBy(v.owner): // it is just being put
		return artifacts.Info{}, artifacts.NotFound(op, id)
	}
	info.ExpiresAt = e.expiresAt()
	return info, nil
}

// Delete implements artifacts.Store. What the owner cannot see is not there, and left as it is.
func (v view) Delete(ctx context.Context, id string) error {
	const op = "owned.Delete"
	e, err := v.find(ctx, op, id)
	switch {
	case fault.CodeOf(err) == sdkapi.ArtifactNotFound:
		return nil
	case err != nil:
		return err
	}
	if err := v.of.inner.Delete(ctx, id); err != nil {
		return err
	}
	return v.of.forget(ctx, op, id, e)
}

// Ready implements artifacts.Store. It asks the store alone; the database has its own Ready.
func (v view) Ready(ctx context.Context) error { return v.of.inner.Ready(ctx) }

// Presign implements artifacts.Presigner. A link ends with its artifact.
func (l linking) Presign(ctx context.Context, id, disposition string, ttl time.Duration) (string, error) {
	e, err := l.find(ctx, "owned.Presign", id)
	if err != nil {
		return "", err
	}
	if at := e.expiresAt(); !at.IsZero() {
		ttl = min(ttl, time.Until(at))
	}
	return l.links.Presign(ctx, id, disposition, ttl)
}
