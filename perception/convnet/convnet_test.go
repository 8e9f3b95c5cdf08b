package convnet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/layers"
	"github.com/windieos/windie/perception/lstm"
)

// file is the network in the binary.
func file(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "perception", "reader", "windie.net"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func load(t testing.TB) *Model {
	t.Helper()
	m, err := Load(file(t))
	if err != nil {
		t.Fatal(err)
	}
	m.Choose(table(t))
	return m
}

// noise is a strip of upright strokes of random lengths and darkness.
func noise(r *rand.Rand, width int) lstm.Strip {
	s := lstm.Strip{Width: width, Pix: make([]uint8, width*height)}
	for i := range s.Pix {
		s.Pix[i] = uint8(255 - r.IntN(12))
	}
	for x := 2; x+2 < width; x += 7 { // strokes, as of letters
		for y := 4 + r.IntN(4); y < 18; y++ {
			s.Pix[y*width+x], s.Pix[y*width+x+1] = uint8(r.IntN(12)), uint8(r.IntN(90))
		}
	}
	return s
}

// All kernels read the same, to the bit, and so do strips alone and beside others.
func TestKernelsReadAlike(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var strips []lstm.Strip
	for _, width := range []int{1, 2, 3, 7, 8, 23, 64, 65, 150, 900} {
		strips = append(strips, noise(r, width))
	}
	m := load(t)
	want, err := m.Read(t.Context(), strips)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(want, func(r lstm.Reading) bool { return len(r) > 3 }) {
		t.Fatal("noise reads as nothing, which shows nothing")
	}
	for _, kernel := range lstm.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			m := load(t)
			if err := m.Use(kernel); err != nil {
				t.Fatal(err)
			}
			for i, s := range strips {
				got, err := m.Read(t.Context(), []lstm.Strip{s})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got[0], want[i]) {
					t.Errorf("%d columns: %v, want %v", s.Width, got[0], want[i])
				}
			}
		})
	}
	if err := m.Use("abacus"); err == nil {
		t.Error("a kernel that is not there is used")
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	m := load(t)
	for name, s := range map[string]lstm.Strip{
		"too few pixels": {Width: 5, Pix: make([]uint8, 5*height-1)},
		"too wide":       {Width: lstm.MaxWidth + 1, Pix: make([]uint8, (lstm.MaxWidth+1)*height)},
		"less than none": {Width: -1},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := m.Read(t.Context(), []lstm.Strip{s}); err == nil {
				t.Error("it is read")
			}
		})
	}
	if got, err := m.Read(t.Context(), []lstm.Strip{{}}); err != nil || len(got[0]) != 0 {
		t.Errorf("an empty strip: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Read(ctx, []lstm.Strip{noise(rand.New(rand.NewPCG(1, 1)), 50)}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// sealed gives a file the checksum that it should have.
func sealed(data []byte) []byte {
	body := data[:len(data)-4]
	return binary.LittleEndian.AppendUint32(bytes.Clone(body), crc32.ChecksumIEEE(body))
}

func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	whole := file(t)
	at := len(magic)
	set := func(at int, v uint32) []byte {
		data := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(data[at:], v)
		return sealed(data)
	}
	letters := int(binary.LittleEndian.Uint32(whole[at:]))
	units := at + 8 + letters
	blocks := int(binary.LittleEndian.Uint32(whole[at+4:]))
	first := units + 4*(6+2*blocks)
	for _, tt := range []struct {
		name, text string
		data       []byte
	}{
		{"empty", "not a network of this version", nil},
		{"another version", "not a network of this version", append([]byte("windie convnet 9\n"), whole[at:]...)},
		{"a byte changed", "checksum", append(bytes.Clone(whole[:5000]), append([]byte{whole[5000] + 1}, whole[5001:]...)...)},
		{"cut short", "checksum", whole[:len(whole)-9]},
		{"cut short and sealed", "the file ends too early", sealed(whole[:len(whole)-9])},
		{"cut in the first layer's sizes", "the file ends too early", sealed(whole[:first+4+4])},
		{"more behind it", "1 extra bytes after its end", sealed(append(bytes.Clone(whole), 0))},
		{"no blocks", "has 0 blocks", set(at+4, 0)},
		{"many blocks", "blocks; 1 to", set(at+4, 1<<31)},
		{"a huge alphabet", "", set(at, 1<<31)},
		{"one letter less", "", set(at, uint32(letters-1))},
		{"an activation worth nothing", "must be greater than 0", set(units, 0)},
		{"an activation that is no number", "out of range", set(units, 0x7fc00000)},
		{"a layer with many outputs", "a layer has", set(first, 1<<30)},
		{"a layer with other inputs", "", set(first+4, 10)},
		{"too long", "bytes; at most", make([]byte, layers.MaxFileBytes+1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Load(tt.data); err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%v, want one with %q", err, tt.text)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	whole := file(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < len(magic)+12 {
			return
		}
		if m, err := Load(sealed(data)); err == nil {
			if _, err := m.Read(t.Context(), []lstm.Strip{noise(rand.New(rand.NewPCG(1, 1)), 20)}); err != nil {
				t.Error(err)
			}
		}
	})
}

// Words are spelt in the alphabet that has their letters.
func TestUnfold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ read, want string }{
		{"Save as", "Save as"},
		{"Фaйл", "Файл"},
		{"дa oн", "да он"},
		{"Фaйл README.md", "Файл README.md"},
		{"Файлы в caxape", "Файлы в сахаре"},
		{"Eλλάδα OK", "Ελλάδα ΟΚ"},
		{"μετά", "μετά"},
		{"5 μm", "5 μm"},
		{"ключ -s, 234M и 1K", "ключ -s, 234M и 1K"},
		{"12:45", "12:45"},
		{"Salvaţi fişierul", "Salvați fișierul"},
		{"Şi dacă", "Și dacă"},
		{"Şahin", "Şahin"},
		{"Það er Đ", "Það er Ð"},
		{"Đorđe", "Đorđe"},
		{"", ""},
	} {
		t.Run(tt.read, func(t *testing.T) {
			if got := string(unfold([]rune(tt.read))); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// A letter that no alphabet has besides those around it is the network's second choice, if that goes with them.
func TestAgree(t *testing.T) {
	t.Parallel()
	const classes = "NOTIFCAПSйфлajк1-Ч6m4"
	for _, tt := range []struct {
		read, next, want string
		sure             float64
	}{
		{"NOTIFICAПIONS", "T", "NOTIFICATIONS", 0.1},
		{"NOTIFICAПIONS", "T", "NOTIFICAПIONS", 0.001},
		{"NOTIFICAПIONS", "й", "NOTIFICAПIONS", 0.1},
		{"йфл", "T", "йфл", 0.1},
		{"ППA", "T", "ППА", 0.1},
		{"aПл", "T", "аПл", 0.1},
		{"SЧ6m", "4", "S46m", 0.1},
	} {
		t.Run(tt.read+" "+tt.next, func(t *testing.T) {
			m := &Model{alphabet: []rune(classes)}
			class := func(r rune) int { return 1 + slices.Index(m.alphabet, r) }
			var peaks []peak
			for _, r := range tt.read {
				peaks = append(peaks, peak{class: class(r), next: class([]rune(tt.next)[0]), score: 1 - tt.sure, nextScore: tt.sure})
			}
			got := ""
			for _, c := range m.spell(peaks) {
				got += c.Text
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Where the network saw letters of a script that it does not know they stand, each for itself.
func TestUnknownWords(t *testing.T) {
	t.Parallel()
	m := &Model{alphabet: []rune("ab " + UnknownCJK + UnknownOther)}
	peaks := []peak{{class: 1, to: 1}, {class: 4, from: 2, to: 3}, {class: 4, from: 4, to: 6}, {class: 3, from: 7, to: 8}, {class: 5, from: 11, to: 12}}
	var got strings.Builder
	for _, c := range m.spell(peaks) {
		got.WriteString(c.Text)
	}
	if want := "a" + UnknownCJK + UnknownCJK + " " + UnknownOther; got.String() != want {
		t.Errorf("%q, want %q", got.String(), want)
	}
	if c := m.spell(peaks)[2]; c.From != 8 || c.To != 12 {
		t.Errorf("the second is at %d to %d", c.From, c.To)
	}
}

func BenchmarkRead(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	strips := make([]lstm.Strip, 64)
	for i := range strips {
		strips[i] = noise(r, 128)
	}
	for _, kernel := range lstm.Kernels() {
		b.Run(kernel, func(b *testing.B) {
			m := load(b)
			if err := m.Use(kernel); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := m.Read(b.Context(), strips); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(strips)), "µs/line")
		})
	}
}
