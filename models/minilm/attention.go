package minilm

import "sync"

// Attention mixes the rows of a text: each row has a query, a key and a value. maxKeys is the
// maximum number of keys, rounded up to whole panels. valueWidth is the width of a head, rounded up
// to whole panels.
const (
	maxKeys    = (MaxTokens + panel - 1) / panel * panel
	valueWidth = (headWidth + panel - 1) / panel * panel
)

// farOff is the score of a key behind the end of a text. Its weight in the mix is 0.
const farOff = -1e30

// scratch is the memory for the attention of one head and one text.
type scratch struct {
	keys   [maxKeys * headWidth]float32 // packed like the weights of headWidth inputs
	values [maxKeys * valueWidth]float32
	from   [maxKeys]float32 // added to scores
	scores [tileRows * maxKeys]float32
	mixed  [tileRows * valueWidth]float32
	zero   [panel]float32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// attend computes one head for all texts of a piece, from w.qkv to w.y.
func (k *kernel) attend(w *workspace, p *piece, head int) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for _, t := range p.texts {
		n := len(t.tokens)
		keys := s.pack(w.qkv[t.row*3*Width+head*headWidth:], n)
		for r := 0; r < n; r += tileRows {
			queries := w.qkv[(t.row+r)*3*Width+head*headWidth:]
			out := w.y[(t.row+r)*Width+head*headWidth:]
			k.mix(s, out, queries, keys, min(tileRows, n-r))
		}
	}
}

// pack copies the keys and values of n rows into panels, and returns the number of keys in them.
func (s *scratch) pack(qkv []float32, n int) int {
	keys := (n + panel - 1) / panel * panel
	clear(s.keys[(keys-panel)*headWidth : keys*headWidth])
	for i := range keys {
		s.from[i] = farOff
		first, second := s.values[i*panel:][:panel], s.values[(keys+i)*panel:][:headWidth-panel]
		if i >= n {
			clear(first)
			clear(second)
			continue
		}
		s.from[i] = 0
		key, value := qkv[i*3*Width+Width:][:headWidth], qkv[i*3*Width+2*Width:][:headWidth]
		to := s.keys[i/panel*panel*headWidth+i%panel:]
		for d, f := range key {
			to[d*panel] = f
		}
		copy(first, value)
		copy(second, value[panel:])
	}
	return keys
}

// mix writes the mixed values of at most tileRows rows to out.
func (k *kernel) mix(s *scratch, out, queries []float32, keys, rows int) {
	for at := 0; at < keys; at += panel {
		k.tile(s.scores[at:], keys, queries, 3*Width, s.keys[at*headWidth:][:panel*headWidth], s.from[at:][:panel])
	}
	var sums [tileRows]float32
	for r := range sums {
		sums[r] = k.exp(s.scores[r*keys:][:keys])
	}
	for at := 0; at < valueWidth; at += panel {
		k.tile(s.mixed[at:], valueWidth, s.scores[:], keys, s.values[at*keys:][:panel*keys], s.zero[:])
	}
	for r := range rows {
		to, scale := out[r*Width:][:headWidth], 1/sums[r]
		for d, f := range s.mixed[r*valueWidth:][:headWidth] {
			to[d] = f * scale
		}
	}
}
