package convnet

import (
	"cmp"
	"math"
	"slices"

	"github.com/windieos/windie/perception/ngram"
)

// candidate is a possible class of a step with its probability by the network. All probabilities in
// this file are natural logarithms.
type candidate struct {
	class  int
	chance float64
}

const (
	leastChance = -4.5 // minimum difference to the best class of the step
	beamWidth   = 8    // maximum number of hypotheses
	beamReach   = 12.0 // maximum difference to the best hypothesis
)

// Weights of the table beside the network. The table makes each longer text less likely;
// letterBonus compensates. Signs that are rare in the table are common in code, so the table counts
// little against them.
const (
	tableWeight = 0.4
	letterBonus = 1.4
	leastLetter = -6.0 // minimum probability from the table for a letter or a space
	leastSign   = -3.5 // minimum for a digit or a mark
)

// prefix is a possible text of the steps so far: a shorter prefix and one class more.
type prefix struct {
	parent, class int32
	next          int32 // another prefix with the same parent, or -1
	child         int32 // the last prefix that extends this one, or -1
	state         ngram.State
	worth         float64 // sum of the table's weights of its characters
}

// hypothesis is a prefix with the probability that the steps so far spell it. blank is for
// spellings that end in a blank, letter for the others.
type hypothesis struct {
	prefix        int32
	blank, letter float64
	score         float64 // total plus the prefix's worth; valid after the first step
}

// total returns the probability of both kinds of spellings together, as a logarithm.
func (h *hypothesis) total() float64 { return addLog(h.blank, h.letter) }

var never = math.Inf(-1)

// addLog returns the logarithm of the sum of two probabilities.
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
	prefixes  []prefix // the first is the empty text
	now, next []hypothesis
}

// likeliest returns the classes of the likeliest text, by the network and the table together.
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

// step extends the hypotheses by one step.
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
				if h.letter > never { // the same letter continues
					n := b.at(h.prefix)
					n.letter = addLog(n.letter, h.letter+c.chance)
				}
				if h.blank > never { // a second occurrence of the letter
					n := b.at(b.child(h.prefix, c.class))
					n.letter = addLog(n.letter, h.blank+c.chance)
				}
			}
		}
	}
	b.now, b.next = b.next, b.now
	b.prune()
}

// at returns the hypothesis of a prefix after the current step, and adds it if it is missing.
func (b *beam) at(prefix int32) *hypothesis {
	for i := range b.next {
		if b.next[i].prefix == prefix {
			return &b.next[i]
		}
	}
	b.next = append(b.next, hypothesis{prefix: prefix, blank: never, letter: never})
	return &b.next[len(b.next)-1]
}

// child returns the prefix that extends another one by a class, and adds it if it is missing.
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

// prune keeps at most beamWidth hypotheses, the likeliest ones first.
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

// after returns the state after a class, and the table's weight of the class in state before.
func (m *Model) after(before ngram.State, class int) (ngram.State, float64) {
	state, chance := m.table.Next(before, m.symbols[class].symbol)
	return state, float64(tableWeight*max(chance, m.symbols[class].least)) + letterBonus
}

// end returns the table's weight of the end of a text.
func (m *Model) end(state ngram.State) float64 {
	_, chance := m.table.Next(state, m.space)
	return tableWeight * max(chance, leastLetter)
}

// worth returns the table's weight of a whole text.
func (m *Model) worth(classes []int) (sum float64) {
	state := m.table.Start()
	for _, c := range classes {
		next, worth := m.after(state, c)
		state, sum = next, sum+worth
	}
	return sum + m.end(state)
}
