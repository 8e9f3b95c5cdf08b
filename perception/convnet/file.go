package convnet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"unicode/utf8"
)

// A file contains, in little endian:
//
//	magic
//	uint32 bytes of the alphabet, uint32 number of blocks
//	the alphabet in UTF-8: the characters of the classes from 1 on; class 0 is the blank
//	float32 for the input and each layer but the last: the value of 1 in an activation of 0 to 127
//	the layers, in order
//	uint32 CRC-32 (IEEE) of everything before
//
// A layer contains:
//
//	uint32 outputs, uint32 inputs
//	int8 weights of each output, by the columns of its window, then rows, then channels
//	float32 for each output: the value of 1 in its weights
//	float32 for each output: the bias
const (
	magic        = "windie convnet 1\n"
	maxFileBytes = 8 << 20
	maxBlocks    = 32
	maxChannels  = 1024
)

// cursor decodes a file. If the file ends too early, it sets err and returns zeros from then on.
type cursor struct {
	data []byte
	err  error
}

// take returns the next n bytes, which share the memory of the file. It returns nil if fewer are left.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.data) {
		c.err, c.data = errors.New("the file ends too early"), nil
		return nil
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

// number returns the next uint32.
func (c *cursor) number() int {
	b := c.take(4)
	if b == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b))
}

// floats returns the next n numbers. It sets err if one of them is not a number, or is beyond a million.
func (c *cursor) floats(n int) []float32 {
	b := c.take(4 * n)
	if b == nil {
		return nil
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if v := float64(list[i]); math.IsNaN(v) || math.Abs(v) > 1e6 {
			c.err = errors.New("a number in the file is out of range")
		}
	}
	return list
}

// raw is a layer as stored in a file.
type raw struct {
	outputs, inputs int
	weights         []int8
	worth, add      []float32
}

// layer returns the next layer. It checks its sizes before it allocates memory. A weight of -128 becomes -127, as the
// kernels need it.
func (c *cursor) layer() (r raw) {
	r.outputs, r.inputs = c.number(), c.number()
	if r.outputs < 1 || r.outputs > 4*maxChannels || r.inputs < 1 || r.inputs > 16*maxChannels {
		c.err = fmt.Errorf("a layer has invalid sizes: %d outputs and %d inputs", r.outputs, r.inputs)
		return r
	}
	b := c.take(r.outputs * r.inputs)
	r.weights = make([]int8, len(b))
	for i, v := range b {
		r.weights[i] = max(int8(v), -127)
	}
	r.worth, r.add = c.floats(r.outputs), c.floats(r.outputs)
	return r
}

// Load parses the file of a network. If a part of the file is unusable, Load fails and the error
// names this part. The model does not retain data.
func Load(data []byte) (*Model, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("the file has %d bytes; at most %d are allowed", len(data), maxFileBytes)
	}
	if len(data) < len(magic)+12 || string(data[:len(magic)]) != magic {
		return nil, errors.New("the file is not a network of this version of Windie")
	}
	body := data[:len(data)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, errors.New("the file is damaged: its checksum differs")
	}
	c := &cursor{data: body[len(magic):]}
	letters, blocks := c.number(), c.number()
	if blocks < 1 || blocks > maxBlocks {
		return nil, fmt.Errorf("the network has %d blocks; 1 to %d are allowed", blocks, maxBlocks)
	}
	m := &Model{}
	alphabet := c.take(letters)
	if !utf8.Valid(alphabet) {
		return nil, errors.New("the alphabet of the network is not UTF-8")
	}
	m.alphabet = []rune(string(alphabet))
	units := c.floats(6 + 2*blocks)
	if c.err == nil {
		m.build(c, units, blocks)
	}
	if c.err != nil {
		return nil, fmt.Errorf("invalid network: %w", c.err)
	}
	if len(c.data) > 0 {
		return nil, fmt.Errorf("invalid network: it has %d extra bytes after its end", len(c.data))
	}
	if err := m.Use(""); err != nil {
		return nil, err
	}
	m.workspaces.New = func() any { return new(workspace) }
	return m, nil
}

// build creates the layers from the rest of the file, and checks that their sizes match.
func (m *Model) build(c *cursor, units []float32, blocks int) {
	for _, u := range units {
		if u <= 0 {
			c.err = errors.New("the unit of an activation must be greater than 0")
			return
		}
	}
	next := 0 // index in units of the next layer's input
	layer := func(window, channels int) layer {
		r := c.layer()
		if c.err == nil && (r.inputs != window*channels || r.outputs > maxChannels || r.outputs%channelsAtOnce > 0) {
			c.err = fmt.Errorf("a layer has invalid sizes: %d outputs and %d inputs", r.outputs, r.inputs)
		}
		if c.err != nil {
			return layer{}
		}
		next++
		return newLayer(r, units[next-1], units[next])
	}
	m.first = layer(9, 1)
	m.second = layer(9, m.first.outputs)
	m.third = layer(9, m.second.outputs)
	m.fourth = layer(9, m.third.outputs)
	m.rows = layer(3*lowRows, m.fourth.outputs)
	if c.err == nil && m.fourth.outputs != m.third.outputs {
		c.err = errors.New("the network adds the outputs of two layers that have different numbers of outputs")
	}
	for range blocks {
		if c.err != nil {
			return
		}
		r := c.layer()
		if c.err == nil && (r.outputs != m.rows.outputs || r.inputs%2 == 0 || r.inputs > maxReach) {
			c.err = fmt.Errorf("a block has invalid sizes: %d steps and %d channels", r.inputs, r.outputs)
		}
		if c.err != nil {
			return
		}
		next++
		b := block{along: newAlong(r, units[next-1], units[next])}
		b.mix = layer(1, m.rows.outputs)
		b.mix.keep = units[next-2] / units[next] // the layer's output is added to the block's input
		if c.err == nil && b.mix.outputs != m.rows.outputs {
			c.err = errors.New("the network adds the outputs of two layers that have different numbers of outputs")
		}
		m.blocks = append(m.blocks, b)
	}
	head := c.layer()
	if c.err == nil && (head.inputs != m.rows.outputs || head.outputs != len(m.alphabet)+1) {
		c.err = fmt.Errorf("the network has %d scores for %d characters; expected one score for each character and one more", head.outputs, len(m.alphabet))
	}
	if c.err == nil {
		m.head = newLayer(head, units[next], 1)
	}
}
