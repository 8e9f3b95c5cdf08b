package sentence

import (
	"cmp"
	"math"
	"slices"
)

// likely is a step as the network reads it.
type likely struct {
	step Step
	end  int      // of its words
	sure float64  // how likely all of it is right
	used [][2]int // the words of its nouns, texts, and keys
}

// uses notes that words have a part in the step.
func (l *likely) uses(i, j int) { l.used = append(l.used, [2]int{i, j}) }

// left returns the number of things that the words of the step name as a whole, and that have no part in it.
func (l *likely) left(mentions []Mention) (n int) {
	to := 0
	for _, m := range mentions {
		if m.To > l.end || m.From < to || m.Facts[isWholeName] == 0 || m.IsInLonger() {
			continue
		}
		if !slices.ContainsFunc(l.used, func(u [2]int) bool { return u[0] < m.To && m.From < u[1] }) {
			n++
			to = m.To
		}
	}
	return n
}

// leftOver is by how much less likely a step is right for each thing that it names and leaves out.
const leftOver = 0.5

// Limits of what is tried: ends of the first step, and acts of it.
const (
	maxEnds    = 5
	maxActs    = 4
	leastStart = 0.1  // how likely a step must begin at a word to be tried
	leastAct   = 0.02 // how likely an act must be to be tried
)

// learned reads the first step of a sentence by the network. ok is false if it is no step.
func (p *parser) learned() (best likely, ok bool) {
	if len(p.screen) == 0 || len(p.tokens) == 0 || len(p.tokens) > maxRead {
		return best, false
	}
	c := p.clues()
	s := reader.see(c.Words)
	sure := 1.0
	ends := 0
	for end := 1; end <= len(c.Words) && ends < maxEnds; end++ {
		starts := 1.0
		if end < len(c.Words) {
			starts = s.starts[end]
		}
		if starts >= leastStart {
			ends++
			part := segment(s.words[:end])
			all := softmax(reader.act.of(part))
			for _, act := range likeliest(all) {
				l := likely{end: end, sure: sure * starts * all[act]}
				if l.sure <= best.sure || !p.fill(&l, act, c, s, part) {
					continue
				}
				if Acts[act] != "press" {
					l.sure *= math.Pow(leftOver, float64(l.left(c.Mentions)))
				}
				if len(l.step.Target.Things) > 1 || len(l.step.To.Things) > 1 {
					l.sure *= leftOver
				}
				if l.sure > best.sure {
					best, ok = l, true
				}
			}
		}
		if end < len(c.Words) {
			sure *= 1 - s.starts[end]
		}
	}
	return best, ok
}

// likeliest returns the acts that are likely enough to be tried, the likeliest first. What must not be carried out is
// nothing to try.
func likeliest(all []float64) (list []int) {
	for act, v := range all {
		if v >= leastAct && Acts[act] != "ask" {
			list = append(list, act)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(all[b], all[a]) })
	return list[:min(len(list), maxActs)]
}

// left returns what is left of a sentence after its first step. If that says "it" of what the step is done to, it has the name.
func (p *parser) left(l likely) string {
	rest := p.resolved(p.rest(l.end), reading{step: l.step, end: l.end})
	if len(l.step.Target.Things) != 1 {
		return rest
	}
	named, ok := WithName(rest, p.screen[l.step.Target.Things[0]].Name)
	if !ok {
		return rest
	}
	plain, _ := newParser(rest, p.screen).learned()
	if other, _ := newParser(named, p.screen).learned(); other.sure > plain.sure {
		return named
	}
	return rest
}

// maxRead is the maximum number of words that the network reads.
const maxRead = 80

// run is some words with the same role.
type run struct {
	role, from, to int
	sure           float64
}

// runs returns the words that are values, keys and parts of paths.
func runs(likely [][]float64) (list []run) {
	for i, all := range likely {
		role := 0
		for k, v := range all {
			if v > all[role] {
				role = k
			}
		}
		last := len(list) - 1
		switch {
		case role == NoRole:
		case last >= 0 && list[last].to == i && role == list[last].role+1:
			list[last].to++
			list[last].sure = min(list[last].sure, all[role])
		case role == ValueBegin || role == KeyBegin || role == PathBegin:
			list = append(list, run{role, i, i + 1, all[role]})
		default:
			list = append(list, run{role - 1, i, i + 1, all[role] / 2})
		}
	}
	return list
}
