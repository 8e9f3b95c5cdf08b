package evaluate

import (
	"fmt"
	"io"
)

// confidenceEdges are where the bins of confidences begin.
var confidenceEdges = [...]float64{0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98}

// confidences count the words that were read by how sure the reader is of them.
type confidences [len(confidenceEdges)]struct {
	words, right int
	said         float64 // the sum of what is said of them
}

// add counts a word.
func (c *confidences) add(said float64, right bool) {
	k := 0
	for k+1 < len(confidenceEdges) && said >= confidenceEdges[k+1] {
		k++
	}
	b := &c[k]
	b.words, b.said = b.words+1, b.said+said
	if right {
		b.right++
	}
}

func (c *confidences) join(o confidences) {
	for k := range c {
		c[k].words, c[k].right, c[k].said = c[k].words+o[k].words, c[k].right+o[k].right, c[k].said+o[k].said
	}
}

// Bin is how many of the words are right that the reader is about as sure of.
type Bin struct {
	From  float64 `json:"from"` // the least confidence
	Words int     `json:"words"`
	Said  float64 `json:"said"`  // the mean of their confidences
	Right float64 `json:"right"` // of the words
}

// bins returns those that have words.
func (c *confidences) bins() (list []Bin) {
	for k, b := range c {
		if b.words > 0 {
			list = append(list, Bin{confidenceEdges[k], b.words, b.said / float64(b.words), ratio(b.right, b.words)})
		}
	}
	return list
}

func printBins(w io.Writer, bins []Bin) {
	if len(bins) == 0 {
		return
	}
	fmt.Fprintln(w, "words by their confidence:")
	for _, b := range bins {
		fmt.Fprintf(w, "  %.2f and more: %d words, said %.3f, right %.3f\n", b.From, b.Words, b.Said, b.Right)
	}
}
