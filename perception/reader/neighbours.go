package reader

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Characters that look alike, as I, l and 1, are distinguished by what stands beside them where the network
// wavers: by how often each does between neighbours of these kinds.

//go:embed neighbours.txt
var neighboursFile string // training/windie_training/neighbours.py counted

// leastDoubt is how sure the network must be of its second choice for it to be considered.
const leastDoubt = 0.01

// counts returns how often a character of a family stands between two kinds of neighbours, by the
// character, then the kinds.
var counts = sync.OnceValue(func() map[string]map[string]float64 {
	table := map[string]map[string]float64{}
	for line := range strings.Lines(neighboursFile) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		for i, c := range strings.Split(fields[0], "") {
			if table[c] == nil {
				table[c] = map[string]float64{}
			}
			n, _ := strconv.ParseFloat(fields[2+i], 64) // the file is a good one, as its test sees
			table[c][fields[0]+" "+fields[1]] = n + 0.5
		}
	}
	return table
})

// weigh chooses between the network's first and second choice for characters that look alike.
func (p *spelling) weigh() {
	for i := range p.letters {
		l := &p.letters[i]
		if l.otherSure < leastDoubt {
			continue
		}
		kinds := p.kind(i, -1) + p.kind(i, 1)
		for context, n := range counts()[l.text] {
			other, alike := counts()[l.other][context]
			if alike && strings.HasSuffix(context, " "+kinds) && l.otherSure*other > l.confidence*n {
				l.text, l.other = l.other, l.text
				l.confidence, l.otherSure = l.otherSure, l.confidence
				break
			}
		}
	}
}

// kind returns of which kind the neighbour of a letter is, as in the file.
func (p *spelling) kind(i, step int) string {
	if step < 0 && p.letters[i].space || step > 0 && i+1 < len(p.letters) && p.letters[i+1].space || i+step < 0 || i+step == len(p.letters) {
		return "e"
	}
	switch r := []rune(p.letters[i+step].text)[0]; {
	case unicode.IsUpper(r):
		return "u"
	case unicode.IsLetter(r):
		return "l"
	case unicode.IsDigit(r):
		return "d"
	}
	return "m"
}
