package textline

// withoutRules returns the runs without edges that are straight for long, either way.
func withoutRules(runs []run) []run {
	upright := uprightRules(runs)
	out := make([]run, 0, len(runs))
	for _, r := range runs {
		if r.x1-r.x0 >= ruleWidth {
			continue
		}
		from := r.x0
		for x := r.x0; x < r.x1; x++ {
			if upright.has(x, r.y) {
				if x > from {
					out = append(out, run{y: r.y, x0: from, x1: x})
				}
				from = x + 1
			}
		}
		if from < r.x1 {
			out = append(out, run{y: r.y, x0: from, x1: r.x1})
		}
	}
	return out
}

// columns holds, for each column of pixels, the first and last rows of rules.
type columns [][][2]int32

func (c columns) has(x, y int32) bool {
	for _, rows := range c[x] {
		if y >= rows[0] && y <= rows[1] {
			return true
		}
	}
	return false
}

func uprightRules(runs []run) columns {
	width := int32(0)
	for _, r := range runs {
		width = max(width, r.x1)
	}
	first, last := make([]int32, width), make([]int32, width) // rows of the edge that a column is in
	for x := range last {
		last[x] = -2
	}
	found := make(columns, width)
	end := func(x int32) {
		if last[x]-first[x]+1 >= ruleHeight {
			found[x] = append(found[x], [2]int32{first[x], last[x]})
		}
	}
	for _, r := range runs {
		for x := r.x0; x < r.x1; x++ {
			if last[x] != r.y-1 {
				end(x)
				first[x] = r.y
			}
			last[x] = r.y
		}
	}
	for x := range width {
		end(x)
	}
	return found
}
