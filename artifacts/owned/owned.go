// Package owned adds an owner and an expiry to artifacts. It wraps any artifacts.Store and stores
// its data in the database.
//
//	store := owned.Open(files, db, owned.Options{TTL: 30 * 24 * time.Hour})
//	go store.Run(ctx) // the janitor
//	info, err := store.For("ada").Put(ctx, id, contentType, r)
//
// A view is the part of the store that one owner sees. The view "" shows all artifacts, also
// artifacts that were stored before the table existed. In any other view, artifacts of other owners
// and expired artifacts seem missing.
//
// # After a crash
//
// An artifact is a row of the table and content in the store, and no transaction spans both. Put
// has three steps, and a view shows the artifact only after the last one:
//
//	claim   insert the row, not stored yet, with an expiry in a day
//	bytes   store the content
//	finish  mark the row as stored, and set its expiry
//
// A crash after claim leaves a row that expires. No view shows this row, and the janitor deletes
// it. Nobody would ever delete content without a row, but such content cannot arise: the row is
// inserted before the content, Put gives up long before its row expires, and a deletion deletes the
// content first. If the deletion is interrupted then, the janitor deletes the row without content.
// If an artifact is erased during its Put, its row stays without an owner until it expires.
//
// An unmounted disk or a wrong bucket also looks like missing content. So the janitor deletes such
// a row only after a week.
//
// Ids are never reused, and a stored artifact never changes, so views cache rows. The expiry can
// change, also at another gateway, so views query a row again after a moment.
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

// Limits of the cache and of times. A Put that takes longer than putTime fails, so that its row is
// not mistaken for one left by a crash.
const (
	remembered = 8192               // cached rows, of some 200 bytes each
	claimTime  = 24 * time.Hour     // expiry of a row that was never finished
	putTime    = claimTime / 2      // time limit of one Put
	tidyTime   = 10 * time.Second   // time limit of writes that continue after the caller has left
	absentTime = 7 * 24 * time.Hour // how long a row without content is kept
	sweepAge   = 24 * time.Hour     // minimum age of leftovers that the store's own Sweep deletes
	everyTime  = 10 * time.Minute   // time between two rounds of the janitor
	askAgain   = 2 * time.Second    // age at which a cached row is queried again
	expiryUnit = int64(time.Second / time.Microsecond)

	clocksApart = time.Minute // maximum difference between the clocks of gateways
)

// Options configure a Store. If a field is zero, its default applies.
type Options struct {
	TTL   time.Duration // retention of a stored artifact; 0 means until somebody deletes it
	Every time.Duration // time between two rounds of the janitor; default 10 minutes
	Log   *slog.Logger  // log of the janitor; by default, messages are discarded

	// OwnerBytes and OwnerCount are limits for the artifacts of each owner; 0 means no limit. They
	// do not apply to the view "", which has no owner. The size of an artifact is the size of its
	// content plus Overhead.
	OwnerBytes, OwnerCount int64
}

// Overhead is the approximate disk space of an artifact in addition to its content, in bytes: a
// partly filled block of the file system, the description, and the row.
const Overhead = 8 << 10

// Store wraps another store, and gives each owner a view that shows only the owner's artifacts. The
// methods of Store itself use the view "", which shows all artifacts. Create a Store with Open. Its
// methods are safe for concurrent use, and several processes may share the database and the wrapped
// store.
type Store struct {
	view  // the view "", which shows all artifacts
	inner artifacts.Store
	db    *database.DB
	opts  Options
	known *lru.Cache[string, entry] // rows of stored artifacts

	expired, gone, swept, failed atomic.Int64
	damaged                      atomic.Int64
}

var _ artifacts.PerUser = (*Store)(nil)

// Open returns a Store that wraps inner. It closes neither inner nor db. Both must stay open while
// the Store is in use.
func Open(inner artifacts.Store, db *database.DB, opts Options) *Store {
	opts.Every = cmp.Or(opts.Every, everyTime)
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	known, _ := lru.New[string, entry](remembered) // it fails only for a size below one
	s := &Store{inner: inner, db: db, opts: opts, known: known}
	s.view = view{of: s}
	return s
}

// For returns a view of the store that shows only the artifacts of owner. If owner is empty, the
// view shows the artifacts of all owners. The method implements artifacts.PerUser.
func (s *Store) For(owner string) artifacts.Store {
	v := view{of: s, owner: owner}
	if links, ok := s.inner.(artifacts.Presigner); ok {
		return linking{v, links}
	}
	return v
}

// Done counts the deletions of the janitor, which deletes expired artifacts in the background.
type Done struct {
	Expired int64 // artifacts deleted after their expiry
	Gone    int64 // rows deleted because their content was missing
	Swept   int64 // leftovers that the store itself deleted
	Failed  int64 // failed attempts, which are repeated
}

// Done returns the counts of this process's janitor since Open.
func (s *Store) Done() Done {
	return Done{Expired: s.expired.Load(), Gone: s.gone.Load(), Swept: s.swept.Load(), Failed: s.failed.Load()}
}

// view is the store as one owner sees it; "" sees everything.
type view struct {
	of    *Store
	owner string
}

// linking is a view of a store that can create links.
type linking struct {
	view
	links artifacts.Presigner
}

var (
	_ artifacts.Store     = view{}
	_ artifacts.Store     = linking{}
	_ artifacts.Presigner = linking{}
)

// find returns the entry of an artifact that the owner can see. For any other it fails with
// ArtifactNotFound.
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

// Put implements artifacts.Store. The owner of the view owns the artifact.
func (v view) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	const op = "owned.Put"
	if !artifacts.ValidID(id) {
		return artifacts.Info{}, fault.New(op, sdkapi.Internal, "invalid artifact id %q; nothing was stored: expected a name with an extension, such as screen-1.png", id)
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

// storedNothing reports whether a Put certainly failed before it stored content: its reader failed,
// or its id is in use. After other failures content may exist or still arrive, so the row is kept
// until it expires.
func storedNothing(err error) bool {
	var known *fault.Error
	return errors.As(err, new(*artifacts.SourceError)) || errors.As(err, &known) && known.Code == sdkapi.Internal
}

// drop deletes content that no view shows. If it fails, the janitor deletes the content when its
// row expires.
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

// describe returns the description of an artifact, with the expiry in e.
func (v view) describe(ctx context.Context, op, id string, e entry) (artifacts.Info, error) {
	info, err := v.of.inner.Stat(ctx, id)
	if err != nil {
		return artifacts.Info{}, err
	}
	return v.complete(ctx, op, id, e, info)
}

// Get implements artifacts.Store. If the artifact expires during a read, the reader still reads to
// the end. Get logs and counts damaged content.
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

// complete adds the expiry from the table to the store's description of an artifact.
func (v view) complete(ctx context.Context, op, id string, e entry, info artifacts.Info) (artifacts.Info, error) {
	e, err := v.of.confirm(ctx, op, id, e, info)
	switch {
	case err != nil:
		return artifacts.Info{}, err
	case !e.seenBy(v.owner): // its Put is still running
		return artifacts.Info{}, artifacts.NotFound(op, id)
	}
	info.ExpiresAt = e.expiresAt()
	return info, nil
}

// Delete implements artifacts.Store. It does nothing for an artifact that the owner cannot see.
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

// Ready implements artifacts.Store. It checks only the store, because the database has its own
// Ready.
func (v view) Ready(ctx context.Context) error { return v.of.inner.Ready(ctx) }

// Presign implements artifacts.Presigner. A link expires before its artifact, or together with it.
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
