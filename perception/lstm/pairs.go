package lstm

// pairs are the weights of a matrix for a kernel that adds up products of 8 bits in 16, for inputs from 0 to 127. In
// each panel the groups of inputs stand two by two, so that no sum of four products is too large for 16 bits.
type pairs struct {
	packed []int8  // [pairs][2][lanes][group]; a group without a partner stands before one of zeros
	at     []int32 // [pairs][2]: where the inputs of each group begin
	count  []int32 // pairs of each panel
}

// mostInPair is the largest sum of four weights of one sign that inputs of 127 do not take out of 16 bits.
const mostInPair = (1<<15 - 1) / 127

// reach is the sums of the positive and of the negative weights of a group, of each two that are added up first.
type reach [4 * lanes]int16

func reachOf(packed []int8) (r reach) {
	for i, f := range packed {
		at := i &^ 1 // the two of an addition, and the two signs
		if f < 0 {
			r[at+1] -= int16(f)
		} else {
			r[at] += int16(f)
		}
	}
	return r
}

func (r *reach) fits(o *reach) bool {
	for i, sum := range r {
		if sum+o[i] > mostInPair {
			return false
		}
	}
	return true
}

// pairsOf pairs each group with the first one that it fits.
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
