package convnet

import (
	"math"
	"slices"
	"unicode"

	"github.com/windieos/windie/perception/ngram"
)

// symbol is what a class is to the table, and the least that the table is believed about it.
type symbol struct {
	symbol ngram.Symbol
	least  float64
}

// Choose has the model choose between what it is not sure of by a table of characters, folded as the model's own. It
// must not be called while the model reads.
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

// What makes a text worth another thought: a letter that is less than sure, or one that is hidden under a blank.
const (
	sure        = 0.97
	leastHidden = -4.0
)

// choose returns the peaks of the likeliest text. Most texts leave no doubt, and have their own.
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

// doubtful reports whether any text but that of the peaks is worth considering.
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

// settle sets how sure peaks are that the network alone would not have chosen, and that are there for what the
// table gains by them.
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

// absent is how likely a class is that is no candidate of a step.
const absent = -10.0

// align returns the peaks at which steps spell classes best.
func align(steps [][]candidate, classes []int) []peak {
	states := 2*len(classes) + 1            // a class each, and the blanks around them
	from := make([]int8, len(steps)*states) // by how many states the step before was behind
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
			peaks[s/2].see(steps[x], classes[s/2], x)
		}
		s -= int(from[x*states+s])
	}
	return peaks
}

func chanceOf(step []candidate, class int) float64 {
	for _, c := range step {
		if c.class == class {
			return c.chance
		}
	}
	return absent
}

// see adds step x to a peak of a class. The last step comes first.
func (p *peak) see(step []candidate, class, x int) {
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
