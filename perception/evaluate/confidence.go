package evaluate

import (
	"fmt"
	"io"
)

// confidenceEdges are the lower limits of the bins of confidence.
var confidenceEdges = [...]float64{0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98}

// confidences counts read words by their confidence.
type confidences [len(confidenceEdges)]struct {
	words, right int
	sum          float64 // sum of the confidences
}

// add counts a word with its confidence.
func (c *confidences) add(confidence float64, right bool) {
	k := 0
	for k+1 < len(confidenceEdges) && confidence >= confidenceEdges[k+1] {
		k++
	}
	b := &c[k]
	b.words, b.sum = b.words+1, b.sum+confidence
	if right {
		b.right++
	}
}

// join adds the counts of o, bin by bin.
func (c *confidences) join(o confidences) {
	for k := range c {
		c[k].words, c[k].right, c[k].sum = c[k].words+o[k].words, c[k].right+o[k].right, c[k].sum+o[k].sum
	}
}

// Bin has the counts of the words whose confidence is in one range.
type Bin struct {
	// From is the minimum confidence of the words. The upper limit is the From of the next bin.
	From float64 `json:"from"`
	// Words is the number of words.
	Words int     `json:"words"`
	Said  float64 `json:"said"`  // mean confidence of these words, 0..1
	Right float64 `json:"right"` // share of these words that are correct, 0..1
}

// bins returns the bins that have words.
func (c *confidences) bins() (list []Bin) {
	for k, b := range c {
		if b.words > 0 {
			list = append(list, Bin{confidenceEdges[k], b.words, b.sum / float64(b.words), ratio(b.right, b.words)})
		}
	}
	return list
}

// printBins writes one line for each bin, and nothing at all without bins.
func printBins(w io.Writer, bins []Bin) {
	if len(bins) == 0 {
		return
	}
	fmt.Fprintln(w, "words by their confidence:")
	for _, b := range bins {
		fmt.Fprintf(w, "  %.2f and more: %d words, said %.3f, right %.3f\n", b.From, b.Words, b.Said, b.Right)
	}
}
