package lstm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// A traineddata file (Tesseract's ccutil/tessdatamanager.cpp) has the number of parts, a 64-bit
// offset for each part (-1 if missing), and the parts. All numbers are little-endian.
const (
	partLSTM       = 17 // the network: network.go
	partUnicharset = 21 // the characters, as text
	partRecoder    = 22 // the codes of the characters
	maxParts       = 64

	maxFileBytes = 256 << 20
	maxChars     = 1 << 16
	maxCodes     = 9 // maximum codes of one character
)

// needed lists the parts that a model must have.
var needed = []struct {
	part int
	what string
}{{partLSTM, "network"}, {partUnicharset, "character set"}, {partRecoder, "codes of the characters"}}

// parts splits a traineddata file. It fails if a needed part is missing.
func parts(data []byte) (map[int][]byte, error) {
	r := reader{data: data}
	n := r.count("parts", maxParts)
	offsets := make([]int64, n)
	for i := range offsets {
		offsets[i] = int64(r.u64())
	}
	if r.err != nil {
		return nil, r.err
	}
	found := map[int][]byte{}
	for i, from := range offsets {
		if from == -1 {
			continue
		}
		to := int64(len(data))
		for _, next := range offsets {
			if next > from {
				to = min(to, next)
			}
		}
		if from < int64(r.pos) || from > to {
			return nil, fmt.Errorf("part %d begins at the invalid offset %d of %d bytes", i, from, len(data))
		}
		found[i] = data[from:to]
	}
	for _, n := range needed {
		if found[n.part] == nil {
			return nil, fmt.Errorf("the file has no %s; expected a model for Tesseract's LSTM engine, because the legacy engine is not supported", n.what)
		}
	}
	return found, nil
}

// parseUnicharset returns the characters of a model by their numbers. After the first line, which
// is the count, each line begins with a character; NULL represents a space.
func parseUnicharset(data []byte) ([]string, error) {
	var n int
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if _, err := fmt.Sscan(string(first), &n); err != nil || n < 1 || n > maxChars {
		return nil, fmt.Errorf("the first line of the character set is not a valid number of characters: %.20q", first)
	}
	if !utf8.Valid(rest) {
		return nil, errors.New("the character set is not UTF-8")
	}
	var chars []string
	for line := range bytes.Lines(rest) {
		if len(chars) == n {
			return nil, fmt.Errorf("the character set contains more than the %d characters that its first line declares", n)
		}
		char, _, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" "))
		if string(char) == "NULL" {
			char = []byte(" ")
		}
		chars = append(chars, string(char))
	}
	if len(chars) < n {
		return nil, fmt.Errorf("the character set contains only %d characters, but its first line declares %d", len(chars), n)
	}
	return chars, nil
}

// parseRecoder returns the codes of each character. It allocates memory only for data that it has
// read, so a wrong count does no harm.
func parseRecoder(data []byte) ([][]int, error) {
	r := reader{data: data}
	var codes [][]int
	for range r.count("characters with codes", maxChars) {
		r.u8() // whether the character is its own normal form
		list := make([]int, r.count("codes of one character", maxCodes))
		for i := range list {
			list[i] = r.i32()
		}
		if r.err != nil {
			return nil, r.err
		}
		codes = append(codes, list)
	}
	return codes, r.err
}

// reader decodes numbers from data. After a failure it returns zeros and keeps the first error.
type reader struct {
	data []byte
	pos  int
	err  error
}

// fail sets the error, with the position, unless there is one already.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: "+format, append([]any{r.pos}, args...)...)
	}
}

// take returns the next n bytes, or nil if there are fewer.
func (r *reader) take(n int) []byte {
	if r.err == nil && (n < 0 || n > len(r.data)-r.pos) {
		r.fail("the file ends %d bytes too early", n-(len(r.data)-r.pos))
	}
	if r.err != nil {
		return nil
	}
	r.pos += n
	return r.data[r.pos-n : r.pos]
}

// u8 decodes a byte.
func (r *reader) u8() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// i32 decodes a signed 32-bit number.
func (r *reader) i32() int {
	if b := r.take(4); b != nil {
		return int(int32(binary.LittleEndian.Uint32(b)))
	}
	return 0
}

// u64 decodes a 64-bit number.
func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// f64 decodes a 64-bit floating-point number. It may be NaN or infinite.
func (r *reader) f64() float64 { return math.Float64frombits(r.u64()) }

// count decodes a number that must be in 0..limit. what names the counted things in errors.
func (r *reader) count(what string, limit int) int {
	n := r.i32()
	if n < 0 || n > limit {
		r.fail("the file has %d %s; at most %d are allowed", n, what, limit)
		return 0
	}
	return n
}

// text decodes a string with its length before it, at most 65536 bytes.
func (r *reader) text() string { return string(r.take(r.count("characters in a name", 1<<16))) }
