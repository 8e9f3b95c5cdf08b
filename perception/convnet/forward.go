package convnet

import (
	"slices"

	"github.com/windieos/windie/perception/layers"
	"github.com/windieos/windie/perception/lstm"
)

// workspace has the buffers for reading a strip. They grow to the widest strip so far.
type workspace struct {
	// by columns, then rows, then channels, with a border of one column and row
	input, first, second, third, fourth []int8
	windows                             []int8
	a, b                                []int8 // by steps, then channels
	sums                                []int32
	scores                              []float32 // of one step
	peaks                               []peak
	candidates                          []candidate
	steps                               []int32 // index of the first candidate of each step
}

// zeroed returns n zeros. It reuses the memory of s if that is large enough.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// read runs the network over a strip.
func (m *Model) read(w *workspace, s lstm.Strip) lstm.Reading {
	steps := (s.Width + blankEnd + stride - 1) / stride
	w.frame(s, stride*steps)
	w.first = m.plane(w, &m.first, plane{w.input, height, 1}, w.first, steps, stride, 2, false)
	w.second = m.plane(w, &m.second, plane{w.first, midRows, m.first.Outputs}, w.second, steps, 1, 2, false)
	w.third = m.plane(w, &m.third, plane{w.second, lowRows, m.second.Outputs}, w.third, steps, 1, 1, false)
	w.fourth = m.plane(w, &m.fourth, plane{w.third, lowRows, m.third.Outputs}, w.fourth, steps, 1, 1, true)
	m.channels(w, steps)
	for i := range m.blocks {
		m.block(w, &m.blocks[i], steps)
	}
	return m.scores(w, steps, s.Width)
}

// frame fills input with the ink of a strip, surrounded by paper.
func (w *workspace) frame(s lstm.Strip, columns int) {
	const rows = height + 2
	w.input = zeroed(w.input, (columns+2)*rows)
	for y := range height {
		for x, p := range s.Pix[y*s.Width:][:s.Width] {
			w.input[(x+1)*rows+y+1] = int8((int(255-p)*layers.MaxActivation + 127) / 255)
		}
	}
}

// plane has activations by columns, then rows, then channels, with a border of one column and row.
type plane struct {
	at       []int8
	rows     int
	channels int
}

// plane runs a 3x3 convolution over a plane. across and down are the columns and rows of the input
// for one of the output. It returns a plane of steps columns in the memory of to. If on is set, it
// adds the result to the input.
func (m *Model) plane(w *workspace, l *layers.Layer, in plane, to []int8, steps, across, down int, on bool) []int8 {
	rows, stride := in.rows/down, l.Stride()
	out := plane{zeroed(to, (steps+2)*(rows+2)*l.Outputs), rows, l.Outputs}
	together := layers.Batch / gcd(rows, layers.Batch) // minimum number of columns whose rows fill whole batches
	w.windows = zeroed(w.windows, (together*rows+layers.Batch)*stride)
	sums := l.Sums()
	w.sums = slices.Grow(w.sums[:0], layers.Batch*sums)[:layers.Batch*sums]
	for x := 0; x < steps; x += together {
		columns := min(together, steps-x)
		for i := range columns {
			in.windows(w.windows[i*rows*stride:], (x+i)*across, rows, down, stride)
		}
		for n := range columns * rows {
			if n%layers.Batch == 0 {
				m.kernel.Multiply(l, w.windows[n*stride:], stride, w.sums)
			}
			column, row := x+n/rows+1, n%rows+1
			at, s := (column*(rows+2)+row)*l.Outputs, w.sums[n%layers.Batch*sums:]
			if on {
				m.kernel.ActivateOn(l, s, in.at[(column*(in.rows+2)+row)*in.channels:], out.at[at:at+l.Outputs])
			} else {
				m.kernel.Activate(l, s, out.at[at:at+l.Outputs])
			}
		}
	}
	return out.at
}

// windows copies the 3x3 windows of a column's rows to to, stride bytes apart.
func (p plane) windows(to []int8, x, rows, down, stride int) {
	part, column := 3*p.channels, (p.rows+2)*p.channels
	for y := range rows {
		window, from := to[y*stride:][:3*part], x*column+y*down*p.channels
		copy(window[:part], p.at[from:])
		copy(window[part:2*part], p.at[from+column:])
		copy(window[2*part:], p.at[from+2*column:])
	}
}

// gcd returns the greatest common divisor of two positive numbers.
func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// channels runs the layer that turns rows into channels, from w.fourth to w.a.
func (m *Model) channels(w *workspace, steps int) {
	l, c := &m.rows, m.fourth.Outputs
	column := lowRows * c
	w.windows = zeroed(w.windows, (steps+2+layers.Batch)*column)
	for x := range steps {
		copy(w.windows[(x+1)*column:][:column], w.fourth[(x+1)*(lowRows+2)*c+c:])
	}
	w.a = zeroed(w.a, (steps+maxReach+layers.Batch)*l.Outputs)
	m.each(w, l, w.windows, column, steps, func(x int, sums []int32) {
		at := (x + maxReach/2) * l.Outputs
		m.kernel.Activate(l, sums, w.a[at:at+l.Outputs])
	})
}

// each calls do with the sums of a layer for each step. The windows of the steps are stride bytes
// apart in x.
func (m *Model) each(w *workspace, l *layers.Layer, x []int8, stride, steps int, do func(step int, sums []int32)) {
	n := l.Sums()
	w.sums = slices.Grow(w.sums[:0], layers.Batch*n)[:layers.Batch*n]
	for step := 0; step < steps; step += layers.Batch {
		m.kernel.Multiply(l, x[step*stride:], stride, w.sums)
		for i := range min(layers.Batch, steps-step) {
			do(step+i, w.sums[i*n:])
		}
	}
}

// block runs a block over the steps in w.a.
func (m *Model) block(w *workspace, b *block, steps int) {
	c := b.along.Channels
	w.b = zeroed(w.b, (steps+layers.Batch)*c)
	m.kernel.Depthwise(&b.along, w.a[(maxReach/2-b.along.Taps/2)*c:], b.places, c, w.b[:steps*c])
	m.each(w, &b.mix, w.b, c, steps, func(x int, sums []int32) {
		own := w.a[(x+maxReach/2)*c:][:c]
		m.kernel.ActivateOn(&b.mix, sums, own, own)
	})
}
