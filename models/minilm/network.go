package minilm

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// network has the weights. They do not change after newNetwork.
type network struct {
	words  []float32 // a row for each token
	places []float32 // a row for each position in a text, plus a vector that is added to every row
	norm   norm
	layers [layers]layer
}

type layer struct {
	qkv, out     matrix
	norm1, norm2 norm
	up, down     matrix
}

// norm is the scale and shift of normalised rows.
type norm struct {
	weight, bias []float32
}

// matrix is a weight, stored panel by panel. In a panel, the weights of its outputs are adjacent
// for each input. The number of outputs is a multiple of panel.
type matrix struct {
	inputs, outputs int
	packed, bias    []float32
	gelu            bool // apply gelu to the results
}

// pack converts weights from the file's order, in which the weights of one output are adjacent.
func pack(weights, bias []float32) matrix {
	m := matrix{inputs: len(weights) / len(bias), outputs: len(bias), bias: bias}
	m.packed = make([]float32, len(weights))
	for o := range m.outputs {
		to := m.packed[o/panel*panel*m.inputs+o%panel:]
		for i, f := range weights[o*m.inputs:][:m.inputs] {
			to[i*panel] = f
		}
	}
	return m
}

// newNetwork reads the weights of a file. It does not retain data.
func newNetwork(data []byte) (*network, error) {
	f, err := openTensors(data)
	if err != nil {
		return nil, err
	}
	n := &network{
		words:  f.floats("embeddings.word_embeddings.weight", words*Width),
		places: f.floats("embeddings.position_embeddings.weight", 2*MaxTokens*Width)[:MaxTokens*Width],
		norm:   f.norm("embeddings.LayerNorm"),
	}
	kind := f.floats("embeddings.token_type_embeddings.weight", 2*Width)[:Width]
	for i := range n.places {
		n.places[i] += kind[i%Width]
	}
	for i := range n.layers {
		n.layers[i] = f.layer(fmt.Sprintf("encoder.layer.%d.", i))
	}
	if f.err != nil {
		return nil, f.err
	}
	return n, nil
}

// tensors reads a safetensors file: eight bytes with the length of a JSON header, the header, and
// the numbers. After an error it returns zeros.
type tensors struct {
	header map[string]tensor
	body   []byte
	err    error
}

type tensor struct {
	Type    string `json:"dtype"`
	Offsets [2]int `json:"data_offsets"`
}

// openTensors reads the header of a safetensors file. The result refers to data.
func openTensors(data []byte) (*tensors, error) {
	const length = 8
	if len(data) < length {
		return nil, fmt.Errorf("%s has no header", weightsFile)
	}
	size := binary.LittleEndian.Uint64(data)
	if size > uint64(len(data)-length) {
		return nil, fmt.Errorf("%s ends before the end of its header", weightsFile)
	}
	f := &tensors{body: data[length+size:]}
	if err := json.Unmarshal(data[length:length+size], &f.header); err != nil {
		return nil, fmt.Errorf("invalid header of %s: %w", weightsFile, err)
	}
	return f, nil
}

// floats returns a copy of the n numbers of a tensor.
func (f *tensors) floats(name string, n int) []float32 {
	out := make([]float32, n)
	t := f.header[name]
	from, to := t.Offsets[0], t.Offsets[1]
	if t.Type != "F32" || from < 0 || to > len(f.body) || to-from != 4*n {
		f.err = fmt.Errorf("%s does not contain a tensor of %d 32-bit numbers with the name %s", weightsFile, n, name)
		return out
	}
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(f.body[from+4*i:]))
	}
	return out
}

// norm reads the scale and shift of a name.
func (f *tensors) norm(name string) norm {
	return norm{weight: f.floats(name+".weight", Width), bias: f.floats(name+".bias", Width)}
}

// matrix reads and packs the weights and the bias of a name.
func (f *tensors) matrix(name string, inputs, outputs int) matrix {
	return pack(f.floats(name+".weight", inputs*outputs), f.floats(name+".bias", outputs))
}

// layer reads all weights of the layer with a prefix.
func (f *tensors) layer(prefix string) layer {
	l := layer{
		qkv:   f.attention(prefix + "attention.self."),
		out:   f.matrix(prefix+"attention.output.dense", Width, Width),
		norm1: f.norm(prefix + "attention.output.LayerNorm"),
		up:    f.matrix(prefix+"intermediate.dense", Width, inner),
		down:  f.matrix(prefix+"output.dense", inner, Width),
		norm2: f.norm(prefix + "output.LayerNorm"),
	}
	l.up.gelu = true
	return l
}

// attention joins the weights of queries, keys and values. It scales the queries here once, so that
// their products with keys need no scaling.
func (f *tensors) attention(prefix string) matrix {
	var weights, bias []float32
	for _, name := range []string{"query", "key", "value"} {
		weights = append(weights, f.floats(prefix+name+".weight", Width*Width)...)
		bias = append(bias, f.floats(prefix+name+".bias", Width)...)
	}
	scale := float32(1 / math.Sqrt(headWidth))
	for i := range Width * Width {
		weights[i] *= scale
	}
	for i := range Width {
		bias[i] *= scale
	}
	return pack(weights, bias)
}
