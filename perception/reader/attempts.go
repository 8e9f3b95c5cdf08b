package reader

import (
	"context"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/textline"
)

const (
	sureEnough = 0.995 // how sure a reading must be, from 0 to 1, for no other fit to be tried
	nearlySure = 0.98  // and for no other geometry
	betterBy   = 0.005 // how much higher than an earlier one a reading must rank to replace it
	doubtful   = 0.9   // how sure it is at most where the letters may be what was taken for their shadow, or hardly differ from the ground
)

// pass is a way to read patches again.
type pass struct {
	geometry textline.Geometry
	until    float64 // patches that are read as surely as this are left as they are
	fits     func(all []textline.Fit) []textline.Fit
}

// passes are the ways to read, one after another. Most patches are settled by the first, which reads each once.
var passes = []pass{
	{textline.Geometries[0], sureEnough, func(all []textline.Fit) []textline.Fit { return all[:1] }},
	{textline.Geometries[0], sureEnough, func(all []textline.Fit) []textline.Fit { return all[1:] }},
	{textline.Geometries[1], nearlySure, func(all []textline.Fit) []textline.Fit { return all }},
}

// readPatches returns the best spelling of each patch, by any network.
func readPatches(ctx context.Context, networks []network, patches []*textline.Patch) ([]*spelling, error) {
	best := make([]*spelling, len(patches))
	fits := make([][]textline.Fit, len(patches))
	for i, p := range patches {
		fits[i] = p.Fits()
	}
	for _, pass := range passes {
		for _, net := range networks {
			var tries []attempt
			for i := range patches {
				if best[i] != nil && best[i].settled(pass.until, len(networks)) {
					continue
				}
				for _, f := range pass.fits(fits[i]) {
					tries = append(tries, attempt{patch: i, fit: f})
				}
			}
			if err := try(ctx, net, pass.geometry, patches, tries); err != nil {
				return nil, err
			}
			keepBest(best, tries)
		}
	}
	return best, readTurned(ctx, networks, patches, best)
}

// keepBest replaces spellings by those of tries that rank higher.
func keepBest(best []*spelling, tries []attempt) {
	for _, t := range tries {
		if s := t.spelling; best[t.patch] == nil || s.rank() > best[t.patch].rank()+betterBy {
			best[t.patch] = s
		}
	}
}

// readTurned reads what is still in doubt as if its shadow were the letters, and then by what stands out from that.
func readTurned(ctx context.Context, networks []network, patches []*textline.Patch, best []*spelling) error {
	for _, turn := range []func(*textline.Patch) *textline.Patch{(*textline.Patch).Turned, (*textline.Patch).Stood} {
		turned := make([]*textline.Patch, len(patches))
		var tries []attempt
		for i, p := range patches {
			if best[i] != nil && best[i].sureness() >= doubtful {
				continue
			}
			if turned[i] = turn(p); turned[i] != nil {
				for _, f := range turned[i].Fits() {
					tries = append(tries, attempt{patch: i, fit: f})
				}
			}
		}
		if len(tries) == 0 {
			continue
		}
		for _, net := range networks {
			if err := try(ctx, net, textline.Geometries[0], turned, tries); err != nil {
				return err
			}
			keepBest(best, tries)
		}
	}
	return nil
}

// settled reports whether the reading is so sure that no other attempt is worth its time.
func (p *spelling) settled(until float64, networks int) bool {
	sure := p.sureness()
	if networks == 1 && p.has(isUnread) {
		sure /= unreadWorth
	}
	return sure >= until
}

// attempt is one way to read a patch.
type attempt struct {
	patch    int
	fit      textline.Fit
	strip    textline.Strip
	spelling *spelling
}

// try sets the attempts' spellings.
func try(ctx context.Context, net network, g textline.Geometry, patches []*textline.Patch, tries []attempt) error {
	err := fair.Each(ctx, len(tries), func(i int) {
		t := &tries[i]
		t.strip = patches[t.patch].Strip(t.fit, g, net.strips.Height())
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
	readings, err := net.strips.Read(ctx, strips)
	if err != nil {
		return err
	}
	for i := range tries {
		t := &tries[i]
		t.spelling = spell(patches[t.patch], &t.strip, t.fit, readings[i], net)
	}
	return nil
}
