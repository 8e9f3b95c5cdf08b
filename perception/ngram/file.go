package ngram

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
)

// A file contains:
//
//	magic
//	uint32 CRC-32 (IEEE) of the rest, in little endian
//	DEFLATE of
//	  uvarints: the order, then the number of sequences of each length from one on
//	  a uvarint and as many bytes: the characters in UTF-8, the most frequent first;
//	    a symbol is an index of them
//	  a byte for each sequence shorter than the longest: the number of its extensions;
//	    255 and a uvarint for more
//	  a uvarint for each sequence: its last symbol minus that of the previous sibling, minus one
//	  a byte for each sequence: the negative logarithm of its probability, in steps of quantum
//	  a byte for each sequence shorter than the longest: 128 minus the logarithm of the cost of
//	    falling back, in the same steps
//
// Sequences are sorted by length, then by symbols.
const (
	magic        = "windie ngrams 1\n"
	maxFileBytes = 4 << 20
	maxUnpacked  = 32 << 20
	evenFall     = 128
	usualPacking = 3 // usual ratio of unpacked to packed bytes
)

// cursor decodes a file. After a failure it returns zeros.
type cursor struct {
	data []byte
	err  error
}

// fail stores the first error and drops the rest of the data.
func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.data = nil
}

var errEnds = errors.New("the table ends too early")

// number decodes a uvarint. It fails if the value exceeds limit.
func (c *cursor) number(limit int) int {
	if len(c.data) > 0 && c.data[0] < 0x80 && int(c.data[0]) <= limit { // nearly all numbers
		v := c.data[0]
		c.data = c.data[1:]
		return int(v)
	}
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.fail(errEnds)
		return 0
	}
	c.data = c.data[n:]
	if v > uint64(limit) {
		c.fail(fmt.Errorf("a number in the file is %d; at most %d is allowed there", v, limit))
		return 0
	}
	return int(v)
}

// take returns the next n bytes. If the data is shorter, it fails and returns n zeros.
func (c *cursor) take(n int) []byte {
	if n > len(c.data) {
		c.fail(errEnds)
		return make([]byte, n)
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

// Load parses the file of a table. If a part of the file is unusable, Load fails and the error
// names this part. The model does not retain data.
func Load(data []byte) (*Model, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("the file has %d bytes; at most %d are allowed", len(data), maxFileBytes)
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < 4 {
		return nil, errors.New("the file is not a table of n-grams of this version")
	}
	sum, packed := binary.LittleEndian.Uint32(rest), rest[4:]
	if crc32.ChecksumIEEE(packed) != sum {
		return nil, errors.New("the file is damaged: its checksum differs")
	}
	var unpacked bytes.Buffer
	unpacked.Grow(usualPacking * len(packed))
	if _, err := unpacked.ReadFrom(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxUnpacked)); err != nil {
		return nil, fmt.Errorf("the file cannot be unpacked: %w", err)
	}
	c := &cursor{data: unpacked.Bytes()}
	m := c.model()
	if c.err != nil {
		return nil, fmt.Errorf("the table of n-grams is invalid: %w", c.err)
	}
	m.link()
	return m, nil
}

// model decodes the table without the fallbacks, which link sets. It returns nil, or a partial
// model, after a failure.
func (c *cursor) model() *Model {
	order := c.number(maxOrder)
	total, inner := 1, 1 // including the root
	levels := make([]int, order)
	for i := range levels {
		levels[i] = c.number(maxNodes)
		total += levels[i]
		if i < order-1 {
			inner = total
		}
	}
	if total > maxNodes || order == 0 {
		c.fail(fmt.Errorf("the table has an order of %d and contains %d sequences; expected an order of at least 1, and at most %d sequences", order, total, maxNodes))
	}
	letters := c.take(c.number(utf8.UTFMax * maxLetter))
	if c.err != nil {
		return nil
	}
	m := &Model{symbols: map[rune]Symbol{}, nodes: make([]node, total), last: make([]uint16, total), first: make([]int32, total+1)}
	for _, r := range string(letters) {
		m.symbols[r] = Symbol(len(m.symbols))
	}
	c.children(m, levels[0], inner, total)
	if c.err != nil {
		return nil
	}
	c.letters(m, inner)
	m.chance = append([]byte{0}, c.take(total-1)...)
	for i, b := range c.take(inner - 1) {
		m.nodes[1+i].fall = quantum * float32(evenFall-int(b))
	}
	return m
}

// children decodes the number of extensions of each sequence.
func (c *cursor) children(m *Model, ofRoot, inner, total int) {
	next := 1
	for i := range total {
		m.first[i] = int32(next)
		switch {
		case i == 0:
			next += ofRoot
		case i < inner:
			n := int(c.take(1)[0])
			if n == 255 {
				n = c.number(maxLetter)
			}
			next += n
		}
		if next > total {
			c.fail(errors.New("the sequences have more extensions in total than the table has entries"))
			return
		}
	}
	m.first[total] = int32(next)
	if next != total {
		c.fail(errors.New("the table has more entries than the sequences have extensions"))
	}
}

// letters decodes the last symbol of each sequence.
func (c *cursor) letters(m *Model, inner int) {
	for i := range inner {
		last := -1
		for k := m.first[i]; k < m.first[i+1]; k++ {
			last += 1 + c.number(maxLetter)
			if last >= len(m.symbols) {
				c.fail(errors.New("a sequence has a character that is not in the alphabet"))
				return
			}
			m.last[k] = uint16(last)
		}
	}
}

// link sets the fallback of each sequence.
func (m *Model) link() {
	alone := make([]int32, len(m.symbols)) // node of each single symbol
	for k := m.first[0]; k < m.first[1]; k++ {
		alone[m.last[k]] = k
	}
	for at := 1; at < len(m.nodes); at++ {
		back := m.nodes[at].back
		from := m.first[back] // the children of back are in the same order as the children of at
		for k := m.first[at]; k < m.first[at+1]; k++ {
			s := m.last[k]
			if back > 0 {
				if from = m.search(from, m.first[back+1], s); from < m.first[back+1] && m.last[from] == s {
					m.nodes[k].back = from
					continue
				}
			}
			m.nodes[k].back = m.shorter(back, s, alone)
		}
	}
}

// shorter returns the longest sequence that ends with s and extends a sequence shorter than back.
func (m *Model) shorter(back int32, s uint16, alone []int32) int32 {
	for back > 0 {
		if back = m.nodes[back].back; back == 0 {
			break
		}
		if child := m.child(back, Symbol(s)); child > 0 {
			return child
		}
	}
	return alone[s]
}
