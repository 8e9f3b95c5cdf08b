package carry

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Limits of copying artifacts.
const (
	listed   = 1000 // ids in one page
	together = 8    // artifacts copied at the same time
)

// Source is the store from which artifacts are copied.
type Source interface {
	artifacts.Store
	artifacts.Walker
}

// Target is the store to which artifacts are copied.
type Target interface {
	artifacts.Store
	artifacts.Importer
}

// Carried counts the artifacts that Artifacts copied or skipped.
type Carried struct {
	Copied  int64    // number of artifacts copied in this call
	Present int64    // number of artifacts that were in the target before this call
	Damaged []string // ids of damaged artifacts, which are not copied
}

// Artifacts copies all artifacts from one store to another. It does not change artifacts that are
// already in the target. At the end it compares the descriptions of all artifacts in both stores.
func Artifacts(ctx context.Context, from Source, to Target, report Report) (done Carried, err error) {
	c := &carrying{from: from, to: to}
	if err := c.each(ctx, c.one, func() { report("artifacts", c.copied.Load()+c.present.Load(), 0) }); err != nil {
		return done, err
	}
	same := new(atomic.Int64)
	err = c.each(ctx, func(ctx context.Context, id string) error { return c.compare(ctx, id, same) }, func() { report("artifacts, compared", same.Load(), c.copied.Load()+c.present.Load()) })
	return Carried{c.copied.Load(), c.present.Load(), c.damaged}, err
}

// carrying is one call of Artifacts.
type carrying struct {
	from            Source
	to              Target
	copied, present atomic.Int64

	mu      sync.Mutex
	damaged []string
}

// each calls do for every id, several at a time. It calls reported after each page of ids.
func (c *carrying) each(ctx context.Context, do func(ctx context.Context, id string) error, reported func()) error {
	for after := ""; ; {
		ids, err := c.from.Walk(ctx, after, listed)
		if err != nil {
			return err
		}
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(together)
		for _, id := range ids {
			group.Go(func() error { return do(within, id) })
			after = id
		}
		if err := group.Wait(); err != nil {
			return err
		}
		reported()
		if len(ids) < listed {
			return nil
		}
	}
}

// one copies an artifact unless the target has it.
func (c *carrying) one(ctx context.Context, id string) error {
	switch _, err := c.to.Stat(ctx, id); {
	case err == nil:
		c.present.Add(1)
		return nil
	case fault.CodeOf(err) != sdkapi.ArtifactNotFound:
		return err
	}
	r, info, err := c.from.Get(ctx, id, 0, -1)
	if err == nil {
		err = c.to.Import(ctx, info, r)
		_ = r.Close() // a failed close of a reader loses nothing
	}
	switch {
	case err == nil:
		c.copied.Add(1)
	case fault.CodeOf(err) == sdkapi.ArtifactDamaged:
		c.mu.Lock()
		c.damaged = append(c.damaged, id)
		c.mu.Unlock()
		return nil
	case fault.CodeOf(err) == sdkapi.ArtifactNotFound:
		return nil // an incomplete artifact, which no reader of the source can see
	}
	return err
}

// compare fails unless both stores have the same description of the artifact.
func (c *carrying) compare(ctx context.Context, id string, same *atomic.Int64) error {
	want, err := c.from.Stat(ctx, id)
	if code := fault.CodeOf(err); code == sdkapi.ArtifactNotFound || code == sdkapi.ArtifactDamaged {
		return nil
	}
	if err != nil {
		return err
	}
	got, err := c.to.Stat(ctx, id)
	if err != nil && c.isDamaged(id) {
		return nil
	}
	if err == nil && got != want {
		err = fault.New("carry.Artifacts", sdkapi.StorageUnavailable, "%s", fmt.Sprintf("the target already has a different artifact %q; start with an empty bucket or prefix", id))
	}
	same.Add(1)
	return err
}

// isDamaged reports whether the copy has found the artifact damaged.
func (c *carrying) isDamaged(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, damaged := range c.damaged {
		if damaged == id {
			return true
		}
	}
	return false
}
