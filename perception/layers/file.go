package layers

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// MaxFileBytes is the maximum size of a network's file, in bytes.
const MaxFileBytes = 8 << 20

// maxChannels bounds the outputs of a layer.
const maxChannels = 1024

// A file contains, in little endian:
//
//	magic, which names the network and its version
//	the network
//	uint32 CRC-32 (IEEE) of everything before
//
// A layer contains:
//
//	uint32 outputs, uint32 inputs
//	int8 weights of each output
//	float32 for each output: the value of 1 in its weights
//	float32 for each output: the bias

// Cursor decodes a file. After the first problem, Err returns the problem, and the methods that
// read values return zero values.
type Cursor struct {
	data []byte
	err  error
}

// Open checks the magic and the checksum of a file, and returns a cursor at the first byte after
// the magic. The cursor shares the memory of data.
func Open(data []byte, magic string) (*Cursor, error) {
	if len(data) > MaxFileBytes {
		return nil, fmt.Errorf("the file has %d bytes; at most %d are allowed", len(data), MaxFileBytes)
	}
	if len(data) < len(magic)+4 || string(data[:len(magic)]) != magic {
		return nil, errors.New("the file is not a network of this version of Windie")
	}
	body := data[:len(data)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, errors.New("the file is damaged: its checksum differs")
	}
	return &Cursor{data: body[len(magic):]}, nil
}

// Close returns the first problem, or an error if bytes are left.
func (c *Cursor) Close() error {
	if c.err == nil && len(c.data) > 0 {
		return fmt.Errorf("invalid network: it has %d extra bytes after its end", len(c.data))
	}
	if c.err != nil {
		return fmt.Errorf("invalid network: %w", c.err)
	}
	return nil
}

// Err returns the first problem, or nil.
func (c *Cursor) Err() error { return c.err }

// Fail sets the problem, unless there is one already.
func (c *Cursor) Fail(err error) {
	if c.err == nil {
		c.err, c.data = err, nil
	}
}

// Take returns the next n bytes, which share the memory of the file. It returns nil if fewer are
// left.
func (c *Cursor) Take(n int) []byte {
	if n < 0 || n > len(c.data) {
		c.Fail(errors.New("the file ends too early"))
		return nil
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

// Number returns the next uint32.
func (c *Cursor) Number() int {
	b := c.Take(4)
	if b == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b))
}

// Floats returns the next n numbers. The absolute value of each number must be at most a million.
func (c *Cursor) Floats(n int) []float32 {
	b := c.Take(4 * n)
	if b == nil {
		return nil
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if v := float64(list[i]); math.IsNaN(v) || math.Abs(v) > 1e6 {
			c.Fail(errors.New("a number in the file is out of range"))
			return nil
		}
	}
	return list
}

// Raw is a layer as stored in a file.
type Raw struct {
	Outputs, Inputs int
	Weights         []int8    // the weights of each output
	Worth, Add      []float32 // for each output: the factor that makes real values of its weights, and the bias
}

// Layer returns the next layer. It checks the sizes before it allocates memory. It replaces a
// weight of -128 by -127, because the kernels require weights of -127 to 127.
func (c *Cursor) Layer() (r Raw) {
	r.Outputs, r.Inputs = c.Number(), c.Number()
	if r.Outputs < 1 || r.Outputs > 4*maxChannels || r.Inputs < 1 || r.Inputs > 16*maxChannels {
		c.Fail(sizes(r))
		return Raw{}
	}
	b := c.Take(r.Outputs * r.Inputs)
	r.Weights = make([]int8, len(b))
	for i, v := range b {
		r.Weights[i] = max(int8(v), -127)
	}
	r.Worth, r.Add = c.Floats(r.Outputs), c.Floats(r.Outputs)
	return r
}

// Convolution returns the next layer, which must have the given number of inputs. The number of
// outputs must be a multiple of ChannelsAtOnce, and at most 1024.
func (c *Cursor) Convolution(inputs int) Raw {
	r := c.Layer()
	if c.err == nil && (r.Inputs != inputs || r.Outputs > maxChannels || r.Outputs%ChannelsAtOnce > 0) {
		c.Fail(sizes(r))
	}
	if c.err != nil {
		return Raw{}
	}
	return r
}

// sizes reports the sizes of a layer that does not fit its place.
func sizes(r Raw) error {
	return fmt.Errorf("a layer has invalid sizes: %d outputs and %d inputs", r.Outputs, r.Inputs)
}
