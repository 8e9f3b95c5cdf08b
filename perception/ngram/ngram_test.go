package ngram_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/ngram"
)

// file is the table in the binary.
func file(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "perception", "reader", "windie.ngrams"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func load(t testing.TB, data []byte) *ngram.Model {
	t.Helper()
	m, err := ngram.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// packed is a file that holds body.
func packed(t testing.TB, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	head := binary.LittleEndian.AppendUint32([]byte("windie ngrams 1\n"), crc32.ChecksumIEEE(out.Bytes()))
	return append(head, out.Bytes()...)
}

// two holds the characters a and b, and the sequence ab: its order, how many there are of each length, the
// characters, what goes on from each, the symbols, the chances, the falls.
var two = []byte{2, 2, 1, 2, 'a', 'b', 1, 0, 0, 0, 1, 4, 8, 2, 126, 128}

// A sequence that is in the table has its chance; another one falls back, at a cost.
func TestNext(t *testing.T) {
	t.Parallel()
	m := load(t, packed(t, two))
	for _, tt := range []struct {
		text string
		want float64 // of the last character
	}{
		{"a", -1}, {"b", -2}, {"ab", -0.5}, {"aa", 0.5 - 1}, {"ba", -1}, {"bb", -2}, {"abb", -2}, {"c", -14}, {"ac", -14},
	} {
		t.Run(tt.text, func(t *testing.T) {
			state, got := ngram.State(0), 0.0
			for _, r := range tt.text {
				state, got = m.Next(state, m.Symbol(r))
			}
			if math.Abs(got-tt.want) > 1e-6 {
				t.Errorf("%q has %v, want %v", tt.text, got, tt.want)
			}
		})
	}
}

// All characters that may follow are likely once together, whatever stands before.
func TestChancesAddUp(t *testing.T) {
	t.Parallel()
	m := load(t, file(t))
	alphabet := []rune(" etaonirsldcmpuhgfbyvwkxjzq0123456789.,:;-_/()\"'ETAOINSRHLDCUMFPGWYBVKXJQZ")
	for _, before := range []string{"", "th", "Save as", "Größ", "б", "0x4"} {
		t.Run(before, func(t *testing.T) {
			start := m.Start()
			for _, r := range before {
				start, _ = m.Next(start, m.Symbol(r))
			}
			sum := 0.0
			for _, r := range alphabet {
				_, chance := m.Next(start, m.Symbol(r))
				sum += math.Exp(chance)
			}
			if sum > 1.3 { // chances are rounded
				t.Errorf("after %q all have %.2f together", before, sum)
			}
		})
	}
}

// What programs say is likelier than what a reader might take for it.
func TestTable(t *testing.T) {
	t.Parallel()
	m := load(t, file(t))
	worth := func(text string) (sum float64) {
		state := m.Start()
		for _, r := range text + " " {
			next, chance := m.Next(state, m.Symbol(r))
			state, sum = next, sum+chance
		}
		return sum
	}
	for _, tt := range []struct{ is, not string }{
		{"zurücksetzen", "zurūcksetzen"}, {"Geräte", "Gerāte"}, {"Źródło", "Zródło"}, {"Według", "Wedtug"}, {"Invoice", "lnvoice"},
		{"UI", "Ul"}, {"-rw-r--r--", "- rw-r--r--"}, {"file size", "filesize"},
	} {
		t.Run(tt.is, func(t *testing.T) {
			if worth(tt.is) <= worth(tt.not) {
				t.Errorf("%q has %.1f, %q %.1f", tt.is, worth(tt.is), tt.not, worth(tt.not))
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	changed := func(at int, by byte) []byte {
		body := bytes.Clone(two)
		body[at] = by
		return packed(t, body)
	}
	damaged := bytes.Clone(file(t))
	damaged[len(damaged)/2] ^= 1
	many := append(bytes.Clone(two[:1]), 0xff, 0xff, 0xff, 0x7f)
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "not a table"},
		{"another version", []byte("windie ngrams 2\n....."), "not a table"},
		{"damaged", damaged, "its checksum differs"},
		{"too large", make([]byte, 4<<20+1), "at most 4194304 are allowed"},
		{"too long sequences", changed(0, 9), "at most 8 is allowed"},
		{"no sequences", changed(0, 0), "at most"},
		{"too many sequences", packed(t, many), "at most 4194304 is allowed"},
		{"more that go on", changed(6, 2), "more extensions"},
		{"fewer that go on", changed(6, 0), "more entries than the sequences have extensions"},
		{"a character that is not there", changed(10, 2), "a character that is not in the alphabet"},
		{"an end in the middle", packed(t, two[:len(two)-1]), "ends too early"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ngram.Load(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(two)
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := ngram.Load(packed(t, body))
		if err != nil {
			return
		}
		state := m.Start()
		for _, r := range "ab ab" {
			state, _ = m.Next(state, m.Symbol(r))
		}
	})
}
