package lstm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// tiny is a model small enough to be written out and read in no time: what it
// has learned is nothing, but all that a file of the fast kind has is there.
type tiny struct {
	height         int
	window         [2]int // half the convolution's, and the maximum's
	kernel         [2]int // outputs and inputs of the convolution
	units          [4]int // down, then across
	outputs, blank int
	chars          []string
	codes          [][]int
	scale          float64 // as in the file
	mode           byte    // of the weights
	layers         []string
	within         []int // layers, by the layer they are in
	left           int   // a part left out; 0 for none
}

func newTiny() *tiny {
	t := &tiny{
		height: 36, window: [2]int{1, 3}, kernel: [2]int{16, 9}, units: [4]int{16, 32, 16, 16}, outputs: 10, blank: 8,
		chars: []string{"NULL", "Joined", "|Broken|0|1", "a", "b", "é", "語", "誤", "文", "字", "-"},
		codes: [][]int{{0}, {9}, {8}, {1}, {2}, {3}, {4, 5}, {4, 5, 7}, {4, 6, 7}, {6, 6}, {8, 3}},
		scale: 0.02, mode: bytesOnly | wideScales,
	}
	for _, layer := range shape {
		t.layers = append(t.layers, layer.kind)
		t.within = append(t.within, layer.within)
	}
	return t
}

// file writes the model.
func (t *tiny) file() []byte {
	contents := map[int][]byte{partLSTM: t.network(), partUnicharset: t.unicharset(), partRecoder: t.recoder()}
	delete(contents, t.left)
	const n = partRecoder + 2
	head, body := writer{}, writer{}
	head.i32(n)
	for part := range n {
		if content, ok := contents[part]; ok {
			head.i64(int64(4 + 8*n + len(body)))
			body = append(body, content...)
		} else {
			head.i64(-1)
		}
	}
	return append(head, body...)
}

func (t *tiny) unicharset() []byte {
	var b strings.Builder
	fmt.Fprintln(&b, len(t.chars))
	for _, char := range t.chars {
		fmt.Fprintln(&b, char, "3 0,255,0,255,0,0,0,0,0,0 Latin 1 0 1 x")
	}
	return []byte(b.String())
}

func (t *tiny) recoder() []byte {
	w := writer{}
	w.i32(len(t.codes))
	for _, list := range t.codes {
		w.u8(1)
		w.i32(len(list))
		for _, code := range list {
			w.i32(code)
		}
	}
	return w
}

// network writes the layers one after another, as the plumbing among them has
// nothing after those within.
func (t *tiny) network() []byte {
	w, random := writer{}, rand.New(rand.NewPCG(7, 7))
	matrix := func(outputs, inputs int) { w.matrix(random, t.mode, outputs, inputs, t.scale) }
	lstms := 0
	for i, kind := range t.layers {
		w.layer(kind)
		switch kind {
		case "Series", "RTLReversed", "XYTranspose":
			w.i32(t.within[i])
		case "Input":
			w.i32(1, t.height, 0, 1, 0)
		case "Convolve":
			w.i32(t.window[0], t.window[0])
		case "Maxpool":
			w.i32(t.window[1], t.window[1])
		case "Tanh":
			matrix(t.kernel[0], t.kernel[1])
		case "Softmax":
			matrix(t.outputs, t.units[3])
		default:
			inputs := channels
			if lstms > 0 {
				inputs = t.units[lstms-1]
			}
			w.i32(inputs + t.units[lstms])
			for range 4 {
				matrix(t.units[lstms], inputs+t.units[lstms])
			}
			lstms++
		}
	}
	w.text("tiny")
	w.i32(65, 0, 0, t.blank, 0, 0, 0)
	return w
}

// writer appends numbers as a model file has them.
type writer []byte

func (w *writer) u8(n byte) { *w = append(*w, n) }

func (w *writer) i32(numbers ...int) {
	for _, n := range numbers {
		*w = binary.LittleEndian.AppendUint32(*w, uint32(int32(n)))
	}
}

func (w *writer) i64(n int64)   { *w = binary.LittleEndian.AppendUint64(*w, uint64(n)) }
func (w *writer) f64(n float64) { w.i64(int64(math.Float64bits(n))) }
func (w *writer) text(s string) { w.i32(len(s)); *w = append(*w, s...) }
func (w *writer) layer(k string) {
	w.u8(0)
	w.text(k)
	w.u8(0)
	w.u8(0)
	w.i32(0, 0, 0, 0)
	w.text(k)
}

// matrix writes random weights, with a column for the bias.
func (w *writer) matrix(random *rand.Rand, mode byte, outputs, inputs int, scale float64) {
	w.u8(mode)
	w.i32(outputs, inputs+1)
	w.u8(0)
	for range outputs * (inputs + 1) {
		w.u8(byte(random.Uint32()))
	}
	w.i32(outputs)
	for range outputs {
		w.f64(scale * (0.5 + random.Float64()))
	}
}

// loadTiny returns the model that newTiny describes.
func loadTiny(t testing.TB) *Model {
	t.Helper()
	m, err := Load(newTiny().file())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// modelFiles finds the models on this machine by their languages: those of
// WINDIE_TESSDATA, or else of the system's tesseract.
func modelFiles(t testing.TB) map[string]string {
	t.Helper()
	folder := "/usr/share/tesseract-ocr/*/tessdata"
	if dir := os.Getenv("WINDIE_TESSDATA"); dir != "" {
		folder = dir
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.traineddata"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range names {
		files[strings.TrimSuffix(filepath.Base(name), ".traineddata")] = name
	}
	return files
}

// englishFile returns the content of the model of English in the binary.
func englishFile(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(testkit.Network(t))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func english(t testing.TB) *Model {
	t.Helper()
	m, err := Load(englishFile(t))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomStrip draws bars and dots, so that every layer has something to do
// apart.
func randomStrip(random *rand.Rand, width, height int) Strip {
	s := Strip{Width: width, Pix: make([]uint8, width*height)}
	for x := range width {
		ink := random.IntN(3) == 0
		for y := range height {
			s.Pix[y*width+x] = 255
			if ink && random.IntN(4) > 0 || random.IntN(20) == 0 {
				s.Pix[y*width+x] = uint8(random.IntN(256))
			}
		}
	}
	return s
}

// text is what the characters spell.
func (r Reading) text() string {
	var b strings.Builder
	for _, c := range r {
		b.WriteString(c.Text)
	}
	return b.String()
}
