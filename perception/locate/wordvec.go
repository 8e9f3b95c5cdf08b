package locate

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
)

// WordNumbers is how many numbers say what a word means.
const WordNumbers = 100

// WordVector is a word with what it means: words that stand in the same places have numbers alike.
type WordVector struct {
	Word    string
	Rank    int // by frequency; 1 is the most frequent word
	Numbers []float32
}

// words.vec, which wordfile makes.
//
//go:embed words.vec
var wordFile []byte

// wordTable is the words of a file of vectors, sorted.
type wordTable struct {
	words   []string
	weight  []float32 // how much each says: little of what is in every sentence
	numbers []int8    // of each word, of the length 1 times 127
}

// usualPart is the part of a text that a word is at which it says half as much as a rare one.
const usualPart = 0.0006

// weightOfRank returns how much a word says, by Zipf's law.
func weightOfRank(rank int) float32 { return float32(usualPart / (usualPart + 0.08/float64(rank))) }

// EncodeWords returns a file of vectors of sorted words.
func EncodeWords(list []WordVector) ([]byte, error) {
	var plain bytes.Buffer
	_ = binary.Write(&plain, binary.LittleEndian, uint32(len(list)))
	for _, w := range list {
		if len(w.Numbers) != WordNumbers || len(w.Word) > math.MaxUint8 {
			return nil, fmt.Errorf("the word %q: must have at most %d bytes and %d numbers", w.Word, math.MaxUint8, WordNumbers)
		}
		plain.WriteByte(byte(len(w.Word)))
		plain.WriteString(w.Word)
		_ = binary.Write(&plain, binary.LittleEndian, weightOfRank(w.Rank))
	}
	for _, w := range list {
		length := 0.0
		for _, v := range w.Numbers {
			length += float64(v) * float64(v)
		}
		for _, v := range w.Numbers {
			plain.WriteByte(byte(int8(math.Round(math.MaxInt8 * float64(v) / max(math.Sqrt(length), 1e-9)))))
		}
	}
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(plain.Bytes()); err != nil {
		return nil, err
	}
	err = z.Close() // which writes what is left
	return packed.Bytes(), err
}

// decodeWords reads a file of vectors.
func decodeWords(file []byte) (*wordTable, error) {
	data, err := io.ReadAll(flate.NewReader(bytes.NewReader(file)))
	if err != nil {
		return nil, err
	}
	if len(data) < 4 {
		return nil, io.ErrUnexpectedEOF
	}
	n := int(binary.LittleEndian.Uint32(data))
	data = data[4:]
	t := &wordTable{}
	for range n {
		if len(data) == 0 || len(data) < 5+int(data[0]) {
			return nil, io.ErrUnexpectedEOF
		}
		end := 1 + int(data[0])
		t.words = append(t.words, string(data[1:end]))
		t.weight = append(t.weight, math.Float32frombits(binary.LittleEndian.Uint32(data[end:])))
		data = data[end+4:]
	}
	if len(data) != n*WordNumbers {
		return nil, io.ErrUnexpectedEOF
	}
	t.numbers = make([]int8, len(data))
	for i, b := range data {
		t.numbers[i] = int8(b)
	}
	return t, nil
}

// wordVectors reads the file of vectors once.
var wordVectors = sync.OnceValue(func() *wordTable {
	t, err := decodeWords(wordFile)
	if err != nil {
		panic(fmt.Sprintf("locate: words.vec does not fit this program: %v", err))
	}
	return t
})

// find returns the place of a word in lower case, or of the form of it that is known; -1 if there is none.
func (t *wordTable) find(word string) int {
	word = strings.Trim(word, ".,:;!?…'’\"()[]<>-–*#+/\\@&%$€0123456789")
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	for _, form := range []string{word, strings.TrimSuffix(word, "s"), strings.ReplaceAll(word, "-", "")} {
		if i, known := slices.BinarySearch(t.words, form); known {
			return i
		}
	}
	return -1
}

// near returns how near two words are in meaning: 1 for the same, about 0 for unrelated ones.
func (t *wordTable) near(a, b int) float64 {
	x, y := t.numbers[a*WordNumbers:(a+1)*WordNumbers], t.numbers[b*WordNumbers:(b+1)*WordNumbers]
	sum := int32(0)
	for k := range x {
		sum += int32(x[k]) * int32(y[k])
	}
	return float64(sum) / (math.MaxInt8 * math.MaxInt8)
}
