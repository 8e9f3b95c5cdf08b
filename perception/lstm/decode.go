package lstm

import (
	"fmt"
	"math"
	"strings"
)

// alphabet tells what codes spell.
type alphabet struct {
	spell map[string]string // by the codes of a character, each as a rune
	one   []string          // by a code that is a character by itself; empty for others
	most  int               // codes of a character
}

func newAlphabet(chars []string, codes [][]int, n *network) (*alphabet, error) {
	a := &alphabet{spell: map[string]string{}, one: make([]string, n.scores.outputs)}
	for i, list := range codes {
		if i >= len(chars) {
			return nil, fmt.Errorf("there are %d codes for %d characters", len(codes), len(chars))
		}
		var key strings.Builder
		for _, code := range list {
			if code < 0 || code >= n.scores.outputs {
				return nil, fmt.Errorf("character %d has the code %d of %d", i, code, n.scores.outputs)
			}
			key.WriteRune(rune(code))
		}
		// Some entries stand for no character of their own, and share codes
		// with one before.
		if len(list) == 0 || len(list) == 1 && list[0] == n.blank || a.spell[key.String()] != "" {
			continue
		}
		a.spell[key.String()] = chars[i]
		a.most = max(a.most, len(list))
		if len(list) == 1 {
			a.one[list[0]] = chars[i]
		}
	}
	return a, nil
}

// peak is a run of steps whose best code is the same.
type peak struct {
	code, next       int // next is the best of the others, without the blank
	score, nextScore float64
	from, to         int // steps
}

// decode spells the best code of each step, given the sums of the scores.
func (a *alphabet) decode(raw []int32, n *network, steps int) Reading {
	m := n.scores
	width := m.panels * lanes
	var peaks []peak
	last := n.blank
	for t := range steps {
		p := bestOf(raw[t*width:][:m.outputs], m.scale, n.blank)
		p.from, p.to = t, t+1
		switch {
		case p.code == n.blank:
		case p.code != last:
			peaks = append(peaks, p)
		default:
			peaks[len(peaks)-1].join(p)
		}
		last = p.code
	}
	return a.spellOut(peaks)
}

func (p *peak) join(o peak) {
	if o.score > p.score {
		p.score, p.next, p.nextScore = o.score, o.next, o.nextScore
	}
	p.to = o.to
}

// bestOf returns the best two codes of one step, and how sure the network is
// of them: the softmax of the scores.
func bestOf(raw []int32, scale []float32, blank int) peak {
	best, next := -1, -1
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
	const negligible = 12 // e^-12 is nothing beside 1
	sum := 0.0
	for i, r := range raw {
		if d := top - float32(r)*scale[i]; d < negligible {
			sum += math.Exp(-float64(d))
		}
	}
	p := peak{code: best, next: next, score: 1 / sum}
	if next >= 0 {
		p.nextScore = math.Exp(float64(second-top)) / sum
	}
	return p
}

// spellOut turns peaks into characters, the longest that their codes spell
// first. Codes that spell nothing are left out.
func (a *alphabet) spellOut(peaks []peak) Reading {
	out := make(Reading, 0, len(peaks))
	for len(peaks) > 0 {
		used := 1
		for n := min(a.most, len(peaks)); n > 0; n-- {
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

func (a *alphabet) char(text string, peaks []peak) Char {
	c := Char{Text: text, Confidence: 1, From: pool * peaks[0].from, To: pool * peaks[len(peaks)-1].to}
	for _, p := range peaks {
		c.Confidence = min(c.Confidence, p.score)
	}
	if p := peaks[0]; len(peaks) == 1 && p.next >= 0 {
		c.Else, c.ElseScore = a.one[p.next], p.nextScore
	}
	return c
}
