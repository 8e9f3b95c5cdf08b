// Package lstm reads text lines with the networks that Tesseract publishes.
//
//	model, err := lstm.Load(data) // of eng.traineddata
//	readings, err := model.Read(ctx, strips)
//
// A strip is one line of text, dark on light, scaled to the model's height and cropped tightly:
// with more white than in training, the network reads marks that do not exist. A step of the
// network is three columns. For each step the network scores the codes of all characters and of a
// blank. A peak is a run of steps with the same best code. The reading is the sequence of
// characters that the codes of the peaks spell.
//
//	strip -> convolution -> down the columns -> across, three times -> scores -> peaks -> reading
//
// # Models
//
// Load reads the models of Tesseract's tessdata_fast, which systems install as tesseract-ocr-eng
// and similar packages. They have the same layers in different sizes, and bytes for weights. A
// character has one code, as in Latin, or several, as in Chinese. Load refuses models called best,
// whose weights are not bytes, models of the older engine, and osd, which has no network. The
// characters of all scripts come from left to right.
//
// The package uses no dictionaries: interfaces show names and numbers as often as words.
//
// # Kernels
//
// The values between the layers are bytes too. The network processes four strips at a time, which
// share each loaded weight. A kernel is a set of inner loops. On one machine all kernels return the
// same bits; another kind of processor may differ in the last bits of a confidence. Without the
// vector instructions of amd64 reading takes many times as long.
package lstm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/internal/fair"
)

// Model is the neural network that reads one language. Its methods except Use are safe for
// concurrent use.
type Model struct {
	net        *network
	alphabet   *alphabet
	kernel     *kernel
	workspaces sync.Pool // of *workspace
}

// Strip is the picture of a line of text.
type Strip struct {
	// Width is in pixels, 0 to MaxWidth.
	Width int
	// Pix has Model.Height rows of Width pixels, from 0 for ink to 255 for paper.
	Pix []uint8
}

// MaxWidth is the maximum width of a strip, in pixels.
const MaxWidth = 1 << 16

// Reading is the text of a strip: its characters from left to right, including spaces.
type Reading []Char

// Char is one character of a Reading.
type Char struct {
	// Text is the character in UTF-8.
	Text       string
	Confidence float64 // probability that Text is right, 0..1
	// From and To are the columns of the strip in which the network recognised the character. To is
	// exclusive. The character itself may be wider.
	From, To int
	// Else is the second best character. It is empty if there is none, or if the network uses
	// several codes for Text.
	Else string
	// ElseScore is the confidence of Else, 0..1. It is zero if Else is empty.
	ElseScore float64
	// Fits is the natural logarithm of the probability that the character follows the characters
	// before it. Zero means unknown.
	Fits float64
}

// Load parses a traineddata file of the fast kind. If a part of the file is unusable, Load fails
// and the error names this part. The model does not retain data.
func Load(data []byte) (*Model, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("the file has %d bytes; at most %d are allowed", len(data), maxFileBytes)
	}
	found, err := parts(data)
	if err != nil {
		return nil, err
	}
	net, err := parseNetwork(found[partLSTM])
	if err != nil {
		return nil, fmt.Errorf("invalid network: %w", err)
	}
	chars, err := parseUnicharset(found[partUnicharset])
	if err != nil {
		return nil, err
	}
	codes, err := parseRecoder(found[partRecoder])
	if err != nil {
		return nil, fmt.Errorf("invalid character codes: %w", err)
	}
	alphabet, err := newAlphabet(chars, codes, net)
	if err != nil {
		return nil, err
	}
	m := &Model{net: net, alphabet: alphabet, kernel: kernels[0]}
	m.workspaces.New = func() any { return new(workspace) }
	return m, nil
}

// Height returns the height that every strip must have, in pixels.
func (m *Model) Height() int { return m.net.height }

// Kernels returns the names of the kernels that this machine supports, the fastest kernel first. A
// kernel is an implementation of the network for a set of vector instructions. The last kernel is
// "portable", which needs no vector instructions. All kernels return the same readings.
func Kernels() []string {
	names := make([]string, len(kernels))
	for i, k := range kernels {
		names[i] = k.name
	}
	return names
}

// Use selects one of Kernels by its name. The default is the fastest kernel. Use fails if the
// machine does not support the kernel. Do not call Use while the model reads.
func (m *Model) Use(kernel string) error {
	i := slices.Index(Kernels(), kernel)
	if i < 0 {
		return fmt.Errorf("this machine has no kernel %q; its kernels are %s", kernel, strings.Join(Kernels(), ", "))
	}
	m.kernel = kernels[i]
	return nil
}

// Read reads strips, and returns the readings in the same order. A strip that is less than three
// pixels wide has an empty reading. Read fails if the size of a strip is invalid. Soon after ctx
// ends, it returns the error of ctx.
func (m *Model) Read(ctx context.Context, strips []Strip) ([]Reading, error) {
	return m.read(ctx, m.kernel, strips)
}

// read is Read with a chosen kernel.
func (m *Model) read(ctx context.Context, k *kernel, strips []Strip) ([]Reading, error) {
	for i, s := range strips {
		if s.Width < 0 || s.Width > MaxWidth || len(s.Pix) != s.Width*m.net.height {
			return nil, fmt.Errorf("strip %d: its width is %d pixels and it has %d pixels in total; expected %d rows of at most %d pixels", i, s.Width, len(s.Pix), m.net.height, MaxWidth)
		}
	}
	// Strips of similar width share a batch, so that few lanes are idle. The widest batches go
	// first, so that all cores finish at about the same time.
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
		_ = m.readBatch(ctx, k, w, strips, batches[i], readings) // it fails only with the error of ctx
	})
	if err != nil {
		return nil, err
	}
	return readings, nil
}

// readBatch reads the strips whose indices are in members, at most batch of them.
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
