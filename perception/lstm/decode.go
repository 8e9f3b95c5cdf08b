package lstm

import (
	"fmt"
	"math"
	"strings"
)

// alphabet maps codes to characters.
type alphabet struct {
	spell   map[string]string // character by its codes, each as a rune
	one     []string          // character by its single code; empty for other codes
	longest int               // maximum number of codes of a character
}

// special reports whether an entry represents no character, although it has a code.
func special(char string) bool { return char == "Joined" || strings.HasPrefix(char, "|Broken|") }

// newAlphabet maps the codes of each character to the character. Of characters with the same codes, the first wins. A
// code that the network does not have is an error.
func newAlphabet(chars []string, codes [][]int, n *network) (*alphabet, error) {
	if len(codes) > len(chars) {
		return nil, fmt.Errorf("the file has codes for %d characters, but contains only %d characters", len(codes), len(chars))
	}
	a := &alphabet{spell: map[string]string{}, one: make([]string, n.scores.outputs)}
	for i, list := range codes {
		var key strings.Builder
		for _, code := range list {
			if code < 0 || code >= n.scores.outputs {
				return nil, fmt.Errorf("character %d has the invalid code %d; the network has %d codes", i, code, n.scores.outputs)
			}
			key.WriteRune(rune(code))
		}
		if len(list) == 0 || special(chars[i]) || a.spell[key.String()] != "" {
			continue
		}
		a.spell[key.String()] = chars[i]
		a.longest = max(a.longest, len(list))
		if len(list) == 1 {
			a.one[list[0]] = chars[i]
		}
	}
	return a, nil
}

// peak is a run of steps with the same best code.
type peak struct {
	code, next       int // next is the second best code, without the blank; -1 if there is none
	score, nextScore float64
	from, to         int // steps, to exclusive
}

// peaks collects the runs of a strip step by step, except runs of the blank.
type peaks struct {
	list  []peak
	last  int // best code of the previous step
	steps int
}

// reset prepares p for the first step of another strip.
func (p *peaks) reset(blank int) { p.list, p.last, p.steps = p.list[:0], blank, 0 }

// add processes the next step. raw has the sums of its scores, scale the factor of each.
func (p *peaks) add(raw []int32, scale []float32, blank int) {
	best, next := best(raw, scale, blank)
	if best != blank {
		step := peak{code: best, next: next, from: p.steps, to: p.steps + 1}
		step.score, step.nextScore = certainty(raw, scale, best, next)
		if best == p.last {
			p.list[len(p.list)-1].join(step)
		} else {
			p.list = append(p.list, step)
		}
	}
	p.last = best
	p.steps++
}

// join extends p to the end of o. The more certain of the two determines the scores.
func (p *peak) join(o peak) {
	if o.score > p.score {
		p.score, p.next, p.nextScore = o.score, o.next, o.nextScore
	}
	p.to = o.to
}

// best returns the code of the highest score, and the code of the next one that is not the blank,
// or -1.
func best(raw []int32, scale []float32, blank int) (best, next int) {
	best, next = -1, -1
	var top, second float32
	for i, sum := range raw {
		s := float32(sum) * scale[i]
		if best < 0 || s > top {
			if best >= 0 && best != blank {
				next, second = best, top
			}
			best, top = i, s
		} else if i != blank && (next < 0 || s > second) {
			next, second = i, s
		}
	}
	return best, next
}

// certainty returns the softmax probabilities of best and next.
func certainty(raw []int32, scale []float32, best, next int) (ofBest, ofNext float64) {
	const negligible = -12 // e^-12 is negligible beside 1
	top := float32(float32(raw[best]) * scale[best])
	sum := 0.0
	for i, r := range raw {
		if d := float32(float32(r)*scale[i]) - top; d > negligible {
			sum += math.Exp(float64(d))
		}
	}
	if next >= 0 {
		ofNext = math.Exp(float64(float32(float32(raw[next])*scale[next])-top)) / sum
	}
	return 1 / sum, ofNext
}

// spellOut turns peaks into characters. Where several characters fit, it takes the one with the
// most codes.
func (a *alphabet) spellOut(peaks []peak) Reading {
	out := make(Reading, 0, len(peaks))
	for len(peaks) > 0 {
		used := 1
		for n := min(a.longest, len(peaks)); n > 0; n-- {
			if text := a.text(peaks[:n]); text != "" {
				out = append(out, a.char(text, peaks[:n]))
				used = n
				break
			}
		}
		peaks = peaks[used:]
	}
	return out
}

// text returns the character whose codes are those of all peaks, or "".
func (a *alphabet) text(peaks []peak) string {
	if len(peaks) == 1 {
		return a.one[peaks[0].code]
	}
	var key strings.Builder
	for _, p := range peaks {
		key.WriteRune(rune(p.code))
	}
	return a.spell[key.String()]
}

// char returns the Char for the peaks of text. Its confidence is that of the least certain peak.
func (a *alphabet) char(text string, peaks []peak) Char {
	c := Char{Text: text, Confidence: 1, From: pool * peaks[0].from, To: pool * peaks[len(peaks)-1].to}
	for _, p := range peaks {
		c.Confidence = min(c.Confidence, p.score)
	}
	if p := peaks[0]; len(peaks) == 1 && p.next >= 0 && a.one[p.next] != "" {
		c.Else, c.ElseScore = a.one[p.next], p.nextScore
	}
	return c
}
