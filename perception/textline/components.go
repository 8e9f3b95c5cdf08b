package textline

// components are groups of runs that touch.
type components struct {
	runs  []run // by rows
	label []int32
	list  []component

	parent []int32 // for each run, the index of an earlier run of the same component, or its own
}

// connect finds the components of runs, which must be sorted by rows.
func connect(runs []run) *components {
	c := &components{runs: runs, label: make([]int32, len(runs)), parent: make([]int32, len(runs))}
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

// gather sets the components. The pixel to the left of an edge, or above it, marks the edge. So
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
			c.list = append(c.list, component{x0: int(r.x0) + 1, y0: int(r.y) + 1})
		}
		c.label[i] = c.label[root]
		k := &c.list[c.label[i]]
		k.x0, k.x1, k.y1 = min(k.x0, int(r.x0)+1), max(k.x1, int(r.x1)), int(r.y)+1
	}
}
