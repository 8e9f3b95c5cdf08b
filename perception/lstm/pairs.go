package lstm

// pairs has the weights of a matrix for a kernel that adds 8-bit products in 16 bits, for inputs of
// 0 to 127. It pairs the groups of inputs of each panel so that no sum of four products overflows.
type pairs struct {
	packed []int8  // [pairs][2][lanes][group]; a group without a partner is paired with zeros
	at     []int32 // [pairs][2]: offset of the inputs of each group
	count  []int32 // number of pairs of each panel
}

// mostInPair is the maximum sum of four weights of one sign whose products with 127 fit into 16
// bits.
const mostInPair = (1<<15 - 1) / 127

// reach has the sums of the positive and of the negative weights of a group, for each two weights
// that the kernel adds first.
type reach [4 * lanes]int16

// reachOf returns the reach of a group of packed weights.
func reachOf(packed []int8) (r reach) {
	for i, f := range packed {
		at := i &^ 1 // the two weights of an addition share two entries, one for each sign
		if f < 0 {
			r[at+1] -= int16(f)
		} else {
			r[at] += int16(f)
		}
	}
	return r
}

// fits reports whether two groups can be a pair without an overflow of 16 bits.
func (r *reach) fits(o *reach) bool {
	for i, sum := range r {
		if sum+o[i] > mostInPair {
			return false
		}
	}
	return true
}

// pairsOf pairs each group with the first later group whose sums fit.
func pairsOf(m *matrix) *pairs {
	const size = lanes * group
	p := &pairs{count: make([]int32, m.panels)}
	reaches, taken := make([]reach, m.groups), make([]bool, m.groups)
	for panel := range m.panels {
		all := m.packed[panel*m.groups*size:][:m.groups*size]
		for g := range reaches {
			reaches[g], taken[g] = reachOf(all[g*size:][:size]), false
		}
		for g := range reaches {
			if taken[g] {
				continue
			}
			second, weights := g, make([]int8, size)
			for o := g + 1; o < m.groups; o++ {
				if !taken[o] && reaches[g].fits(&reaches[o]) {
					second, weights, taken[o] = o, all[o*size:][:size], true
					break
				}
			}
			p.packed = append(append(p.packed, all[g*size:][:size]...), weights...)
			p.at = append(p.at, int32(g*group), int32(second*group))
			p.count[panel]++
		}
	}
	return p
}
