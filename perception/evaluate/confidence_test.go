package evaluate

import (
	"strings"
	"testing"
)

// A word counts in the bin of its confidence, the last one included.
func TestConfidences(t *testing.T) {
	t.Parallel()
	var c confidences
	for _, w := range []struct {
		said  float64
		right bool
	}{{0, false}, {0.499, true}, {0.9, true}, {0.949, false}, {0.95, true}, {1, true}} {
		c.add(w.said, w.right)
	}
	c.join(c)
	var b strings.Builder
	printBins(&b, c.bins())
	want := "words by their confidence:\n" +
		"  0.00 and more: 4 words, said 0.249, right 0.500\n" +
		"  0.90 and more: 4 words, said 0.924, right 0.500\n" +
		"  0.95 and more: 2 words, said 0.950, right 1.000\n" +
		"  0.98 and more: 2 words, said 1.000, right 1.000\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
