package reader

import (
	"context"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/textline"
)

const (
	sureEnough = 0.995 // minimum sureness, 0..1, of a spelling for which no other fit is tried
	nearlySure = 0.98  // minimum sureness for which no other geometry is tried
	betterBy   = 0.005 // minimum difference in rank for which a spelling replaces an earlier one
	doubtful   = 0.9   // sureness below which the patch is also read from its shadow and its contrast
)

// pass is one round of attempts to read patches.
type pass struct {
	geometry textline.Geometry
	until    float64 // skip patches with a spelling of at least this sureness
	fits     func(all []textline.Fit) []textline.Fit
}

// passes lists the rounds in order. The first round reads each patch once and settles most of them.
var passes = []pass{
	{textline.Geometries[0], sureEnough, func(all []textline.Fit) []textline.Fit { return all[:1] }},
	{textline.Geometries[0], sureEnough, func(all []textline.Fit) []textline.Fit { return all[1:] }},
	{textline.Geometries[1], nearlySure, func(all []textline.Fit) []textline.Fit { return all }},
}

// readPatches returns the best spelling of each patch over all networks.
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

// keepBest replaces the spellings that an attempt outranks by more than betterBy.
func keepBest(best []*spelling, tries []attempt) {
	for _, t := range tries {
		if s := t.spelling; best[t.patch] == nil || s.rank() > best[t.patch].rank()+betterBy {
			best[t.patch] = s
		}
	}
}

// readTurned reads doubtful patches again: as if their shadow were the letters (Patch.Turned), and
// from the difference to it (Patch.Stood).
func readTurned(ctx context.Context, networks []network, patches []*textline.Patch, best []*spelling) error {
	var turned []*textline.Patch
	var tries []attempt
	var of []int // the patch of each of turned
	for i, p := range patches {
		if best[i] != nil && best[i].sureness() >= doubtful {
			continue
		}
		for _, other := range []*textline.Patch{p.Turned(), p.Stood()} {
			if other == nil {
				continue
			}
			for _, f := range other.Fits() {
				tries = append(tries, attempt{patch: len(turned), fit: f})
			}
			turned, of = append(turned, other), append(of, i)
		}
	}
	if len(tries) == 0 {
		return nil
	}
	for _, net := range networks {
		for _, g := range textline.Geometries {
			if err := try(ctx, net, g, turned, tries); err != nil {
				return err
			}
			for _, t := range tries {
				t.patch = of[t.patch]
				keepBest(best, []attempt{t})
			}
		}
	}
	return nil
}

// settled reports whether the spelling is sure enough, at least until, to skip further attempts.
func (p *spelling) settled(until float64, networks int) bool {
	sure := p.sureness()
	if networks == 1 && p.has(isUnread) {
		sure /= unreadWorth
	}
	return sure >= until
}

// attempt is one way to read a patch, and its result.
type attempt struct {
	patch    int
	fit      textline.Fit
	strip    textline.Strip
	spelling *spelling
}

// try sets the spelling of each attempt.
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
		if t.strip.Width <= lstm.MaxWidth { // a wider strip stays empty, and its text is empty
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
