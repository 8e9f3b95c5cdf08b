// Package ngram returns the probability that a character follows the characters before it.
//
//	model, err := ngram.Load(data) // a file that perception/training wrote
//	state := model.Start()         // before a line, and after any space
//	state, p := model.Next(state, model.Symbol('a'))
//
// A model is a table of frequent sequences of up to maxOrder characters. For each sequence, the
// table has the probability that the last character follows the other characters. If the table
// lacks a sequence, the model uses a shorter sequence, at a cost that the table states. All
// probabilities are natural logarithms.
package ngram

// Model is a table of frequent sequences of characters. It is safe for concurrent use.
type Model struct {
	symbols map[rune]Symbol
	// the root, then sequences of one symbol, of two and so on, each length sorted by prefix, then
	// by last symbol
	nodes  []node
	last   []uint16 // last symbol of each node
	chance []uint8  // negative logarithm of the symbol's probability, in steps of quantum
	// index of the first child of each node, plus an end; a node's children end where the next
	// node's begin
	first []int32
}

type node struct {
	back int32   // the sequence without its first character, or its longest suffix in the table
	fall float32 // logarithm of the cost of falling back to back
}

// Symbol is the number of a character in a model, or Unknown.
type Symbol int32

// Unknown is the symbol of all characters that are not in the model.
const Unknown Symbol = -1

// State is the memory of a Model about the characters before a position. The zero value means that
// these characters are unknown.
type State int32

const (
	quantum   = 0.25 // step of stored logarithms
	surprise  = -14  // logarithm of the probability of an unknown character
	maxOrder  = 8
	maxNodes  = 4 << 20
	maxLetter = 4096
)

// Symbol returns the number of a character in the model, or Unknown.
func (m *Model) Symbol(c rune) Symbol {
	if s, ok := m.symbols[c]; ok {
		return s
	}
	return Unknown
}

// Start returns the state at the start of a line.
func (m *Model) Start() State {
	state, _ := m.Next(0, m.Symbol(' '))
	return state
}

// Next returns the state after symbol s. It also returns the natural logarithm of the probability
// that s follows the state previous. For Unknown, this logarithm is -14.
func (m *Model) Next(previous State, s Symbol) (State, float64) {
	if s == Unknown {
		return 0, surprise
	}
	cost := float32(0)
	for at := int32(previous); ; at = m.nodes[at].back {
		if child := m.child(at, s); child > 0 {
			return State(child), float64(cost - quantum*float32(m.chance[child]))
		}
		if at == 0 {
			return 0, surprise
		}
		cost += m.nodes[at].fall
	}
}

// child returns the node that extends a node by s, or 0.
func (m *Model) child(at int32, s Symbol) int32 {
	if k := m.search(m.first[at], m.first[at+1], uint16(s)); k < m.first[at+1] && m.last[k] == uint16(s) {
		return k
	}
	return 0
}

// search returns the first of the nodes from..to, which share a prefix, whose symbol is at least s,
// or to if there is no such node.
func (m *Model) search(from, to int32, s uint16) int32 {
	for from < to {
		middle := int32(uint32(from+to) / 2)
		if m.last[middle] < s {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}
