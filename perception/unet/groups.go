package unet

import "slices"

// Group is the connected cells of a core: runs from top to bottom, and from left to right. Cells
// that touch only at a corner are not connected.
type Group []Run

// grouper has the buffers of the search for groups.
type grouper struct {
	parent, at []int32
	sorted     []Run
	groups     []Group
}

// of returns the groups of runs, in the order of their first runs. They are valid until the next call.
func (g *grouper) of(runs []Run) []Group {
	g.connect(runs)
	n := len(runs)
	g.at = slices.Grow(g.at[:0], n)[:n] // first the number of runs of a group, then its next place
	clear(g.at)
	for i := range runs {
		g.at[g.root(int32(i))]++
	}
	g.sorted, g.groups = slices.Grow(g.sorted[:0], n)[:n], g.groups[:0]
	next := int32(0)
	for i := range runs {
		if count := g.at[i]; g.parent[i] == int32(i) {
			g.groups = append(g.groups, Group(g.sorted[next:next+count:next+count]))
			g.at[i] = next
			next += count
		}
	}
	for i, r := range runs {
		root := g.root(int32(i))
		g.sorted[g.at[root]] = r
		g.at[root]++
	}
	return g.groups
}

// connect groups runs that touch above each other. The root of a group is its first run.
func (g *grouper) connect(runs []Run) {
	g.parent = slices.Grow(g.parent[:0], len(runs))[:len(runs)]
	above := 0 // the first run of the row above that may touch
	for i, r := range runs {
		g.parent[i] = int32(i)
		for above < i && (runs[above].Y < r.Y-1 || runs[above].Y == r.Y-1 && runs[above].X1 <= r.X0) {
			above++
		}
		for j := above; j < i && runs[j].Y == r.Y-1 && runs[j].X0 < r.X1; j++ {
			a, b := g.root(int32(i)), g.root(int32(j))
			g.parent[max(a, b)] = min(a, b)
		}
	}
}

// root returns the first run of the group of a run.
func (g *grouper) root(i int32) int32 {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}
