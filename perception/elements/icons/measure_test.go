package icons

import (
	"cmp"
	"fmt"
	"maps"
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

// TestUnseenSets names the glyphs of each set by those of the others, each in two
// of five sizes, and in places between pixels. With -v it lists the mistakes.
func TestUnseenSets(t *testing.T) {
	all := drawings(t)
	random, sizes := rand.New(rand.NewPCG(1, 2)), []float64{14, 16, 20, 24, 32}
	sums, mistaken := map[string]*tally{}, map[string]map[string]int{}
	for _, set := range []string{"lucide", "bootstrap", "tabler", "fontawesome", "material"} {
		l := without(all, set)
		for i := range all {
			d := &all[i]
			if d.set != set || d.concept == plain || !l.knows(d.concept) {
				continue
			}
			name := l.concepts[d.concept].Name
			for _, size := range []float64{sizes[i%len(sizes)], sizes[(i+2)%len(sizes)]} {
				s, ok := shapeOf(d.render(size, random.Float64()-0.5, random.Float64()-0.5))
				if !ok {
					t.Fatalf("%s %s is blank in %v pixels", d.set, d.name, size)
				}
				found := l.match(&s)
				for _, key := range []string{"all", "set " + set, fmt.Sprint("size ", size), name} {
					if sums[key] == nil {
						sums[key], mistaken[key] = &tally{}, map[string]int{}
					}
					sums[key].add(found, name)
				}
				if found[0].Name != name {
					mistaken[name][found[0].Name]++
				}
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Compare(sums[a].right(), sums[b].right()) }) {
		t.Logf("%s: %v %v", key, sums[key], mistaken[key])
	}
	if sum := sums["all"]; sum.right() < 0.83 || float64(sum.sureFirst) < 0.95*float64(sum.sure) {
		t.Errorf("%v", sum)
	}
	testAgreed(t, sums)
}

// testAgreed looks at the concepts that sets draw alike: those of which at
// least half are named rightly.
func testAgreed(t *testing.T, sums map[string]*tally) {
	agreed, concepts := tally{}, 0
	for _, c := range Concepts() {
		if sum := sums[c.Name]; sum != nil && sum.right() >= 0.5 {
			agreed.all, agreed.first, agreed.listed = agreed.all+sum.all, agreed.first+sum.first, agreed.listed+sum.listed
			concepts++
		}
	}
	t.Logf("%d concepts of %d that sets agree on: %v", concepts, len(Concepts()), &agreed)
	if agreed.right() < 0.85 {
		t.Errorf("what sets agree on: %v", &agreed)
	}
}

// TestNoIcons has nearly all that is no icon score low.
func TestNoIcons(t *testing.T) {
	most := map[string]float64{ // of their number, that may score high
		"letters and digits": 0.05, "words": 0.02, "rectangles": 0.12, "rings": 0.12, "noise": 0.02, "photographs": 0.02, "charts": 0.10,
	}
	for _, k := range noIcons(t) {
		sure := 0
		for _, mask := range k.masks {
			if found := Match(mask); len(found) > 0 && found[0].Score >= Sure {
				sure++
			}
		}
		share := float64(sure) / float64(len(k.masks))
		t.Logf("%s: %d of %d score high, %.3f", k.name, sure, len(k.masks), share)
		if share > most[k.name] {
			t.Errorf("%s: %.3f score high, and %.2f may", k.name, share, most[k.name])
		}
	}
}

// right is the share that was named rightly.
func (k *tally) right() float64 { return float64(k.first) / float64(k.all) }

func (k *tally) String() string {
	n := float64(k.all)
	return fmt.Sprintf("top-1 %.3f, top-3 %.3f of %d; sure of %.3f, right in %.3f of these",
		k.right(), float64(k.listed)/n, k.all, float64(k.sure)/n, float64(k.sureFirst)/float64(max(1, k.sure)))
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
