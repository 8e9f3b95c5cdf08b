package lstm

import (
	"context"
	"slices"
)

// workspace has the buffers for reading a batch. They grow to the widest strip so far.
type workspace struct {
	lanes [batch]lane

	inputs []int8  // input of a layer: for each lane its input, then its last output
	raw    []int32 // sums of a layer
	states []float32
}

// lane is one strip of a batch with its intermediate results.
type lane struct {
	steps   int
	image   []int8  // the strip with a frame one pixel wide
	sums    []int32 // sums of one row of the convolution
	pooled  []int8  // [steps][rows][channels]
	a, b    []int8  // input and output of a layer: [steps][units]
	raw     []int32 // scores of batch steps
	peaks   peaks
	extrema [2]histogram
}

// resized returns s with n elements, and allocates only if s is too small. The elements have any values.
func resized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// front runs the convolution and the 3x3 maximum.
func (l *lane) front(k *kernel, n *network, s Strip) {
	rows := n.height / pool
	l.steps = s.Width / pool
	stride := l.frame(s, n.height)
	l.sums = resized(l.sums, l.steps*lanes)
	l.pooled = resized(l.pooled, l.steps*rows*channels)
	for row := range rows {
		if l.steps > 0 {
			k.convolve(n.conv, l.image[row*pool*stride:], stride, l.sums)
			k.squash(l.sums, n.conv.scale, l.pooled[row*channels:], rows*channels)
		}
	}
}

// frame copies the strip into l.image with its contrast stretched to -127..127. It adds a frame of
// noise, the same as in training. stride is the length of a row of l.image.
func (l *lane) frame(s Strip, height int) (stride int) {
	stride = s.Width + 2
	l.image = resized(l.image, stride*(height+2)+group)
	noise := uint32(1)
	random := func() int8 {
		noise = noise*1664525 + 1013904223 // constants from Numerical Recipes
		return int8(int(noise>>16)%255 - 127)
	}
	table := l.contrast(s, height)
	for x := range stride {
		l.image[x], l.image[(height+1)*stride+x] = random(), random()
	}
	for y := range height {
		row := l.image[(y+1)*stride:][:stride]
		row[0], row[stride-1] = random(), random()
		for x, p := range s.Pix[y*s.Width:][:s.Width] {
			row[1+x] = table[p]
		}
	}
	clear(l.image[stride*(height+2):])
	return stride
}

// histogram counts pixels by value.
type histogram [256]int

// quantile returns the value below which a share, 0..1, of the counts lies. Without counts it
// returns otherwise.
func (h *histogram) quantile(share float64, otherwise int) int {
	total := 0
	for _, n := range h {
		total += n
	}
	if total == 0 {
		return otherwise
	}
	left := int(share * float64(total))
	for v, n := range h {
		if left < n {
			return v
		}
		left -= n
	}
	return len(h) - 1
}

// contrast maps pixel values to -127..127. Black is the lower quartile of the local minima of the
// middle row, white the upper quartile of its maxima, as in Tesseract's lstm/networkio.cpp.
func (l *lane) contrast(s Strip, height int) (table [256]int8) {
	minima, maxima := &l.extrema[0], &l.extrema[1]
	clear(minima[:])
	clear(maxima[:])
	row := s.Pix[height/2*s.Width:][:s.Width]
	for x := 1; x+1 < len(row); x++ {
		before, p, after := row[x-1], row[x], row[x+1]
		if p < before && p <= after || p <= before && p < after {
			minima[p]++
		}
		if p > before && p >= after || p >= before && p > after {
			maxima[p]++
		}
	}
	black, white := minima.quantile(0.25, 0), maxima.quantile(0.75, 255)
	half := max(float32(white-black)/2, 0.5)
	for v := range table {
		table[v] = round127(min(max((float32(v)-float32(black))/half-1, -1), 1))
	}
	return table
}

// columns runs the layer down all columns of all lanes, batch columns at once.
func (w *workspace) columns(ctx context.Context, k *kernel, n *network) error {
	rows, units := n.height/pool, n.down.units
	var in, out [batch]sequence
	have := 0
	for i := range w.lanes {
		l := &w.lanes[i]
		l.a = resized(l.a, l.steps*units)
		for x := range l.steps {
			in[have] = sequence{l.pooled[x*rows*channels:][:rows*channels], channels, rows}
			out[have] = sequence{l.a[x*units:][:units], units, 1}
			if have++; have == batch {
				if err := w.run(ctx, k, n.down, &in, &out); err != nil {
					return err
				}
				in, out, have = [batch]sequence{}, [batch]sequence{}, 0
			}
		}
	}
	if have == 0 {
		return nil
	}
	return w.run(ctx, k, n.down, &in, &out)
}

// across runs layer along all lanes. It leaves space after the output for scores.
func (w *workspace) across(ctx context.Context, k *kernel, layer *layer) error {
	var in, out [batch]sequence
	for i := range w.lanes {
		l := &w.lanes[i]
		l.b = resized(l.b, (l.steps+batch)*layer.units)
		clear(l.b[l.steps*layer.units:])
		in[i] = sequence{l.a, layer.inputs - layer.units, l.steps}
		out[i] = sequence{l.b, layer.units, l.steps}
		l.a, l.b = l.b, l.a
	}
	return w.run(ctx, k, layer, &in, &out)
}

// stepsPerLook is the number of steps between checks of ctx. They take milliseconds on the slowest
// kernel.
const stepsPerLook = 16

// sequence is a list of vectors of size bytes, one for each step.
type sequence struct {
	data        []int8
	size, steps int
}

// at returns the vector of a step. Writes to it change s.
func (s *sequence) at(step int) []int8 { return s.data[step*s.size:][:s.size] }

// run runs the layer through all steps of batch sequences. If an output has fewer steps than its
// input, it keeps the last ones. run returns the error of ctx soon after ctx ends.
func (w *workspace) run(ctx context.Context, k *kernel, l *layer, in, out *[batch]sequence) error {
	stride, sums := l.stride(), l.panels*lanes
	input := l.inputs - l.units
	w.inputs, w.raw, w.states = resized(w.inputs, batch*stride), resized(w.raw, batch*sums), resized(w.states, batch*l.units)
	clear(w.inputs)
	clear(w.states)
	longest := 0
	for i := range in {
		longest = max(longest, in[i].steps)
	}
	for t := range longest {
		if t%stepsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for v := range in {
			if s := &in[v]; t < s.steps {
				copy(w.inputs[v*stride:][:input], s.at(l.place(t, s.steps)))
			}
		}
		k.dot(l.matrix, w.inputs, stride, w.raw)
		for v := range in {
			if t < in[v].steps {
				last := w.inputs[v*stride+input:][:l.units]
				k.step(w.raw[v*sums:][:4*l.units], l.scale, w.states[v*l.units:][:l.units], last)
				copy(out[v].at(min(l.place(t, in[v].steps), out[v].steps-1)), last)
			}
		}
	}
	return nil
}

// place returns the index of the step, of n, that the layer processes at time t.
func (l *layer) place(t, n int) int {
	if l.reverse {
		return n - 1 - t
	}
	return t
}

// scores runs the last layer and sets l.peaks.
func (l *lane) scores(k *kernel, n *network) {
	m := n.scores
	width := m.panels * lanes
	l.raw = resized(l.raw, batch*width)
	l.peaks.reset(n.blank)
	for t := range l.steps {
		if t%batch == 0 {
			k.dot(m, l.a[t*m.inputs:], m.stride(), l.raw)
		}
		l.peaks.add(l.raw[t%batch*width:][:m.outputs], m.scale, n.blank)
	}
}
