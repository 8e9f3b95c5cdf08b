package reader

import (
	"encoding/binary"
	"math"

	"github.com/windieos/windie/perception"
)

// lineText is the text read from a line.
type lineText struct {
	words             []word
	capital, baseline float32 // in pixels of the patch; see textline.Fit
	// distance between letters, in pixels, in a monospaced typeface; 0 for other typefaces
	pitch       float32
	markedZeros bool // at least one zero has a dot or a stroke inside
}

// word is a word of a line, with its box in pixels of the patch.
type word struct {
	text           string
	confidence     float32
	x0, y0, x1, y1 int16
	hollowZeros    bool // has zeros, all of them without a dot or a stroke inside
}

// lineCache caches recently read lines in packed form: three numbers and a flag, then for each word
// five numbers, a flag, one byte for the length of its text, and the text.
type lineCache struct{ *perception.Recent[lineKey] }

// maxWord is the maximum length of a word in bytes. Lines with longer words are not cached.
const maxWord = math.MaxUint8

// get returns the text cached under key, or nil.
func (c lineCache) get(key lineKey) *lineText {
	packed, ok := c.Get(key)
	if !ok {
		return nil
	}
	b := []byte(packed)
	t := &lineText{capital: takeFloat(&b), baseline: takeFloat(&b), pitch: takeFloat(&b), markedZeros: takeFlag(&b)}
	for len(b) > 0 {
		w := word{confidence: takeFloat(&b)}
		for _, side := range []*int16{&w.x0, &w.y0, &w.x1, &w.y1} {
			*side = int16(binary.LittleEndian.Uint16(b))
			b = b[2:]
		}
		w.hollowZeros = takeFlag(&b)
		n := int(b[0])
		w.text, b = string(b[1:1+n]), b[1+n:]
		t.words = append(t.words, w)
	}
	return t
}

// takeFloat removes a float32 from the start of *b, which must have at least four bytes.
func takeFloat(b *[]byte) float32 {
	f := math.Float32frombits(binary.LittleEndian.Uint32(*b))
	*b = (*b)[4:]
	return f
}

// takeFlag removes a flag from the start of *b, which must have at least one byte.
func takeFlag(b *[]byte) bool {
	flag := (*b)[0]
	*b = (*b)[1:]
	return flag != 0
}

// add caches t under key. If a word is longer than maxWord, it caches nothing.
func (c lineCache) add(key lineKey, t *lineText) {
	b := appendFlag(appendFloat(appendFloat(appendFloat(nil, t.capital), t.baseline), t.pitch), t.markedZeros)
	for _, w := range t.words {
		if len(w.text) > maxWord {
			return
		}
		b = appendFloat(b, w.confidence)
		for _, side := range []int16{w.x0, w.y0, w.x1, w.y1} {
			b = binary.LittleEndian.AppendUint16(b, uint16(side))
		}
		b = append(append(appendFlag(b, w.hollowZeros), uint8(len(w.text))), w.text...)
	}
	c.Put(key, string(b))
}

// appendFloat appends f in the four bytes that takeFloat reads.
func appendFloat(b []byte, f float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
}

// appendFlag appends flag in the one byte that takeFlag reads.
func appendFlag(b []byte, flag bool) []byte {
	if flag {
		return append(b, 1)
	}
	return append(b, 0)
}
