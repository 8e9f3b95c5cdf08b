package unet

import (
	"errors"
	"fmt"

	"github.com/windieos/windie/perception/layers"
)

// A file contains, in little endian:
//
//	magic
//	uint32 channels at a quarter, an eighth and a sixteenth
//	uint32 mixes at an eighth and at a sixteenth; uint32 maps
//	float32 for the input and each layer but the last: the value of 1 in an activation of 0 to 127
//	the layers, in order
//	uint32 CRC-32 (IEEE) of everything before
//
// The weights of an output are by the columns of its window, then rows, then channels. The last
// layer has four outputs for each map: the cells of two rows by two columns, row by row.
// perception/training/windie_training/textmap/export.py writes the file.
const maxMixes = 16

// Form is what the maps of a network are.
type Form struct {
	Magic  string // the beginning of its file
	Sizes  int    // maximum number of sizes of a screen: the screen, its half, a quarter and so on
	Maps   int    // number of maps
	Marked int    // the first maps, which are computed for all cells: the cores and what parts them
	Parts  []Part
}

// Part is things of one kind that do not overlap.
type Part struct {
	Core  int // the map that is greater than 0 in a thing's core
	Apart int // the map that is at least separates where two cores touch; -1 if there is none
	First int // the first of the maps that describe a core's cell
	Count int // the number of these maps
}

const square = 4 // cells of 2x2 pixels in a patch

// builder creates the layers of a file in their order.
type builder struct {
	c     *layers.Cursor
	units []float32
	next  int // index in units of the output of the next layer
}

// Load parses the file of a network of this form. If a part of the file is unusable, Load fails and
// the error names this part. The model does not retain data.
func Load(data []byte, form Form) (*Model, error) {
	c, err := layers.Open(data, form.Magic)
	if err != nil {
		return nil, err
	}
	c4, c8, c16 := c.Number(), c.Number(), c.Number()
	d8, d16, n := c.Number(), c.Number(), c.Number()
	if n != form.Maps || d8 > maxMixes || d16 > maxMixes {
		c.Fail(fmt.Errorf("the network has %d maps, %d mixes at 1/8 of the size and %d mixes at 1/16 of the size; expected %d maps and at most %d mixes at each size", n, d8, d16, form.Maps, maxMixes))
	}
	const fixed = 1 + 2 + 2 + 2 + 1 + 2 + 1 + 2 + 2 // layers besides the mixes, without the last
	b := &builder{c: c, next: 1}
	if c.Err() == nil {
		b.units = c.Floats(1 + fixed + 2*(d8+d16))
	}
	for _, u := range b.units {
		if u <= 0 {
			c.Fail(errors.New("the unit of an activation must be greater than 0"))
		}
	}
	m := &Model{form: form}
	if c.Err() == nil {
		m.build(b, c4, c8, c16, d8, d16)
	}
	if err := c.Close(); err != nil {
		return nil, err
	}
	m.workspaces.New = func() any { return new(workspace) }
	return m, m.Use("")
}

// build creates the layers: c4, c8 and c16 are the channels at a quarter, an eighth and a sixteenth
// of the picture, d8 and d16 the numbers of mixes.
func (m *Model) build(b *builder, c4, c8, c16, d8, d16 int) {
	m.patch = b.layer(widened(b.c.Convolution(3*patchSide*patchSide)), c4, 0)
	m.first = b.mix(c4, c4, 3, 1)
	quarter := b.next - 1
	m.down8 = b.mix(c4, c8, 3, 2)
	for range d8 {
		m.mixes8 = append(m.mixes8, b.mix(c8, c8, 3, 1))
	}
	eighth := b.next - 1
	m.down16 = b.mix(c8, c16, 5, 2)
	for i := range d16 {
		m.mixes16 = append(m.mixes16, b.mix(c16, c16, 5-2*(i%2), 1))
	}
	m.up8 = b.onto(b.layer(b.c.Convolution(c16), c8, b.next-1), eighth)
	m.join8 = b.mix(c8, c8, 3, 1)
	m.up4 = b.onto(b.layer(b.c.Convolution(c8), c4, b.next-1), quarter)
	m.join4 = b.mix(c4, c4, 3, 1)
	m.last = b.mix(c4, c4, 3, 1)
	head := b.c.Convolution(c4)
	if n := m.form.Maps * square; head.Outputs != n {
		b.c.Fail(fmt.Errorf("the last layer has %d outputs; expected %d", head.Outputs, n))
	}
	if b.c.Err() != nil {
		return
	}
	last := func(first, count int) layers.Layer {
		return layers.NewLayer(outputs(head, first*square, (first+count)*square), b.units[b.next-1], 1)
	}
	m.marks = last(0, m.form.Marked)
	for _, p := range m.form.Parts {
		m.rest = append(m.rest, last(p.First, p.Count))
	}
}

// layer prepares a layer that must have channels outputs. from is the index in units of its input.
func (b *builder) layer(r layers.Raw, channels, from int) (l layers.Layer) {
	if r.Outputs != channels {
		b.c.Fail(fmt.Errorf("a layer has %d outputs; expected %d", r.Outputs, channels))
	}
	if b.c.Err() != nil {
		return l
	}
	b.next++
	return layers.NewLayer(r, b.units[from], b.units[b.next-1])
}

// onto lets the last layer be added to activations of the unit with this index.
func (b *builder) onto(l layers.Layer, unit int) layers.Layer {
	if b.c.Err() != nil {
		return l
	}
	return l.Adding(b.units[unit] / b.units[b.next-1])
}

// mix prepares a mix from a number of channels to another. If they are the same and step is 1, the
// mix adds to its input.
func (b *builder) mix(from, to, window, step int) mix {
	input := b.next - 1
	m := mix{window: window, step: step, adds: from == to && step == 1}
	r := b.c.Layer()
	if r.Outputs != from || r.Inputs != window*window {
		b.c.Fail(fmt.Errorf("a layer has %d windows of %d places; expected %d of %d", r.Outputs, r.Inputs, from, window*window))
	}
	if b.c.Err() != nil {
		return m
	}
	b.next++
	m.deep = layers.NewDepthwise(r, b.units[input], b.units[b.next-1])
	m.point = b.layer(b.c.Convolution(from), to, b.next-1)
	if m.adds {
		m.point = b.onto(m.point, input)
	}
	return m
}

// outputs returns some outputs of a layer as a layer.
func outputs(r layers.Raw, from, to int) layers.Raw {
	return layers.Raw{
		Outputs: to - from, Inputs: r.Inputs,
		Weights: r.Weights[from*r.Inputs : to*r.Inputs],
		Worth:   r.Worth[from:to], Add: r.Add[from:to],
	}
}

// widened returns the first layer with its weights in the order of picture.patches: by rows, then
// columns, then R, G, B and a weight of 0 for A.
func widened(r layers.Raw) layers.Raw {
	w := layers.Raw{Outputs: r.Outputs, Inputs: patchBytes, Worth: r.Worth, Add: r.Add}
	w.Weights = make([]int8, r.Outputs*patchBytes)
	for o := range r.Outputs {
		for x := range patchSide {
			for y := range patchSide {
				copy(w.Weights[o*patchBytes+(y*patchSide+x)*4:][:3], r.Weights[o*r.Inputs+(x*patchSide+y)*3:])
			}
		}
	}
	return w
}
