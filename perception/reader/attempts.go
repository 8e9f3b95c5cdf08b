package reader

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/textline"
)

const (
	sureEnough = 0.995 // how sure a reading must be, from 0 to 1, for no other to be tried
	betterBy   = 0.005 // how much surer than an earlier one a reading must be to replace it
)

// readPatches returns the best spelling of each patch, by any network: first in
// the best geometry, then in others for those in doubt.
func readPatches(ctx context.Context, networks []*lstm.Model, patches []*textline.Patch) ([]*spelling, error) {
	best := make([]*spelling, len(patches))
	for _, geometry := range textline.Geometries {
		for _, network := range networks {
			var tries []attempt
			for i, p := range patches {
				if best[i] != nil && best[i].sureness() >= sureEnough {
					continue
				}
				for _, f := range p.Fits() {
					tries = append(tries, attempt{patch: i, fit: f})
				}
			}
			if err := try(ctx, network, geometry, patches, tries); err != nil {
				return nil, err
			}
			for _, t := range tries {
				if s := t.spelling; best[t.patch] == nil || s.sureness() > best[t.patch].sureness()+betterBy {
					best[t.patch] = s
				}
			}
		}
	}
	return best, nil
}

// attempt is one way to read a patch.
type attempt struct {
	patch    int
	fit      textline.Fit
	strip    textline.Strip
	spelling *spelling
}

// try sets the attempts' spellings.
func try(ctx context.Context, network *lstm.Model, g textline.Geometry, patches []*textline.Patch, tries []attempt) error {
	err := each(ctx, len(tries), func(i int) {
		t := &tries[i]
		t.strip = patches[t.patch].Strip(t.fit, g, network.Height())
	})
	if err != nil {
		return err
	}
	strips := make([]lstm.Strip, len(tries))
	for i, t := range tries {
		if t.strip.Width <= lstm.MaxWidth { // else it stays empty, and reads as nothing
			strips[i] = lstm.Strip{Width: t.strip.Width, Pix: t.strip.Pix}
		}
	}
	readings, err := network.Read(ctx, strips)
	if err != nil {
		return err
	}
	for i := range tries {
		t := &tries[i]
		t.spelling = spell(patches[t.patch], &t.strip, t.fit, readings[i])
	}
	return nil
}

// each calls do for 0 to n-1, on all processors, until ctx ends.
func each(ctx context.Context, n int, do func(i int)) error {
	g, ctx := errgroup.WithContext(ctx)
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		g.Go(func() error {
			for i := w; i < n && ctx.Err() == nil; i += workers {
				do(i)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}
