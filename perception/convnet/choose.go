package convnet

import (
	"math"
	"slices"
	"unicode"

	"github.com/windieos/windie/perception/ngram"
)

// symbol is a class's symbol in the table, with the minimum probability to use for it.
type symbol struct {
	symbol ngram.Symbol
	least  float64
}

// Choose sets the table of n-grams that decides between characters if the network is unsure. If the
// table is nil, only the network decides. The characters in the table must be folded in the same
// way as the model's alphabet. Callers must not call Choose while the model reads.
func (m *Model) Choose(table *ngram.Model) {
	m.table, m.space = table, table.Symbol(' ')
	m.symbols = make([]symbol, 1+len(m.alphabet))
	for i, r := range m.alphabet {
		s := symbol{table.Symbol(r), leastSign}
		if unicode.IsLetter(r) || r == ' ' {
			s.least = leastLetter
		}
		m.symbols[i+1] = s
	}
}

// Thresholds for a text that is worth the search of likeliest: a letter with a lower probability
// than sure, or a letter hidden under a blank with at least leastHidden.
const (
	sure        = 0.97
	leastHidden = -4.0
)

// choose returns the peaks of the likeliest text. For most texts the network leaves no doubt, and
// the result is w.peaks.
func (m *Model) choose(w *workspace) []peak {
	if m.table == nil || !w.doubtful() {
		return w.peaks
	}
	steps := make([][]candidate, len(w.steps))
	for i := range steps {
		steps[i] = w.step(i)
	}
	classes := m.likeliest(steps)
	if slices.EqualFunc(w.peaks, classes, func(p peak, class int) bool { return p.class == class }) {
		return w.peaks
	}
	peaks := align(steps, classes)
	was := make([]int, len(w.peaks))
	for i, p := range w.peaks {
		was[i] = p.class
	}
	settle(peaks, m.worth(classes)-m.worth(was))
	return peaks
}

// step returns the candidates of step i.
func (w *workspace) step(i int) []candidate {
	if i+1 < len(w.steps) {
		return w.candidates[w.steps[i]:w.steps[i+1]]
	}
	return w.candidates[w.steps[i]:]
}

// doubtful reports whether a text other than the peaks is worth considering.
func (w *workspace) doubtful() bool {
	for _, p := range w.peaks {
		if p.score < sure || p.nextScore > leastDoubt {
			return true
		}
	}
	best := func(i int) int {
		if i < 0 || i >= len(w.steps) {
			return 0
		}
		return w.candidates[w.steps[i]].class
	}
	for i := range w.steps {
		step := w.step(i)
		if step[0].class != 0 {
			continue
		}
		for _, c := range step[1:] {
			if c.chance > leastHidden && c.class != best(i-1) && c.class != best(i+1) {
				return true
			}
		}
	}
	return false
}

// settle sets the scores of the peaks that the network alone would not have chosen. gain is the
// improvement of the table's weight by all of these peaks together.
func settle(peaks []peak, gain float64) {
	changed := 0.0
	for _, p := range peaks {
		if p.nextScore > p.score {
			changed++
		}
	}
	for i := range peaks {
		if p := &peaks[i]; p.nextScore > p.score {
			odds := p.score / p.nextScore * math.Exp(gain/changed)
			p.score, p.nextScore = odds/(1+odds), 1/(1+odds)
		}
	}
}

// absent is the probability of a class that is not a candidate of a step, as a logarithm.
const absent = -10.0

// align returns the peaks of the best alignment of classes to steps.
func align(steps [][]candidate, classes []int) []peak {
	states := 2*len(classes) + 1            // one for each class, and the blanks around them
	from := make([]int8, len(steps)*states) // distance to the state at the previous step
	last, next := make([]float64, states), make([]float64, states)
	for s := 1; s < states; s++ {
		last[s] = never
	}
	for x, step := range steps {
		for s := range states {
			best, behind := last[s], int8(0)
			if s > 0 && last[s-1] > best {
				best, behind = last[s-1], 1
			}
			if s > 1 && s%2 == 1 && classes[s/2] != classes[s/2-1] && last[s-2] > best {
				best, behind = last[s-2], 2
			}
			class := 0
			if s%2 == 1 {
				class = classes[s/2]
			}
			next[s], from[x*states+s] = best+chanceOf(step, class), behind
		}
		last, next = next, last
	}
	s := states - 1
	if s > 0 && last[s-1] > last[s] {
		s--
	}
	peaks := make([]peak, len(classes))
	for x := len(steps) - 1; x >= 0; x-- {
		if s%2 == 1 {
			peaks[s/2].addStep(steps[x], classes[s/2], x)
		}
		s -= int(from[x*states+s])
	}
	return peaks
}

// chanceOf returns the probability of a class in a step, as a logarithm; absent if the class is no candidate.
func chanceOf(step []candidate, class int) float64 {
	for _, c := range step {
		if c.class == class {
			return c.chance
		}
	}
	return absent
}

// addStep adds step x to a peak of a class. Callers add steps from the last to the first.
func (p *peak) addStep(step []candidate, class, x int) {
	if p.class == 0 {
		p.class, p.to, p.score = class, x+1, -1
	}
	p.from = x
	score := math.Exp(chanceOf(step, class))
	if score <= p.score {
		return
	}
	p.score, p.next, p.nextScore = score, 0, 0
	for _, c := range step {
		if chance := math.Exp(c.chance); c.class != 0 && c.class != class && chance > p.nextScore {
			p.next, p.nextScore = c.class, chance
		}
	}
}
