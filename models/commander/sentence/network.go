package sentence

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// The network that reads sentences: convolutions over the words, and layers for where a step begins, what it does, which
// words are a value or keys, and which mention is the thing that it is done to. training/train.py makes it.

//go:embed reader.bin
var readerFile []byte

// dilations are the distances between the words that a convolution sees.
var dilations = []int{1, 2, 1, 4}

// matrix has a row for each output.
type matrix struct {
	rows, columns int
	weights       []float32
}

// times adds the products of the rows with x to out.
func (m *matrix) times(x, out []float32) {
	for r := range out {
		row := m.weights[r*m.columns : r*m.columns+len(x)]
		sum := float32(0)
		for k, v := range x {
			sum += row[k] * v
		}
		out[r] += sum
	}
}

// row returns a row.
func (m *matrix) row(r int) []float32 { return m.weights[r*m.columns : (r+1)*m.columns] }

// layer is a matrix with a bias.
type layer struct{ weights, bias matrix }

// of returns the output of the layer for x.
func (l *layer) of(x []float32) []float32 {
	out := slices.Clone(l.bias.weights)
	l.weights.times(x, out)
	return out
}

// network is the network.
type network struct {
	grams                     matrix
	in, all, start, role, act layer
	convs                     [4]layer
	kinds                     matrix
	mention, point, none      layer
}

// reader is the network of readerFile.
var reader = mustLoad(readerFile)

func mustLoad(data []byte) *network {
	n, err := load(data)
	if err != nil {
		panic("sentence: reader.bin: " + err.Error()) // unreachable: a test reads it
	}
	return n
}

// load reads a network. A matrix of several rows has a scale for each row and a byte for each weight.
func load(data []byte) (n *network, err error) {
	n = &network{}
	next := func() matrix {
		if err != nil || len(data) < 9 {
			err = fmt.Errorf("it is too short")
			return matrix{}
		}
		m := matrix{rows: int(binary.LittleEndian.Uint32(data)), columns: int(binary.LittleEndian.Uint32(data[4:]))}
		plain := data[8] == 1
		data = data[9:]
		number := func(k int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(data[4*k:])) }
		size := m.rows * m.columns
		if need := map[bool]int{true: 4 * size, false: 4*m.rows + size}[plain]; m.rows < 1 || m.columns < 1 || m.rows > 1<<16 || m.columns > 1<<16 || len(data) < need {
			err = fmt.Errorf("a matrix of %d by %d", m.rows, m.columns)
			return matrix{}
		}
		m.weights = make([]float32, size)
		if plain {
			for k := range m.weights {
				m.weights[k] = number(k)
			}
			data = data[4*size:]
			return m
		}
		for r := range m.rows {
			for c := range m.columns {
				m.weights[r*m.columns+c] = number(r) * float32(int8(data[4*m.rows+r*m.columns+c]))
			}
		}
		data = data[4*m.rows+size:]
		return m
	}
	pair := func() layer { return layer{next(), next()} }
	n.grams = next()
	n.in = pair()
	for k := range n.convs {
		n.convs[k] = pair()
	}
	n.all, n.start, n.role, n.act = pair(), pair(), pair(), pair()
	n.kinds = next()
	n.mention, n.point, n.none = pair(), pair(), pair()
	if err == nil && len(data) > 0 {
		err = fmt.Errorf("%d bytes too many", len(data))
	}
	return n, err
}

// seen is what the network makes of the words of a sentence.
type seen struct {
	words  [][]float32
	starts []float64   // how likely a step begins at a word
	roles  [][]float64 // how likely each role of a word is
}

// see returns what the network makes of words.
func (n *network) see(words []WordClues) seen {
	h := make([][]float32, len(words))
	for i, w := range words {
		x := make([]float32, n.grams.columns, n.grams.columns+flags)
		for _, g := range w.Grams {
			for k, v := range n.grams.row(g) {
				x[k] += v / float32(len(w.Grams))
			}
		}
		h[i] = relu(n.in.of(append(x, w.Flags[:]...)))
	}
	for k := range n.convs {
		if k == 2 {
			add := n.all.of(mean(h))
			for i := range h {
				for c := range h[i] {
					h[i][c] += add[c]
				}
			}
		}
		h = n.convolve(k, h)
	}
	s := seen{words: h}
	for _, x := range h {
		s.starts = append(s.starts, 1/(1+math.Exp(-float64(n.start.of(x)[0]))))
		s.roles = append(s.roles, softmax(n.role.of(x)))
	}
	return s
}

// convolve adds the output of a convolution to the vectors of the words.
func (n *network) convolve(k int, h [][]float32) [][]float32 {
	out := make([][]float32, len(h))
	width := len(h[0])
	for i := range h {
		sum := slices.Clone(n.convs[k].bias.weights)
		for tap := range 3 {
			at := i + (tap-1)*dilations[k]
			if at < 0 || at >= len(h) {
				continue
			}
			for r := range sum {
				row := n.convs[k].weights.weights[r*3*width+tap*width:][:width]
				dot := float32(0)
				for c, v := range h[at] {
					dot += row[c] * v
				}
				sum[r] += dot
			}
		}
		for c, v := range relu(sum) {
			sum[c] = h[i][c] + v
		}
		out[i] = sum
	}
	return out
}

// segment returns the mean and the maximum of vectors.
func segment(h [][]float32) []float32 {
	most := slices.Clone(h[0])
	for _, x := range h {
		for c, v := range x {
			most[c] = max(most[c], v)
		}
	}
	return append(mean(h), most...)
}

// points returns how likely nothing and each of some mentions is what a step is done to, and how likely it is what
// something is dragged to.
func (n *network) points(s seen, part []float32, act int, mentions []Mention) (target, second []float64) {
	hot := make([]float32, len(Acts))
	hot[act] = 1
	zero := make([]float32, len(s.words[0]))
	at := func(i int) []float32 {
		if i < 0 || i >= len(s.words) {
			return zero
		}
		return s.words[i]
	}
	scores := [2][]float32{}
	add := func(two []float32) {
		scores[0], scores[1] = append(scores[0], two[0]), append(scores[1], two[1])
	}
	add(n.none.of(slices.Concat(part, hot)))
	for _, m := range mentions {
		x := slices.Concat(mean(s.words[m.From:m.To]), at(m.From-1), at(m.To), part, n.kinds.row(m.Kind), m.Facts[:], hot)
		add(n.point.of(relu(n.mention.of(x))))
	}
	return softmax(scores[0]), softmax(scores[1])
}

func relu(x []float32) []float32 {
	for k, v := range x {
		x[k] = max(0, v)
	}
	return x
}

// mean returns the mean of vectors.
func mean(h [][]float32) []float32 {
	out := make([]float32, len(h[0]))
	for _, x := range h {
		for c, v := range x {
			out[c] += v / float32(len(h))
		}
	}
	return out
}

// softmax returns probabilities.
func softmax(x []float32) []float64 {
	most := slices.Max(x)
	out := make([]float64, len(x))
	sum := 0.0
	for k, v := range x {
		out[k] = math.Exp(float64(v - most))
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}
