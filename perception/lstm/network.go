package lstm

import (
	"fmt"
	"strings"
)

// network has the layers that all of Tesseract's published fast models have; only the sizes differ.
// The layers for English, for a line 36 pixels high:
//
//	Ct3,3,16   3x3 convolution to 16 channels, tanh
//	Mp3,3      3x3 maximum: a step is 3 pixels
//	Lfys48     an LSTM down each column of 12; its last output is the result
//	Lfx96      an LSTM from left to right
//	Lrx96      an LSTM from right to left
//	Lfx192     an LSTM from left to right
//	O1c111     scores of the codes
type network struct {
	spec   string
	height int // of a line in pixels, a multiple of pool
	conv   *matrix
	down   *layer
	across [3]*layer
	scores *matrix
	blank  int // the code for no character
}

// layer is an LSTM layer. Its matrix stacks the cell inputs, input gates, forget gates and output
// gates.
type layer struct {
	*matrix
	units   int
	reverse bool // from right to left
}

const (
	pool     = 3  // width and height in pixels of the window of the maximum
	channels = 16 // of the convolution

	maxHeight = 96
	maxUnits  = 1024
)

// shape lists the layers in the order of the file, by their names there, and the number of layers
// within each.
var shape = []struct {
	kind   string
	within int
}{
	{"Series", 8},
	{"Input", 0},
	{"Series", 2}, {"Convolve", 0}, {"Tanh", 0},
	{"Maxpool", 0},
	{"XYTranspose", 1}, {"SummLSTM", 0},
	{"LSTM", 0},
	{"RTLReversed", 1}, {"LSTM", 0},
	{"LSTM", 0},
	{"Softmax", 0},
}

// Flags of a layer (ownRates) and of a matrix (the others).
const (
	ownRates   = 64  // the layer has learning rates for the layers within
	bytesOnly  = 1   // the weights are bytes
	wideScales = 128 // the scales are 64-bit numbers
)

// parseNetwork parses the network in the format of Tesseract's lstm/network.cpp.
func parseNetwork(data []byte) (*network, error) {
	p := networkParser{reader: reader{data: data}}
	p.layer()
	n := &p.network
	n.spec = p.text()
	p.take(3 * 4) // training flags, and two counts of iterations
	n.blank = p.i32()
	if p.err != nil {
		return nil, p.err
	}
	return n, n.check()
}

// networkParser parses layers in the order of the file.
type networkParser struct {
	reader
	network
	at    int  // index in shape
	lstms int  // number of LSTM layers so far, without the one down the columns
	right bool // within a layer from right to left
}

// layer parses the next layer of shape, with the layers within it. It stops at the first error.
func (p *networkParser) layer() {
	p.u8()
	kind := p.text()
	p.take(2) // whether it trains
	flags := p.i32()
	p.take(3 * 4) // numbers of inputs, outputs and weights
	p.text()
	if p.err == nil && kind != shape[p.at].kind {
		p.fail("layer %d is a %.20q, not a %s; use a published fast model", p.at, kind, shape[p.at].kind)
	}
	if p.err != nil {
		return
	}
	within := shape[p.at].within
	p.at++
	switch kind {
	case "Series", "RTLReversed", "XYTranspose":
		p.right = kind == "RTLReversed"
		p.plumbing(within, flags)
		p.right = false
	case "Input":
		p.take(4)
		p.height = p.count("pixels of height", maxHeight)
		p.take(3 * 4)
	case "Convolve", "Maxpool":
		p.window(kind)
	case "Tanh":
		p.conv = newMatrix(p.convolution())
	case "Softmax":
		p.scores = newMatrix(p.weights())
	case "SummLSTM":
		p.down = p.lstm()
	case "LSTM":
		l := p.lstm()
		l.reverse = p.right
		p.across[p.lstms] = l
		p.lstms++
	}
}

// plumbing parses the layers within another. Their number must be the one in shape, which bounds
// the depth.
func (p *networkParser) plumbing(within, flags int) {
	if n := p.i32(); p.err == nil && n != within {
		p.fail("layer %d contains %d layers, not %d", p.at-1, n, within)
	}
	for range within {
		p.layer()
	}
	if flags&ownRates != 0 {
		p.take(4 * p.count("learning rates", len(shape)))
	}
}

// window parses the size of a convolution or maximum; only 3x3 is valid.
func (p *networkParser) window(kind string) {
	want := pool
	if kind == "Convolve" {
		want = 1 // pixels on either side
	}
	if x, y := p.i32(), p.i32(); x != want || y != want {
		p.fail("a %s has the unsupported size %d by %d", kind, x, y)
	}
}

// convolution parses the matrix of a 3x3 convolution of one channel.
func (p *networkParser) convolution() weights {
	w := p.weights()
	if p.err == nil && (w.inputs != pool*pool || w.outputs != channels) {
		p.fail("a convolution has unsupported sizes: %d inputs and %d channels", w.inputs, w.outputs)
	}
	if p.err != nil {
		return weights{}
	}
	return byRow(w)
}

// lstm parses an LSTM layer with its four gates.
func (p *networkParser) lstm() *layer {
	p.i32() // numbers of inputs and units
	var all weights
	for gate := range 4 {
		w := p.weights()
		if gate > 0 && (w.inputs != all.inputs || w.outputs*gate != all.outputs) {
			p.fail("the gates of a layer have different sizes")
		}
		all.append(w)
	}
	return &layer{matrix: newMatrix(all), units: all.outputs / 4}
}

// weights parses a matrix of bytes. Its last column is the bias, for an input that is always 127.
func (p *networkParser) weights() weights {
	mode := p.u8()
	if p.err == nil && (mode&bytesOnly == 0 || mode&wideScales == 0) {
		p.fail("the weights are not bytes; use a fast model")
	}
	w := weights{outputs: p.count("rows", 4*maxUnits), inputs: p.count("columns", 4*maxUnits) - 1}
	p.u8()
	bytes := p.take(w.outputs * (w.inputs + 1))
	scales := p.count("scales", 8*maxUnits)
	if p.err == nil && (w.outputs < 1 || w.inputs < 1 || scales < w.outputs) {
		p.fail("a matrix has invalid sizes: %d by %d with %d scales", w.outputs, w.inputs, scales)
	}
	for range scales {
		scale := float32(p.f64() / 127) // the factor of a product whose input is in 127ths
		if !(scale >= 0 && scale <= 1) {
			p.fail("a scale is %v; expected 0 to 1", scale)
		}
		w.scale = append(w.scale, scale)
	}
	if p.err != nil {
		return weights{}
	}
	w.scale = w.scale[:w.outputs]
	w.factor = make([]int8, 0, w.outputs*w.inputs)
	for row := range w.outputs {
		from := bytes[row*(w.inputs+1):][:w.inputs+1]
		for _, b := range from[:w.inputs] {
			w.factor = append(w.factor, int8(b))
		}
		w.bias = append(w.bias, 127*int32(int8(from[w.inputs])))
	}
	return w
}

// check returns an error if the sizes of the layers do not match.
func (n *network) check() error {
	bad := func(what string, args ...any) error {
		return fmt.Errorf("the network %.60q is not supported: "+what, append([]any{strings.TrimSpace(n.spec)}, args...)...)
	}
	if n.height < 2*pool || n.height%pool != 0 {
		return bad("it reads lines %d pixels high", n.height)
	}
	inputs := channels
	for _, l := range []*layer{n.down, n.across[0], n.across[1], n.across[2]} {
		if l.units%lanes != 0 || l.inputs != inputs+l.units || l.units > maxUnits {
			return bad("a layer has %d units on %d inputs after a layer of %d units", l.units, l.inputs, inputs)
		}
		inputs = l.units
	}
	if n.scores.inputs != inputs || n.blank < 0 || n.blank >= n.scores.outputs {
		return bad("the last layer has %d scores on %d inputs with the blank %d", n.scores.outputs, n.scores.inputs, n.blank)
	}
	return nil
}
