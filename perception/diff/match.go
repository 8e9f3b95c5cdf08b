package diff

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// thing is a text or element to find on the other screen.
type thing struct {
	box image.Rectangle
	key string // text, or role and label, which stay the same after a move
}

// pair has the indices of a thing in the lists of both screens.
type pair struct{ before, after int }

// slack is the maximum difference, in pixels, between the same sides of a thing on two screens.
const slack = 3

// pairs matches the things of two screens. It matches equal keys in the same position or after a
// move, and then any things in the same position. gone and fresh are the unmatched things.
func pairs(moves []Move, before, after []thing) (same []pair, gone, fresh []int) {
	free := map[string][]int{} // indices of after, by key
	for i, t := range after {
		free[t.key] = append(free[t.key], i)
	}
	taken := make([]bool, len(after))
	take := func(i int, fits func(image.Rectangle) bool, among []int) bool {
		for _, k := range among[:min(len(among), MaxCompared)] {
			if !taken[k] && fits(after[k].box) {
				taken[k] = true
				same = append(same, pair{i, k})
				return true
			}
		}
		return false
	}
	var left []int
	for i, t := range before {
		if !take(i, func(b image.Rectangle) bool { return alike(t.box, b) || followed(moves, t.box, b) }, free[t.key]) {
			left = append(left, i)
		}
	}
	var rest []int
	for k := range after {
		if !taken[k] {
			rest = append(rest, k)
		}
	}
	for n, i := range left {
		if n >= MaxCompared || !take(i, func(b image.Rectangle) bool { return geo.Overlap(before[i].box, b) >= 0.5 }, rest) {
			gone = append(gone, i)
		}
	}
	for _, k := range rest {
		if !taken[k] {
			fresh = append(fresh, k)
		}
	}
	return same, gone, fresh
}

// alike reports whether two boxes are the same, up to slack.
func alike(a, b image.Rectangle) bool {
	return max(geo.Abs(a.Min.X-b.Min.X), geo.Abs(a.Min.Y-b.Min.Y), geo.Abs(a.Max.X-b.Max.X), geo.Abs(a.Max.Y-b.Max.Y)) <= slack
}

// followed reports whether a box on the earlier screen, from, is the box to on the later screen after one of moves.
func followed(moves []Move, from, to image.Rectangle) bool {
	return slices.ContainsFunc(moves, func(m Move) bool { return to.Overlaps(m.Box) && alike(from.Add(m.By), to) })
}

// pairs does the same as the function pairs, but drops gone and fresh things whose pixels do not
// differ.
func (g *grid) pairs(moves []Move, before, after []thing) (same []pair, gone, fresh []int) {
	same, gone, fresh = pairs(moves, before, after)
	return same, slices.DeleteFunc(gone, func(i int) bool { return !g.touches(before[i].box) }),
		slices.DeleteFunc(fresh, func(i int) bool { return !g.touches(after[i].box) })
}

// rows lists the texts that differ, where pixels differ.
func (g *grid) rows(moves []Move, before, after []perception.Row) (out Rows) {
	things := func(rows []perception.Row) (list []thing) {
		for _, r := range rows {
			list = append(list, thing{r.Box, r.Text})
		}
		return list
	}
	same, gone, fresh := g.pairs(moves, things(before), things(after))
	for _, p := range same {
		if a, b := before[p.before], after[p.after]; a.Text != b.Text && (g.touches(a.Box) || g.touches(b.Box)) {
			out.Changed = append(out.Changed, RowChange{a, b})
		}
	}
	for _, i := range gone {
		out.Vanished = append(out.Vanished, before[i])
	}
	for _, i := range fresh {
		out.Appeared = append(out.Appeared, after[i])
	}
	return out
}

// elements lists the elements that differ, where pixels differ. It skips texts and headings.
func (g *grid) elements(moves []Move, before, after []elements.Element) (out Elements) {
	things := func(list []elements.Element) (things []thing, at []int) {
		for i, e := range list {
			if e.Role != elements.Text && e.Role != elements.Heading {
				things, at = append(things, thing{e.Box, string(e.Role) + " " + e.Label}), append(at, i)
			}
		}
		return things, at
	}
	was, wasAt := things(before)
	is, isAt := things(after)
	same, gone, fresh := g.pairs(moves, was, is)
	for _, p := range same {
		a, b := &before[wasAt[p.before]], &after[isAt[p.after]]
		if what := aspects(a, b); len(what) > 0 && (g.touches(a.Box) || g.touches(b.Box)) {
			out.Changed = append(out.Changed, Change{wasAt[p.before], isAt[p.after], what})
		}
	}
	for _, i := range gone {
		out.Vanished = append(out.Vanished, wasAt[i])
	}
	for _, i := range fresh {
		out.Appeared = append(out.Appeared, isAt[i])
	}
	return out
}

// aspects returns the properties in which two elements differ.
func aspects(a, b *elements.Element) (what []Aspect) {
	for _, c := range []struct {
		aspect Aspect
		other  bool
	}{
		{Role, a.Role != b.Role},
		{Label, a.Label != b.Label},
		{States, !slices.Equal(a.States, b.States)},
		{Color, otherColor(a.Fill, b.Fill) || otherColor(a.Border, b.Border) || otherColor(a.Ink, b.Ink)},
		{Icon, a.Icon() != b.Icon()},
	} {
		if c.other {
			what = append(what, c.aspect)
		}
	}
	return what
}

// otherColor reports whether a color appeared, vanished or changed.
func otherColor(a, b *elements.Color) bool {
	if a == nil || b == nil {
		return a != b
	}
	return !near([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B})
}
