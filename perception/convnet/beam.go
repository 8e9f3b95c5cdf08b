package convnet

import (
	"cmp"
	"math"
	"slices"

	"github.com/windieos/windie/perception/ngram"
)

// candidate is what a step may be, with how likely that is by the network. All likelihoods are logarithms.
type candidate struct {
	class  int
	chance float64
}

const (
	leastChance = -4.5 // of a candidate beside the best one
	beamWidth   = 8    // texts that are followed
	beamReach   = 12.0 // how much less likely than the best they may be
)

// How much the table counts beside the network. The table makes all long texts unlikely, which the bonus evens
// out. Signs that are rare in the table are common in codes, so that it says little against them.
const (
	tableWeight = 0.4
	letterBonus = 1.4
	leastLetter = -6.0 // what the table makes of a letter or a space at least
	leastSign   = -3.5 // and of a figure or a mark
)

// prefix is a text that the steps up to one may spell: another and a class.
type prefix struct {
	parent, class int32
	next          int32 // another prefix with the same parent, or -1
	child         int32 // the last one that goes on from it, or -1
	state         ngram.State
	worth         float64 // of its characters by the table
}

// hypothesis is a prefix with how likely it is that the steps spell it, those that end with a blank apart.
type hypothesis struct {
	prefix        int32
	blank, letter float64
	score         float64 // with what the table makes of the prefix; set once it has seen a step
}

func (h *hypothesis) total() float64 { return addLog(h.blank, h.letter) }

var never = math.Inf(-1)

// addLog adds two likelihoods.
func addLog(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if b == never {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// beam follows the likeliest texts from step to step.
type beam struct {
	model     *Model
	prefixes  []prefix // the first is empty
	now, next []hypothesis
}

// likeliest returns the classes of the likeliest text, by the network and the table.
func (m *Model) likeliest(steps [][]candidate) (classes []int) {
	b := beam{model: m, now: []hypothesis{{blank: 0, letter: never}}}
	b.prefixes = append(b.prefixes, prefix{parent: -1, class: -1, next: -1, child: -1, state: m.table.Start()})
	for _, s := range steps {
		b.step(s)
	}
	best, top := int32(0), never
	for i := range b.now {
		h := &b.now[i]
		if s := h.total() + b.prefixes[h.prefix].worth + m.end(b.prefixes[h.prefix].state); s > top {
			best, top = h.prefix, s
		}
	}
	for ; best > 0; best = b.prefixes[best].parent {
		classes = append(classes, int(b.prefixes[best].class))
	}
	slices.Reverse(classes)
	return classes
}

// step goes on by a step.
func (b *beam) step(candidates []candidate) {
	b.next = b.next[:0]
	for _, h := range b.now {
		total, last := h.total(), int(b.prefixes[h.prefix].class)
		for _, c := range candidates {
			switch {
			case c.class == 0:
				n := b.at(h.prefix)
				n.blank = addLog(n.blank, total+c.chance)
			case c.class != last:
				n := b.at(b.child(h.prefix, c.class))
				n.letter = addLog(n.letter, total+c.chance)
			default:
				if h.letter > never { // the same letter goes on
					n := b.at(h.prefix)
					n.letter = addLog(n.letter, h.letter+c.chance)
				}
				if h.blank > never { // another one like it
					n := b.at(b.child(h.prefix, c.class))
					n.letter = addLog(n.letter, h.blank+c.chance)
				}
			}
		}
	}
	b.now, b.next = b.next, b.now
	b.prune()
}

// at returns the next hypothesis of a prefix.
func (b *beam) at(prefix int32) *hypothesis {
	for i := range b.next {
		if b.next[i].prefix == prefix {
			return &b.next[i]
		}
	}
	b.next = append(b.next, hypothesis{prefix: prefix, blank: never, letter: never})
	return &b.next[len(b.next)-1]
}

// child returns the prefix that goes on from another with a class.
func (b *beam) child(at int32, class int) int32 {
	for k := b.prefixes[at].child; k >= 0; k = b.prefixes[k].next {
		if b.prefixes[k].class == int32(class) {
			return k
		}
	}
	before := &b.prefixes[at]
	state, worth := b.model.after(before.state, class)
	k := int32(len(b.prefixes))
	p := prefix{parent: at, class: int32(class), next: before.child, child: -1, state: state, worth: before.worth + worth}
	before.child = k
	b.prefixes = append(b.prefixes, p)
	return k
}

// prune leaves the likeliest.
func (b *beam) prune() {
	if len(b.now) < 2 {
		return
	}
	for i := range b.now {
		h := &b.now[i]
		h.score = h.total() + b.prefixes[h.prefix].worth
	}
	slices.SortStableFunc(b.now, func(x, y hypothesis) int { return cmp.Compare(y.score, x.score) })
	n := min(len(b.now), beamWidth)
	for least := b.now[0].score - beamReach; b.now[n-1].score < least; {
		n--
	}
	b.now = b.now[:n]
}

// after returns the state after a class, and what the table makes of that.
func (m *Model) after(before ngram.State, class int) (ngram.State, float64) {
	state, chance := m.table.Next(before, m.symbols[class].symbol)
	return state, float64(tableWeight*max(chance, m.symbols[class].least)) + letterBonus
}

// end returns what the table makes of a text that ends.
func (m *Model) end(state ngram.State) float64 {
	_, chance := m.table.Next(state, m.space)
	return tableWeight * max(chance, leastLetter)
}

// worth returns what the table makes of a text.
func (m *Model) worth(classes []int) (sum float64) {
	state := m.table.Start()
	for _, c := range classes {
		next, worth := m.after(state, c)
		state, sum = next, sum+worth
	}
	return sum + m.end(state)
}
