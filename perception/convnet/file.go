package convnet

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/windieos/windie/perception/layers"
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
// The weights of an output are by the columns of its window, then rows, then channels.
const (
	magic     = "windie convnet 1\n"
	maxBlocks = 32
)

// Load parses the file of a network. If a part of the file is unusable, Load fails and the error
// names this part. The model does not retain data.
func Load(data []byte) (*Model, error) {
	c, err := layers.Open(data, magic)
	if err != nil {
		return nil, err
	}
	letters, blocks := c.Number(), c.Number()
	if blocks < 1 || blocks > maxBlocks {
		return nil, fmt.Errorf("the network has %d blocks; 1 to %d are allowed", blocks, maxBlocks)
	}
	m := &Model{}
	alphabet := c.Take(letters)
	if !utf8.Valid(alphabet) {
		return nil, errors.New("the alphabet of the network is not UTF-8")
	}
	m.alphabet = []rune(string(alphabet))
	units := c.Floats(6 + 2*blocks)
	if c.Err() == nil {
		m.build(c, units, blocks)
	}
	if err := c.Close(); err != nil {
		return nil, err
	}
	if err := m.Use(""); err != nil {
		return nil, err
	}
	m.workspaces.New = func() any { return new(workspace) }
	return m, nil
}

// build creates the layers from the rest of the file, and checks that their sizes match.
func (m *Model) build(c *layers.Cursor, units []float32, blocks int) {
	for _, u := range units {
		if u <= 0 {
			c.Fail(errors.New("the unit of an activation must be greater than 0"))
			return
		}
	}
	next := 0 // index in units of the next layer's input
	layer := func(inputs int) (l layers.Layer) {
		if r := c.Convolution(inputs); c.Err() == nil {
			next++
			l = layers.NewLayer(r, units[next-1], units[next])
		}
		return l
	}
	m.first = layer(9)
	m.second = layer(9 * m.first.Outputs)
	m.third = layer(9 * m.second.Outputs)
	m.fourth = layer(9 * m.third.Outputs)
	m.rows = layer(3 * lowRows * m.fourth.Outputs)
	if m.fourth.Outputs != m.third.Outputs {
		c.Fail(errors.New("two layers whose outputs are added have different sizes"))
	}
	for range blocks {
		r := c.Layer()
		if r.Outputs != m.rows.Outputs || r.Inputs%2 == 0 || r.Inputs > maxReach {
			c.Fail(fmt.Errorf("a block has invalid sizes: %d steps and %d channels", r.Inputs, r.Outputs))
		}
		if c.Err() != nil {
			return
		}
		next++
		b := block{along: layers.NewDepthwise(r, units[next-1], units[next])}
		b.places = b.along.Places(steps(r.Inputs, r.Outputs))
		b.mix = layer(m.rows.Outputs)
		if b.mix.Outputs != m.rows.Outputs {
			c.Fail(errors.New("two layers whose outputs are added have different sizes"))
		}
		if c.Err() != nil {
			return
		}
		b.mix = b.mix.Adding(units[next-2] / units[next]) // the layer's output is added to the block's input
		m.blocks = append(m.blocks, b)
	}
	head := c.Layer()
	if head.Inputs != m.rows.Outputs || head.Outputs != len(m.alphabet)+1 {
		c.Fail(fmt.Errorf("the network has %d scores for %d characters; expected one score for each character and one additional score", head.Outputs, len(m.alphabet)))
	}
	if c.Err() == nil {
		m.head = layers.NewLayer(head, units[next], 1)
	}
}

// steps returns the places of n consecutive steps of a line.
func steps(n, channels int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i * channels
	}
	return at
}
