package lstm

import "slices"

// weights is a matrix of a model file, row by row. An output is scale * (bias + factor . input).
type weights struct {
	outputs, inputs int
	factor          []int8
	bias            []int32
	scale           []float32
}

// append adds the rows of o below the rows of w.
func (w *weights) append(o weights) {
	w.inputs, w.outputs = o.inputs, w.outputs+o.outputs
	w.factor, w.bias, w.scale = append(w.factor, o.factor...), append(w.bias, o.bias...), append(w.scale, o.scale...)
}

// byRow reorders the inputs of a 3x3 convolution from columns, as in the file, to rows of the
// window, and adds a zero after each row.
func byRow(w weights) weights {
	out := weights{outputs: w.outputs, inputs: 4 * pool, bias: w.bias, scale: w.scale}
	for row := range w.outputs {
		f := w.factor[row*w.inputs:]
		for y := range pool {
			out.factor = append(out.factor, f[y], f[pool+y], f[2*pool+y], 0)
		}
	}
	return out
}

// Packed weights consist of panels of lanes outputs. A panel has groups of group inputs; each group
// has the weights of all outputs of the panel in turn.
const (
	lanes = 16
	group = 4
)

// matrix is packed weights.
type matrix struct {
	outputs, inputs int
	panels, groups  int
	packed          []int8    // [panels][groups][lanes][group]; zero where there is no weight
	bias            []int32   // one per lane
	offset          []int32   // bias minus 128 times the sum of the weights, for inputs with 128 added
	scale           []float32 // one per lane
}

// newMatrix packs weights, and fills the last panel and the last group with zeros.
func newMatrix(w weights) *matrix {
	m := &matrix{
		outputs: w.outputs, inputs: w.inputs,
		panels: (w.outputs + lanes - 1) / lanes,
		groups: (w.inputs + group - 1) / group,
	}
	m.packed = make([]int8, m.panels*m.groups*lanes*group)
	m.bias = append(make([]int32, 0, m.panels*lanes), w.bias...)[:m.panels*lanes]
	m.scale = append(make([]float32, 0, m.panels*lanes), w.scale...)[:m.panels*lanes]
	m.offset = slices.Clone(m.bias)
	for o := range w.outputs {
		for i, f := range w.factor[o*w.inputs:][:w.inputs] {
			m.packed[((o/lanes*m.groups+i/group)*lanes+o%lanes)*group+i%group] = f
			m.offset[o] -= 128 * int32(f)
		}
	}
	return m
}

// stride returns the number of bytes of the inputs of one vector.
func (m *matrix) stride() int { return m.groups * group }
