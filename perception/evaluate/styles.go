package evaluate

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// styles counts answers by the style of the question, for example "terse" or "purpose".
type styles map[string]answers

// add adds the counts of o, style by style. s may be nil before it.
func (s *styles) add(o styles) {
	for name, a := range o {
		if *s == nil {
			*s = styles{}
		}
		sum := (*s)[name]
		sum.add(a)
		(*s)[name] = sum
	}
}

// count adds one answer of a style.
func (s *styles) count(style, expect string, right bool) {
	if style == "" {
		return
	}
	var a answers
	a.of(expect).count(right)
	s.add(styles{style: a})
}

// trust counts correct single points by tenths of their confidence.
type trust [10]part

// count counts one point. A confidence below 0 counts in the first tenth, one of 1 or more in the last.
func (t *trust) count(confidence float64, right bool) {
	t[max(0, min(len(t)-1, int(confidence*float64(len(t)))))].count(right)
}

// add adds the counts of o, tenth by tenth.
func (t *trust) add(o trust) {
	for i := range t {
		t[i].add(o[i])
	}
}

// from returns the count of the points with at least tenth tenths of confidence.
func (t *trust) from(tenth int) (sum part) {
	for _, p := range t[tenth:] {
		sum.add(p)
	}
	return sum
}

// sureTenth is the minimum tenth of a confident point.
const sureTenth = 8

// printStyles writes the answers by style and expected answer, and the accuracy by confidence.
func (l located) printStyles(w io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(l.Styles)) {
		a := l.Styles[name]
		fmt.Fprintf(w, "  %s: found %v, ambiguous %v, missing %v\n", name, a.Found, a.Ambiguous, a.Missing)
	}
	if l.Trust.from(0).Of == 0 {
		return
	}
	fmt.Fprintf(w, "  right points by confidence:")
	for i, p := range l.Trust {
		if p.Of > 0 {
			fmt.Fprintf(w, " .%d %.2f of %d;", i, p.ratio(), p.Of)
		}
	}
	fmt.Fprintf(w, " .%d and more %v\n", sureTenth, l.Trust.from(sureTenth))
}
