package reader

import (
	"encoding/binary"
	"math"

	"github.com/windieos/windie/perception"
)

// lineText is what a line was read as.
type lineText struct {
	words             []word
	capital, baseline float32 // in pixels of the patch; see textline.Fit
	pitch             float32 // pixels from one letter to the next, of a typeface of one width; 0 for others
	markedZeros       bool    // some zeros have a dot or a stroke in them
}

// word is a word of a line, its box in pixels of the patch.
type word struct {
	text           string
	confidence     float32
	x0, y0, x1, y1 int16
	hollowZeros    bool // it has zeros, all without a dot or a stroke in them
}

// lineCache keeps the lines read last, packed: three numbers and a flag, then for each word
// five numbers, a flag, a byte with the length of its text, and the text.
type lineCache struct{ *perception.Recent[lineKey] }

// maxWord is the longest text of a word, in bytes, in a line that is cached.
const maxWord = math.MaxUint8

// get returns the text kept under key, or nil.
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

func takeFloat(b *[]byte) float32 {
	f := math.Float32frombits(binary.LittleEndian.Uint32(*b))
	*b = (*b)[4:]
	return f
}

func takeFlag(b *[]byte) bool {
	flag := (*b)[0]
	*b = (*b)[1:]
	return flag != 0
}

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

func appendFloat(b []byte, f float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
}

func appendFlag(b []byte, flag bool) []byte {
	if flag {
		return append(b, 1)
	}
	return append(b, 0)
}
