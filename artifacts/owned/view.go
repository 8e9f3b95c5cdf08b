package owned

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

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

// find returns what is known of an artifact that the owner may see. Any other
// is not there.
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
	e, err := v.of.finish(ctx, op, id, v.owner)
	if err != nil {
		v.drop(ctx, id)
		return artifacts.Info{}, err
	}
	info.ExpiresAt = e.expiresAt()
	return info, nil
}

// storedNothing reports whether a Put failed for sure before it had stored
// anything of its own: its content broke off, or its id is in use. After any
// other failure the bytes may be there, or may yet arrive, and the row stays
// until it expires.
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
	info, err := v.of.inner.Stat(ctx, id)
	if err != nil {
		return artifacts.Info{}, err
	}
	return v.complete(ctx, op, id, e, info)
}

// Get implements artifacts.Store. Its reader is the store's own. Content that
// expires while it is read is read to its end.
func (v view) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	const op = "owned.Get"
	e, err := v.find(ctx, op, id)
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	r, info, err := v.of.inner.Get(ctx, id, offset, length)
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	info, err = v.complete(ctx, op, id, e, info)
	if err != nil {
		_ = r.Close() // nothing was read
		return nil, artifacts.Info{}, err
	}
	return r, info, nil
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

// Delete implements artifacts.Store. What the owner cannot see is not there,
// and left as it is.
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

// Ready implements artifacts.Store. It asks the store alone: the database has a
// Ready of its own.
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
