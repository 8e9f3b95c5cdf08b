package convnet

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/ngram"
)

// table is the one in the binary.
func table(t testing.TB) *ngram.Model {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "perception", "reader", "windie.ngrams"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := ngram.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// stepsOf makes steps of a text: one for each letter, a blank behind each. "[ūü]" is a letter that may be ü, at odds
// of six to four, and "(n)" a blank that may hide n, likewise.
func stepsOf(m *Model, text string) (steps [][]candidate) {
	class := func(r rune) int { return 1 + slices.Index(m.alphabet, r) }
	first, second := math.Log(0.6), math.Log(0.4)
	letters := []rune(text)
	for i := 0; i < len(letters); i++ {
		switch letters[i] {
		case '[':
			steps = append(steps, []candidate{{class(letters[i+1]), first}, {class(letters[i+2]), second}})
			i += 3
		case '(':
			steps = append(steps, []candidate{{0, first}, {class(letters[i+1]), second}})
			i += 2
		default:
			steps = append(steps, []candidate{{class(letters[i]), 0}})
		}
		steps = append(steps, []candidate{{0, 0}})
	}
	return steps
}

// What follows what decides where the network wavers, and nowhere else.
func TestLikeliest(t *testing.T) {
	t.Parallel()
	m := load(t)
	for _, tt := range []struct{ name, steps, want string }{
		{"an accent", "f[ūü]r alle", "für alle"},
		{"a hidden letter", "wi(n)dow", "window"},
		{"a hidden space", "file( )size", "file size"},
		{"a blank that hides nothing", "wi(i)ndow", "window"},
		{"a letter twice", "Instal(l)ing", "Installing"},
		{"a capital among capitals", "U[lI] settings", "UI settings"},
		{"a figure in a number", "1[O0]24", "1024"},
		{"a letter that is sure", "fūr alle", "fūr alle"},
		{"a code", "GD5QN-[QO]AKET", "GD5QN-QAKET"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			for _, class := range m.likeliest(stepsOf(m, tt.steps)) {
				got.WriteRune(m.alphabet[class-1])
			}
			if got.String() != tt.want {
				t.Errorf("%q is %q, want %q", tt.steps, got.String(), tt.want)
			}
		})
	}
}

// Peaks stand at the steps that spell them, sure by the network and the table.
func TestChoose(t *testing.T) {
	t.Parallel()
	m := load(t)
	w := &workspace{}
	for x, step := range stepsOf(m, "f[ūü]r al(l)l") {
		w.steps = append(w.steps, int32(len(w.candidates)))
		w.candidates = append(w.candidates, step...)
		if best := step[0]; best.class != 0 {
			w.peaks = append(w.peaks, peak{class: best.class, score: math.Exp(best.chance), from: x, to: x + 1})
		}
	}
	peaks := m.choose(w)
	if len(peaks) != 7 {
		t.Fatalf("%d peaks, want 7: %+v", len(peaks), peaks)
	}
	for i, p := range peaks[:6] {
		if p.from != 2*i || p.to != 2*i+1 {
			t.Errorf("letter %d is at steps %d to %d", i, p.from, p.to)
		}
	}
	if p := peaks[1]; m.alphabet[p.class-1] != 'ü' || p.score < 0.8 || m.alphabet[p.next-1] != 'ū' || p.nextScore > 0.2 {
		t.Errorf("ü is %+v", p)
	}
	if p := peaks[0]; p.score != 1 {
		t.Errorf("a sure letter has %v", p.score)
	}
}

// Without doubt the network's own peaks are the text.
func TestChooseLeavesSureTexts(t *testing.T) {
	t.Parallel()
	m := load(t)
	w := &workspace{steps: []int32{0, 1}, candidates: []candidate{{1, 0}, {0, 0}}, peaks: []peak{{class: 1, score: 0.99}}}
	if got := m.choose(w); len(got) != 1 || &got[0] != &w.peaks[0] {
		t.Errorf("%+v", got)
	}
}
