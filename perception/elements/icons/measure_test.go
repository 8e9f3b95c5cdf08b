package icons

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// without returns a library of all glyphs but those of a set.
func without(all []drawing, set string) *library {
	var others []glyph
	for _, d := range all {
		if d.set != set {
			others = append(others, d.glyph)
		}
	}
	return newLibrary(others)
}

// knows reports whether a library has glyphs of a concept.
func (l *library) knows(concept int) bool {
	return slices.ContainsFunc(l.glyphs, func(g glyph) bool { return g.concept == concept })
}

// tally counts what was named rightly.
type tally struct{ all, first, listed, sure, sureFirst int }

// TestUnseenSets names the glyphs of each set by those of the others.
func TestUnseenSets(t *testing.T) {
	all := drawings(t)
	random := rand.New(rand.NewPCG(1, 2))
	sizes := []float64{14, 16, 20, 24, 32}
	total, bySize, byConcept := tally{}, map[float64]*tally{}, map[int]*tally{}
	takenFor := map[int]map[string]int{}
	for _, set := range []string{"lucide", "bootstrap", "tabler", "fontawesome", "material"} {
		l, sum := without(all, set), tally{}
		for i := range all {
			d := &all[i]
			if d.set != set || d.concept == plain || !l.knows(d.concept) {
				continue
			}
			if byConcept[d.concept] == nil {
				byConcept[d.concept], takenFor[d.concept] = &tally{}, map[string]int{}
			}
			for _, size := range sizes {
				if bySize[size] == nil {
					bySize[size] = &tally{}
				}
				s, ok := shapeOf(d.render(size, random.Float64()-0.5, random.Float64()-0.5))
				if !ok {
					t.Errorf("%s %s of %v is blank", d.set, d.name, size)
					continue
				}
				found, name := l.match(&s), l.concepts[d.concept].Name
				for _, to := range []*tally{&total, &sum, bySize[size], byConcept[d.concept]} {
					to.add(found, name)
				}
				if found[0].Name != name {
					takenFor[d.concept][found[0].Name]++
				}
			}
		}
		t.Logf("%-12s %v (%d glyphs)", set, sum, len(l.glyphs))
	}
	for _, size := range sizes {
		t.Logf("%4v px %v", size, *bySize[size])
	}
	t.Logf("all %v", total)
	agree := tally{}
	names := make([]int, 0, len(byConcept))
	for c, k := range byConcept {
		names = append(names, c)
		if float64(k.first) >= 0.5*float64(k.all) {
			agree.first += k.first
			agree.all += k.all
			agree.listed += k.listed
		}
	}
	t.Logf("agreeing %v", agree)
	slices.SortFunc(names, func(a, b int) int {
		return cmp.Compare(float64(byConcept[a].first)/float64(byConcept[a].all), float64(byConcept[b].first)/float64(byConcept[b].all))
	})
	for _, c := range names[:50] {
		t.Logf("%s %v %v", Concepts()[c].Name, *byConcept[c], takenFor[c])
	}
}

func (k tally) String() string {
	n := float64(max(1, k.all))
	return fmt.Sprintf("top-1 %.3f top-3 %.3f of %d; sure of %.3f, right in %.3f", float64(k.first)/n, float64(k.listed)/n, k.all, float64(k.sure)/n, float64(k.sureFirst)/float64(max(1, k.sure)))
}

func (k *tally) add(found []Candidate, name string) {
	k.all++
	at := slices.IndexFunc(found, func(c Candidate) bool { return c.Name == name })
	if at == 0 {
		k.first++
	}
	if at >= 0 {
		k.listed++
	}
	if found[0].Score >= Sure {
		k.sure++
		if at == 0 {
			k.sureFirst++
		}
	}
}
