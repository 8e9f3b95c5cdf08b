package lstm

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestLoadTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*tiny)
		want   string
	}{
		"a model of the older engine":   {func(m *tiny) { m.left = partLSTM }, "no network; expected a model for Tesseract's LSTM engine"},
		"no character set":              {func(m *tiny) { m.left = partUnicharset }, "no character set"},
		"no codes":                      {func(m *tiny) { m.left = partRecoder }, "no codes of the characters"},
		"weights that are not bytes":    {func(m *tiny) { m.mode = wideScales }, "not bytes"},
		"scales of another size":        {func(m *tiny) { m.mode = bytesOnly }, "not bytes"},
		"another layer":                 {func(m *tiny) { m.layers[8] = "Parallel" }, `"Parallel", not a LSTM`},
		"a layer with more within":      {func(m *tiny) { m.within[9] = 2 }, "contains 2 layers, not 1"},
		"a layer with none within":      {func(m *tiny) { m.within[0] = 0 }, "contains 0 layers, not 8"},
		"another window":                {func(m *tiny) { m.window[0] = 2 }, "a Convolve has the unsupported size 2 by 2"},
		"another maximum":               {func(m *tiny) { m.window[1] = 2 }, "a Maxpool has the unsupported size 2 by 2"},
		"a convolution of colours":      {func(m *tiny) { m.kernel[1] = 27 }, "unsupported sizes: 27 inputs and 16 channels"},
		"a convolution as it is packed": {func(m *tiny) { m.kernel[1] = 12 }, "unsupported sizes: 12 inputs"},
		"a convolution of few channels": {func(m *tiny) { m.kernel[0] = 15 }, "and 15 channels"},
		"a convolution of nothing":      {func(m *tiny) { m.kernel[0] = 0 }, "invalid sizes: 0 by 9"},
		"only a bias":                   {func(m *tiny) { m.kernel[1] = 0 }, "a matrix has invalid sizes: 16 by 0"},
		"not even a bias":               {func(m *tiny) { m.kernel[1] = -1 }, "a matrix has invalid sizes: 16 by -1"},
		"units that fill no register":   {func(m *tiny) { m.units[2] = 24 }, "24 units"},
		"no height":                     {func(m *tiny) { m.height = 0 }, "lines 0 pixels high"},
		"a height between steps":        {func(m *tiny) { m.height = 35 }, "lines 35 pixels high"},
		"a great height":                {func(m *tiny) { m.height = maxHeight + 3 }, "99 pixels of height; at most 96"},
		"a blank without a score":       {func(m *tiny) { m.blank = m.outputs }, "with the blank 10"},
		"a negative blank":              {func(m *tiny) { m.blank = -1 }, "with the blank -1"},
		"a scale that is no number":     {func(m *tiny) { m.scale = math.NaN() }, "a scale is NaN"},
		"a great scale":                 {func(m *tiny) { m.scale = 1000 }, "a scale is"},
		"a negative scale":              {func(m *tiny) { m.scale = -m.scale }, "a scale is -"},
		"a code without a score":        {func(m *tiny) { m.codes[3] = []int{10} }, "character 3 has the invalid code 10; the network has 10 codes"},
		"a negative code":               {func(m *tiny) { m.codes[7][2] = -1 }, "character 7 has the invalid code -1"},
		"more codes than characters":    {func(m *tiny) { m.chars = m.chars[:5] }, "codes for 11 characters, but contains only 5 characters"},
		"codes that are too long":       {func(m *tiny) { m.codes[7] = make([]int, maxCodes+1) }, "10 codes of one character; at most 9"},
		"no characters":                 {func(m *tiny) { m.chars = nil }, "not a valid number of characters"},
		"characters on two lines":       {func(m *tiny) { m.chars[3] = "a\nb" }, "more than the 11 characters that its first line declares"},
		"characters in another coding":  {func(m *tiny) { m.chars[5] = "\xe9" }, "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTiny()
			c.change(m)
			if _, err := Load(m.file()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Load: %v; want %q in it", err, c.want)
			}
		})
	}
}

func TestLoadRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":   {nil, "the file ends 4 bytes too early"},
		"a picture": {append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 1000)...), "1196314761 parts"},
		"text":      {[]byte(strings.Repeat("all work and no play ", 50)), "parts; at most 64"},
		"zeros":     {make([]byte, 1000), "no network"},
		"ones":      {bytes.Repeat([]byte{0xff}, 1000), "-1 parts"},
		"too large": {make([]byte, maxFileBytes+1), "the file has 268435457 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			if m, err := Load(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, %v; want %q", name, m, err, c.want)
			}
		})
	}
}

// A file that is cut short does not load, wherever in a part the end is.
func TestLoadTruncated(t *testing.T) {
	t.Parallel()
	model := newTiny()
	network, chars, codes := model.network(), model.unicharset(), model.recoder()
	end := len(network) - 3*4 // the last three numbers are of no use
	for _, n := range append(spread(0, end, 1000), end-1) {
		if _, err := parseNetwork(network[:n]); err == nil {
			t.Fatalf("%d of %d bytes make a network", n, len(network))
		}
	}
	for n := range bytes.LastIndexByte(chars[:len(chars)-1], '\n') + 1 {
		if _, err := parseUnicharset(chars[:n]); err == nil {
			t.Fatalf("%d of %d bytes make a character set", n, len(chars))
		}
	}
	for n := range codes {
		if _, err := parseRecoder(codes[:n]); err == nil {
			t.Fatalf("%d of %d bytes make codes", n, len(codes))
		}
	}
}

// Whatever is done to a file, it is refused or read; and little more memory
// is taken than it has bytes. This test is not parallel, as it measures that.
func TestLoadDamaged(t *testing.T) {
	eng := englishFile(t)
	found, err := parts(eng)
	if err != nil {
		t.Fatal(err)
	}
	head := 4 + 8*24
	for name, c := range map[string]struct {
		data   []byte
		places []int
	}{
		"tiny": {newTiny().file(), spread(0, len(newTiny().file()), 500)},
		"real": {eng, append(spread(0, head, 16), spread(len(eng)-cap(found[partLSTM]), len(eng), 12)...)},
	} {
		for _, at := range c.places {
			for _, flip := range []byte{0x01, 0x80, 0xff} {
				data := bytes.Clone(c.data)
				data[at] ^= flip
				loadWithin(t, data)
			}
			loadWithin(t, c.data[:at])
		}
		t.Logf("%s: %d places in %d bytes", name, len(c.places), len(c.data))
	}
}

// spread returns about n places between from and to.
func spread(from, to, n int) []int {
	var places []int
	for at := from; at < to; at += max(1, (to-from)/n) {
		places = append(places, at)
	}
	return places
}

// loadWithin loads data and reads a strip, if that is possible, and fails when
// loading takes far more memory than the data.
func loadWithin(t *testing.T, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Load(data)
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(64*len(data)+1<<18); got > most {
		t.Fatalf("%d bytes take %d of memory to load", len(data), got)
	}
	if err == nil {
		readSomething(t, m)
	}
}

// readSomething reads a short strip on all kernels.
func readSomething(t *testing.T, m *Model) {
	t.Helper()
	strips := []Strip{randomStrip(rand.New(rand.NewPCG(3, 3)), 31, m.Height())}
	var first []Reading
	for i, k := range kernels {
		readings, err := m.read(t.Context(), k, strips)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = readings
		}
		if !reflect.DeepEqual(readings, first) {
			t.Fatalf("%s reads %+v, %s %+v", k.name, readings, kernels[0].name, first)
		}
	}
}

// A count in the file is no reason to take memory: what it counts must be
// there. This test is not parallel, as it measures that.
func TestLoadCountsOfNothing(t *testing.T) {
	lines := writer("65536\n")
	for range 10 {
		lines = append(lines, strings.Repeat("\n", 1<<20)...)
	}
	codes := writer{}
	codes.i32(maxChars)
	for name, load := range map[string]func() error{
		"characters":           func() error { _, err := parseUnicharset([]byte("65536\na 0\n")); return err },
		"lines":                func() error { _, err := parseUnicharset(lines); return err },
		"codes":                func() error { _, err := parseRecoder(codes); return err },
		"layers with no layer": func() error { _, err := parseNetwork(newTiny().network()[:40]); return err },
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := load()
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 1<<23 {
				t.Errorf("%s: %v, and %d bytes of memory", name, err, got)
			}
		})
	}
}

// FuzzLoad loads patch by itself, and a model that was cut short and has it
// somewhere. So what is fuzzed stays short, where a model is mostly weights.
func FuzzLoad(f *testing.F) {
	small := newTiny()
	small.height, small.units = 6, [4]int{16, 16, 16, 16}
	file := small.file()
	f.Add([]byte(nil), 0, len(file))
	f.Add([]byte{0xff, 0xff, 0xff, 0x7f}, 0, len(file))
	f.Add([]byte("Softmax"), 300, len(file))
	f.Add(file[:4+8*25], 4, 400)
	if name := modelFiles(f)["eng"]; name != "" {
		f.Add(englishFile(f)[:1024], 0, len(file))
	}
	f.Fuzz(func(t *testing.T, patch []byte, at, end int) {
		changed := bytes.Clone(file[:uint(end)%uint(len(file)+1)])
		if len(changed) > 0 {
			copy(changed[uint(at)%uint(len(changed)):], patch)
		}
		for _, data := range [][]byte{patch, changed} {
			if m, err := Load(data); err == nil {
				readSomething(t, m)
			}
		}
	})
}
