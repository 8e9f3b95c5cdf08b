package minilm_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/models/minilm"
)

// cosine returns how alike two vectors are, which need not have the length 1.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

func embed(t testing.TB, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := minilm.Opened(t).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors
}

// manyTexts returns texts of all lengths, among them the empty one and some that are cut off.
func manyTexts() []string {
	random := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields("how do I reset my password the quick brown fox Zażółć gęślą jaźń 你好 안녕하세요 screen button")
	texts := []string{"", " ", "\x00"}
	for i := range 24 {
		var text []string
		for range random.IntN(1 + 12*i) {
			text = append(text, words[random.IntN(len(words))])
		}
		texts = append(texts, strings.Join(text, " "))
	}
	return texts
}

func TestBatchIsAsAlone(t *testing.T) {
	t.Parallel()
	texts := manyTexts()
	for i, together := range embed(t, texts...) {
		alone := embed(t, texts[i])[0]
		if c := cosine(alone, together); !(c > .9999999) {
			t.Errorf("text %d of %d tokens: cosine %v", i, minilm.Opened(t).Tokens(texts[i]), c)
		}
	}
}

func TestVectorsHaveLengthOne(t *testing.T) {
	t.Parallel()
	for i, v := range embed(t, manyTexts()...) {
		var sum float64
		for _, f := range v {
			sum += float64(f) * float64(f)
		}
		if len(v) != minilm.Width || !(math.Abs(math.Sqrt(sum)-1) < 1e-5) {
			t.Errorf("vector %d has %d numbers and the length %v", i, len(v), math.Sqrt(sum))
		}
	}
}

func TestMeaning(t *testing.T) {
	t.Parallel()
	v := embed(t, "How do I reset my password?", "I forgot my login, help me change it", "The weather is nice today")
	if like, unlike := cosine(v[0], v[1]), cosine(v[0], v[2]); like < .5 || unlike > .2 {
		t.Errorf("texts that mean the same have the cosine %v, others %v", like, unlike)
	}
}

func TestNoTexts(t *testing.T) {
	t.Parallel()
	if v := embed(t); len(v) != 0 {
		t.Errorf("no texts have %d vectors", len(v))
	}
}

// Several callers at once get what each gets alone.
func TestManyCallers(t *testing.T) {
	t.Parallel()
	texts := manyTexts()[:24]
	want := embed(t, texts...)
	var callers sync.WaitGroup
	for i, text := range texts {
		callers.Go(func() {
			v, err := minilm.Opened(t).Embed(t.Context(), []string{text})
			if err != nil || !(cosine(v[0], want[i]) > .9999999) {
				t.Errorf("text %d: %v", i, err)
			}
		})
	}
	callers.Wait()
}

// ending is a context that ends when it has been asked n times.
type ending struct {
	context.Context
	mu   sync.Mutex
	left int
}

func (e *ending) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestEmbedStopsWithItsContext(t *testing.T) {
	t.Parallel()
	m := minilm.Opened(t)
	for name, texts := range map[string][]string{"alone": {"some words"}, "batch": manyTexts()} {
		for _, left := range []int{0, 1, len(texts), len(texts) + 5} {
			t.Run(name+" "+strconv.Itoa(left), func(t *testing.T) {
				v, err := m.Embed(&ending{Context: t.Context(), left: left}, texts)
				if !errors.Is(err, context.Canceled) || v != nil {
					t.Errorf("%d vectors: %v", len(v), err)
				}
			})
		}
	}
}

// copied returns a folder with the vocabulary and, where weights is true, a file of the weights' size.
func copied(t *testing.T, weights bool) string {
	t.Helper()
	dir := t.TempDir()
	list, err := os.ReadFile(filepath.Join(minilm.Weights(t), "vocab.txt"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "vocab.txt"), list, 0o600)
	}
	name := filepath.Join(dir, "model.safetensors")
	if err == nil && weights {
		err = errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 90_868_376))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpenMissing(t *testing.T) {
	t.Parallel()
	t.Run("both", func(t *testing.T) {
		if _, err := minilm.Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("weights", func(t *testing.T) {
		_, err := minilm.Open(copied(t, false))
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "model.safetensors") {
			t.Error(err)
		}
	})
}

func TestOpenDamaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, want string
		damage           func(name string) error
	}{
		{"zeros", "model.safetensors", "SHA-256", func(string) error { return nil }},
		{"short", "model.safetensors", "bytes", func(name string) error { return os.Truncate(name, 90_868_375) }},
		{"long", "model.safetensors", "bytes", func(name string) error { return os.Truncate(name, 90_868_377) }},
		{"short list", "vocab.txt", "bytes", func(name string) error { return os.Truncate(name, 231_507) }},
		{"huge list", "vocab.txt", "bytes", func(name string) error { return os.Truncate(name, 1<<40) }},
		{"changed list", "vocab.txt", "SHA-256", flip},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copied(t, true)
			if err := c.damage(filepath.Join(dir, c.file)); err != nil {
				t.Fatal(err)
			}
			_, err := minilm.Open(dir)
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			for _, part := range []string{filepath.Join(dir, c.file), c.want, "fetch it again"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			}
		})
	}
}

// flip changes a bit in the middle of a file.
func flip(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 1
	return os.WriteFile(name, data, 0o600)
}

// The vectors in the file are those of the library sentence-transformers, in numbers of 16 bits.
func TestReference(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "reference.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("there are no vectors to compare with")
	}
	var reference struct {
		Texts   []string
		Vectors string
	}
	if err == nil {
		err = json.Unmarshal(data, &reference)
	}
	if err != nil {
		t.Fatal(err)
	}
	packed, err := base64.StdEncoding.DecodeString(reference.Vectors)
	if err != nil || len(packed) != 2*minilm.Width*len(reference.Texts) {
		t.Fatalf("%d bytes for %d texts: %v", len(packed), len(reference.Texts), err)
	}
	worst := 1.0
	for i, got := range embed(t, reference.Texts...) {
		want := make([]float32, minilm.Width)
		for n := range want {
			want[n] = half(binary.LittleEndian.Uint16(packed[2*(i*minilm.Width+n):]))
		}
		c := cosine(got, want)
		if worst = min(worst, c); !(c >= .99999) {
			t.Errorf("text %d, %.60q: cosine %v", i, reference.Texts[i], c)
		}
	}
	t.Logf("%d texts, worst cosine %.8f", len(reference.Texts), worst)
}

// half returns the value of a number of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
func half(bits uint16) float32 {
	exponent, fraction := int(bits>>10&31), float64(bits&0x3ff)
	if exponent > 0 {
		fraction += 0x400
	}
	value := math.Ldexp(fraction, max(exponent, 1)-25)
	if bits>>15 == 1 {
		value = -value
	}
	return float32(value)
}
