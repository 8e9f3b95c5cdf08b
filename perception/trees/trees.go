// Package trees predicts a probability from numbers with boosted trees. It also trains them.
//
//	m := trees.Train(rows, right, trees.Options{})
//	p := m.Predict(row)
//
// A model is a sum of small regression trees. Each tree corrects the sum of the trees before it
// (Friedman, "Greedy function approximation: a gradient boosting machine", 2001). A model takes
// some hundred KB of memory, and a prediction takes microseconds.
package trees

import (
	"encoding/binary"
	"errors"
	"math"
)

// Model is a set of trees. It is safe for concurrent use.
type Model struct {
	base  float32
	nodes []node
	roots []int32
}

// node compares a number of the row with a threshold and continues left if it is at most the
// threshold. A leaf has a result instead.
type node struct {
	feature     int16 // index of the number; -1 in a leaf
	left, right uint16
	value       float32 // the threshold, or the result of a leaf
}

// Predict returns the probability, 0..1, that a row is right. The row must have the width of the
// training rows.
func (m *Model) Predict(row []float32) float64 { return logistic(m.Score(row)) }

// Score returns the natural logarithm of the odds that a row is right. The row must have the width
// of the training rows.
func (m *Model) Score(row []float32) float64 {
	sum := m.base
	for _, root := range m.roots {
		tree := m.nodes[root:]
		at := 0
		for tree[at].feature >= 0 {
			if row[tree[at].feature] <= tree[at].value {
				at = int(tree[at].left)
			} else {
				at = int(tree[at].right)
			}
		}
		sum += tree[at].value
	}
	return float64(sum)
}

// logistic converts the natural logarithm of odds to a probability.
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Sizes of an encoded model, in bytes.
const (
	headSize = 12
	nodeSize = 10
)

var errBroken = errors.New("trees: the model is incomplete or invalid")

// Encode returns the model in the format that Decode parses.
func (m *Model) Encode() []byte {
	b := binary.LittleEndian
	out := b.AppendUint32(nil, math.Float32bits(m.base))
	out = b.AppendUint32(out, uint32(len(m.roots)))
	out = b.AppendUint32(out, uint32(len(m.nodes)))
	for _, r := range m.roots {
		out = b.AppendUint32(out, uint32(r))
	}
	for _, n := range m.nodes {
		out = b.AppendUint16(out, uint16(n.feature))
		out = b.AppendUint16(out, n.left)
		out = b.AppendUint16(out, n.right)
		out = b.AppendUint32(out, math.Float32bits(n.value))
	}
	return out
}

// Decode parses a model for rows of the given width. It fails if data is damaged, or if the model
// needs wider rows.
func Decode(data []byte, width int) (*Model, error) {
	b := binary.LittleEndian
	if len(data) < headSize {
		return nil, errBroken
	}
	roots, nodes := int(b.Uint32(data[4:])), int(b.Uint32(data[8:]))
	if roots > len(data) || nodes > len(data) || len(data) != headSize+4*roots+nodeSize*nodes {
		return nil, errBroken
	}
	m := &Model{base: math.Float32frombits(b.Uint32(data)), roots: make([]int32, roots), nodes: make([]node, nodes)}
	at := data[headSize:]
	for i := range m.roots {
		if m.roots[i], at = int32(b.Uint32(at)), at[4:]; int(m.roots[i]) >= nodes || m.roots[i] < 0 {
			return nil, errBroken
		}
	}
	for i := range m.nodes {
		m.nodes[i] = node{int16(b.Uint16(at)), b.Uint16(at[2:]), b.Uint16(at[4:]), math.Float32frombits(b.Uint32(at[6:]))}
		at = at[nodeSize:]
	}
	return m, m.check(width)
}

// check returns an error unless each branch leads to a later node of the same tree.
func (m *Model) check(width int) error {
	for r, root := range m.roots {
		end := len(m.nodes)
		if r+1 < len(m.roots) {
			end = int(m.roots[r+1])
		}
		for i := int(root); i < end; i++ {
			n, at := m.nodes[i], i-int(root)
			if n.feature >= 0 && (int(n.feature) >= width || int(min(n.left, n.right)) <= at || int(root)+int(max(n.left, n.right)) >= end) {
				return errBroken
			}
		}
		if int(root) >= end {
			return errBroken
		}
	}
	return nil
}
