package minilm

import (
	"context"
	"math"
)

// Shape of the network.
const (
	layers    = 6
	heads     = 12
	headWidth = Width / heads
	inner     = 4 * Width
)

// epsilon keeps the norm of a row of equal numbers finite.
const epsilon = 1e-12

// run computes the vectors of a piece.
func (m *Model) run(ctx context.Context, p *piece, each spread) error {
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	m.network.lookUp(w.x[:], p)
	for i := range m.network.layers {
		if err := m.layer(ctx, &m.network.layers[i], w, p, each); err != nil {
			return err
		}
	}
	for _, t := range p.texts {
		mean(t.vector, w.x[t.row*Width:][:len(t.tokens)*Width])
	}
	return nil
}

// lookUp writes the row of each token: the sum of the vectors of the token and of its position.
func (n *network) lookUp(x []float32, p *piece) {
	for _, t := range p.texts {
		for at, token := range t.tokens {
			row := x[(t.row+at)*Width:][:Width]
			word, place := n.words[int(token)*Width:][:Width], n.places[at*Width:][:Width]
			for i := range row {
				row[i] = word[i] + place[i]
			}
		}
	}
	n.norm.apply(x[:p.rows*Width])
}

// layer applies one layer to the rows of a piece.
func (m *Model) layer(ctx context.Context, l *layer, w *workspace, p *piece, each spread) error {
	job := job{kernel: m.kernel, each: each, rows: p.rows}
	if err := job.multiply(ctx, w.qkv[:], w.x[:], &l.qkv); err != nil {
		return err
	}
	if err := each(ctx, heads, func(h int) { m.kernel.attend(w, p, h) }); err != nil {
		return err
	}
	if err := job.multiply(ctx, w.up[:], w.y[:], &l.out); err != nil {
		return err
	}
	add(w.x[:p.rows*Width], w.up[:])
	l.norm1.apply(w.x[:p.rows*Width])
	if err := job.multiply(ctx, w.up[:], w.x[:], &l.up); err != nil {
		return err
	}
	if err := job.multiply(ctx, w.y[:], w.up[:], &l.down); err != nil {
		return err
	}
	add(w.x[:p.rows*Width], w.y[:])
	l.norm2.apply(w.x[:p.rows*Width])
	return nil
}

// job has the common parameters of matrix multiplications.
type job struct {
	kernel *kernel
	each   spread
	rows   int
}

// multiply sets the rows of to to the rows of from, multiplied by a weight. The panels are computed
// in parallel.
func (j job) multiply(ctx context.Context, to, from []float32, m *matrix) error {
	return j.each(ctx, m.outputs/panel, func(p int) {
		weights, bias := m.packed[p*panel*m.inputs:][:panel*m.inputs], m.bias[p*panel:][:panel]
		for r := 0; r < j.rows; r += tileRows {
			out := to[r*m.outputs+p*panel:]
			j.kernel.tile(out, m.outputs, from[r*m.inputs:], m.inputs, weights, bias)
			if !m.gelu {
				continue
			}
			for i := range tileRows {
				j.kernel.gelu(out[i*m.outputs:][:panel])
			}
		}
	})
}

// add adds y to x.
func add(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}

// apply normalises each row of x to mean 0 and deviation 1, then applies scale and shift.
func (n *norm) apply(x []float32) {
	for ; len(x) >= Width; x = x[Width:] {
		row := x[:Width]
		mean := sum(row) / Width
		for i := range row {
			row[i] -= mean
		}
		scale := float32(1 / math.Sqrt(float64(square(row)/Width)+epsilon))
		weight, bias := n.weight[:Width], n.bias[:Width]
		for i, f := range row {
			row[i] = f*scale*weight[i] + bias[i]
		}
	}
}

// sum returns the sum of a row, whose length is a multiple of 4. Four independent sums do not wait
// for each other.
func sum(row []float32) float32 {
	var a, b, c, d float32
	for ; len(row) >= 4; row = row[4:] {
		a += row[0]
		b += row[1]
		c += row[2]
		d += row[3]
	}
	return (a + b) + (c + d)
}

// square returns the sum of the squares of a row, whose length is a multiple of 4.
func square(row []float32) float32 {
	var a, b, c, d float32
	for ; len(row) >= 4; row = row[4:] {
		a += row[0] * row[0]
		b += row[1] * row[1]
		c += row[2] * row[2]
		d += row[3] * row[3]
	}
	return (a + b) + (c + d)
}

// mean sets a vector to the mean of rows, scaled to length 1.
func mean(vector, rows []float32) {
	for ; len(rows) >= Width; rows = rows[Width:] {
		add(vector, rows)
	}
	length := math.Sqrt(float64(square(vector)))
	scale := float32(1 / max(length, epsilon))
	for i := range vector {
		vector[i] *= scale
	}
}
