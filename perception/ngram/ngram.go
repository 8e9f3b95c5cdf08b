// Package ngram says how likely a character is to follow others.
//
//	model, err := ngram.Load(data) // a file that perception/training wrote
//	state := model.Start()         // before a line, and after any space
//	state, p := model.Next(state, model.Symbol('a'))
//
// It is a table of sequences of up to maxOrder characters that occur often enough to matter, with the probability
// of the last one after the others. What is not in the table falls back to a shorter sequence, at a cost that is in the
// table, too. All probabilities are logarithms, to base e.
package ngram

// Model is a table. It is safe for concurrent use.
type Model struct {
	symbols map[rune]Symbol
	nodes   []node   // the root, then sequences of one, of two, and so on, each by its start, then its last symbol
	last    []uint16 // symbol of each node
	chance  []uint8  // of it after the others, in steps of quantum
	first   []int32  // child of each node, and one more: a node's children end where the next one's begin
}

type node struct {
	back int32   // the sequence without its first character, or the longest end of it that is there
	fall float32 // what falling back to that costs
}

// Symbol is a character to the model; Unknown stands for those it does not have.
type Symbol int32

// Unknown is a character that the model does not have.
const Unknown Symbol = -1

// State is what stands before: a sequence of the table.
type State int32

const (
	quantum   = 0.25 // of a logarithm
	surprise  = -14  // the logarithm for a character that the model does not have
	maxOrder  = 8
	maxNodes  = 4 << 20
	maxLetter = 4096
)

// Symbol returns what a character is to the model.
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

// Next returns the state after s follows what stands before, and how likely that is, as a logarithm.
func (m *Model) Next(before State, s Symbol) (State, float64) {
	if s == Unknown {
		return 0, surprise
	}
	cost := float32(0)
	for at := int32(before); ; at = m.nodes[at].back {
		if child := m.child(at, s); child > 0 {
			return State(child), float64(cost - quantum*float32(m.chance[child]))
		}
		if at == 0 {
			return 0, surprise
		}
		cost += m.nodes[at].fall
	}
}

// child returns the node of s after a node, or 0.
func (m *Model) child(at int32, s Symbol) int32 {
	if k := m.search(m.first[at], m.first[at+1], uint16(s)); k < m.first[at+1] && m.last[k] == uint16(s) {
		return k
	}
	return 0
}

// search returns the first of the nodes from..to, which have one start, whose symbol is s or after it, or to if there is no such node.
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
