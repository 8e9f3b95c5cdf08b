// Package lstm reads text lines with the networks that Tesseract publishes.
//
//	model, err := lstm.Load(data) // of eng.traineddata
//	readings, err := model.Read(ctx, strips)
//
// A strip is one line of text, dark on light, scaled to the model's height and cut close: networks
// read marks into more white than they were trained on. A step of the network is three columns. For
// each step it scores the codes of all characters and of a blank; a peak is a run of steps with one
// best code, and a reading is what the peaks of characters spell.
//
//	strip -> convolution -> down the columns -> across, three times -> scores -> peaks -> reading
//
// # Models
//
// Load reads the models of Tesseract's tessdata_fast, which systems install as tesseract-ocr-eng
// and the like. They share one shape, in sizes of their own, and have bytes for weights. A
// character has one code, as in Latin, or several, as in Chinese. Load refuses models called best,
// whose weights are not bytes, those of the older engine, and osd, which has no network. The
// characters of all scripts come from left to right.
//
// Dictionaries are not used: interfaces show names and numbers as often as words.
//
// # Kernels
//
// What passes from layer to layer is bytes too. The network runs on four strips at a time, which
// share each weight that is fetched. Kernel names the inner loops, which read the same, to the bit;
// another kind of processor may differ in the last bits of a confidence. Without the vector
// instructions of amd64 reading takes many times as long.
package lstm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/internal/fair"
)

// Model is the network of one language. Once it reads, it is safe for concurrent use.
type Model struct {
	net        *network
	alphabet   *alphabet
	kernel     *kernel
	workspaces sync.Pool // of *workspace
}

// Strip is a line of text: Model.Height rows of Width pixels, from 0, the ink, to 255, the paper.
type Strip struct {
	Width int
	Pix   []uint8
}

// MaxWidth is the widest strip that is read, in pixels.
const MaxWidth = 1 << 16

// Reading is the characters of a strip from left to right, white space included.
type Reading []Char

// Char is one character as it was read.
type Char struct {
	Text       string
	Confidence float64 // 0..1
	From, To   int     // the columns of the strip whose steps gave it: its peak, not its extent
	Else       string  // the next best character; empty when there is none, or Text has several codes
	ElseScore  float64 // its confidence, 0..1; zero without Else
	Fits       float64 // how likely it is to follow those before it, as a logarithm; zero if that is not known
}

// Load makes a model of a traineddata file of the fast kind. Its errors report
// what about the file cannot be used. It keeps nothing of data.
func Load(data []byte) (*Model, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("the file has %d bytes; at most %d are read", len(data), maxFileBytes)
	}
	found, err := parts(data)
	if err != nil {
		return nil, err
	}
	net, err := parseNetwork(found[partLSTM])
	if err != nil {
		return nil, fmt.Errorf("the network: %w", err)
	}
	chars, err := parseUnicharset(found[partUnicharset])
	if err != nil {
		return nil, err
	}
	codes, err := parseRecoder(found[partRecoder])
	if err != nil {
		return nil, fmt.Errorf("the codes: %w", err)
	}
	alphabet, err := newAlphabet(chars, codes, net)
	if err != nil {
		return nil, err
	}
	m := &Model{net: net, alphabet: alphabet, kernel: kernels[0]}
	m.workspaces.New = func() any { return new(workspace) }
	return m, nil
}

// Height is how high a strip must be, in pixels.
func (m *Model) Height() int { return m.net.height }

// Kernels names the inner loops that this machine can run, the fastest first.
// The last is "portable", which needs no vector instructions. All read alike.
func Kernels() []string {
	names := make([]string, len(kernels))
	for i, k := range kernels {
		names[i] = k.name
	}
	return names
}

// Use has the model read with one of the Kernels. It must not be called while the model reads.
func (m *Model) Use(kernel string) error {
	i := slices.Index(Kernels(), kernel)
	if i < 0 {
		return fmt.Errorf("this machine has no kernel %q, only %s", kernel, strings.Join(Kernels(), ", "))
	}
	m.kernel = kernels[i]
	return nil
}

// Read returns a reading of each strip, in order. A strip less than three pixels wide reads as
// nothing. When ctx ends Read returns its error soon.
func (m *Model) Read(ctx context.Context, strips []Strip) ([]Reading, error) {
	return m.read(ctx, m.kernel, strips)
}

func (m *Model) read(ctx context.Context, k *kernel, strips []Strip) ([]Reading, error) {
	for i, s := range strips {
		if s.Width < 0 || s.Width > MaxWidth || len(s.Pix) != s.Width*m.net.height {
			return nil, fmt.Errorf("strip %d is %d wide and has %d pixels, not %d rows of at most %d", i, s.Width, len(s.Pix), m.net.height, MaxWidth)
		}
	}
	// Strips of similar width share a batch, so that few steps are idle; the
	// widest go first, so that the processors end at about the same time.
	order := make([]int, len(strips))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strips[b].Width - strips[a].Width })
	readings := make([]Reading, len(strips))
	batches := slices.Collect(slices.Chunk(order, batch))
	err := fair.Each(ctx, len(batches), func(i int) {
		w := m.workspaces.Get().(*workspace)
		defer m.workspaces.Put(w)
		_ = m.readBatch(ctx, k, w, strips, batches[i], readings) // fails with ctx's error alone
	})
	if err != nil {
		return nil, err
	}
	return readings, nil
}

// readBatch reads the strips named by members, at most batch of them.
func (m *Model) readBatch(ctx context.Context, k *kernel, w *workspace, strips []Strip, members []int, readings []Reading) error {
	for lane := range w.lanes {
		l := &w.lanes[lane]
		l.steps = 0
		if lane < len(members) && ctx.Err() == nil {
			l.front(k, m.net, strips[members[lane]])
		}
	}
	if err := w.columns(ctx, k, m.net); err != nil {
		return err
	}
	for _, layer := range m.net.across {
		if err := w.across(ctx, k, layer); err != nil {
			return err
		}
	}
	for lane, i := range members {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l := &w.lanes[lane]
		l.scores(k, m.net)
		readings[i] = m.alphabet.spellOut(l.peaks.list)
	}
	return nil
}
