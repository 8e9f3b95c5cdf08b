package textline

import "context"

// checkEvery is how many steps of a long loop run between two checks of the context.
const checkEvery = 256

// components are groups of runs that touch, with their measures. They may be incomplete after ctx
// ends.
type components struct {
	ctx   context.Context
	runs  []run // by rows; read-only, because findRules reads them at the same time
	label []int32
	list  []component

	parent []int32 // for each run, the index of an earlier run of the same component, or its own
}

// connect finds the components of runs, which must be sorted by rows.
func connect(ctx context.Context, runs []run) *components {
	c := &components{ctx: ctx, runs: runs, label: make([]int32, len(runs)), parent: make([]int32, len(runs))}
	above, here := 0, 0 // where the row above and this row begin in runs
	for i := range runs {
		c.parent[i] = int32(i)
		if runs[i].y != runs[here].y {
			above, here = here, i
		}
		c.joinAbove(above, here, i)
		for above < here && runs[above].x1 < runs[i].x0 {
			above++ // no run further right touches it
		}
	}
	c.gather()
	c.parent = nil
	return c
}

// joinAbove unites run i with the runs of the row above that touch it.
func (c *components) joinAbove(above, here, i int) {
	r := &c.runs[i]
	for k := above; k < here && c.runs[k].x0 <= r.x1; k++ {
		if o := &c.runs[k]; o.y == r.y-1 && o.x1 >= r.x0 {
			c.unite(int32(k), int32(i))
		}
	}
}

// unite makes one component of the components of runs a and b. The earlier root becomes the root of
// both, as gather requires.
func (c *components) unite(a, b int32) {
	a, b = c.root(a), c.root(b)
	c.parent[max(a, b)] = min(a, b)
}

// root returns the index of the first run of the component of run i. It shortens the path to it, so
// later calls are faster.
func (c *components) root(i int32) int32 {
	for c.parent[i] != i {
		c.parent[i] = c.parent[c.parent[i]]
		i = c.parent[i]
	}
	return i
}

// gather measures the components. The pixel to the left of an edge, or above it, marks the edge. So
// a box begins one pixel further right and one further down.
func (c *components) gather() {
	roots := 0
	for i := range c.runs {
		if c.parent[i] == int32(i) {
			roots++
		}
	}
	c.list = make([]component, 0, roots)
	for i, r := range c.runs {
		root := c.root(int32(i)) // the root precedes the other runs of its component
		if root == int32(i) {
			c.label[i] = int32(len(c.list))
			c.list = append(c.list, component{x0: int(r.x0) + 1, y0: int(r.y) + 1, label: c.label[i]})
		}
		c.label[i] = c.label[root]
		k := &c.list[c.label[i]]
		k.x0, k.x1, k.y1 = min(k.x0, int(r.x0)+1), max(k.x1, int(r.x1)), int(r.y)+1
		k.edges += r.x1 - r.x0
	}
	for i, r := range c.runs {
		c.list[c.label[i]].addSides(r)
	}
}

// addSides measures the longest piece of a run along each side of the box.
func (k *component) addSides(r run) {
	y, x0, x1 := int(r.y), int(r.x0), int(r.x1)
	if y < k.y0 {
		k.top = max(k.top, r.x1-r.x0)
	}
	if y >= k.y1-1 {
		k.bottom = max(k.bottom, r.x1-r.x0)
	}
	if x0 <= k.x0 {
		k.left.add(r.y)
	}
	if x1 >= k.x1-1 {
		k.right.add(r.y)
	}
}

// middleHeight returns the median height of the components that may be letters, in pixels; 0 if
// there are none.
func (c *components) middleHeight() int {
	var count [maxGlyphHeight + 1]int
	all := 0
	for i := range c.list {
		if h := c.list[i].height(); h >= minGlyphHeight && h <= maxGlyphHeight {
			count[h]++
			all++
		}
	}
	for h, seen := 0, 0; h < len(count); h++ {
		if seen += count[h]; 2*seen > all {
			return h
		}
	}
	return 0
}
