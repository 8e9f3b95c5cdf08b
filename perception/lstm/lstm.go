// Package lstm reads text lines with the networks that Tesseract publishes.
//
//	model, err := lstm.Load(data) // of eng.traineddata
//	readings, err := model.Read(ctx, strips)
//
// A strip is one line of text, dark on light, scaled to the model's height. A
// step of the network is three of its columns; for each the network scores the
// codes of all characters and of a blank. A reading is what the best codes
// spell: one character for each run of one code, blanks left out.
//
// The network is all bytes: weights, and what passes from layer to layer. It
// runs on four strips at a time, which share each weight that is fetched, with
// the kernel that suits the processor best; whichever that is, the result is
// the same to the bit.
package lstm

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Model is the network of one language. It does not change, and may be used
// from several goroutines at once.
type Model struct {
	net        *network
	alphabet   *alphabet
	workspaces sync.Pool // of *workspace
}

// Strip is a line of text: Model.Height rows of Width pixels each, from 0, the
// ink, to 255, the paper.
type Strip struct {
	Width int
	Pix   []uint8
}

// MaxWidth is the widest strip that is read, in pixels.
const MaxWidth = 1 << 16

// Reading is the characters of a strip from left to right, white space
// included.
type Reading []Char

// Char is one character as it was read.
type Char struct {
	Text       string
	Confidence float64 // 0..1
	From, To   int     // the columns of the strip whose steps gave it: its peak, not its extent
	Else       string  // the next best character; empty when there is none
	ElseScore  float64 // its confidence, 0..1
}

// Load makes a model of a traineddata file of the fast kind. Its errors tell
// what about the file cannot be used.
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
	m := &Model{net: net, alphabet: alphabet}
	m.workspaces.New = func() any { return new(workspace) }
	return m, nil
}

// Height is how high a strip must be, in pixels.
func (m *Model) Height() int { return m.net.height }

// Kernel names the inner loops in use on this machine.
func Kernel() string { return kernels[0].name }

// Read returns a reading of each strip, in their order, working on all
// processors. It stops between batches when ctx ends.
func (m *Model) Read(ctx context.Context, strips []Strip) ([]Reading, error) {
	return m.read(ctx, kernels[0], strips)
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
	g := new(errgroup.Group)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for members := range slices.Chunk(order, batch) {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			w := m.workspaces.Get().(*workspace)
			defer m.workspaces.Put(w)
			m.readBatch(k, w, strips, members, readings)
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return readings, ctx.Err()
}

// readBatch reads the strips named by members, at most batch of them.
func (m *Model) readBatch(k *kernel, w *workspace, strips []Strip, members []int, readings []Reading) {
	for lane := range w.lanes {
		l := &w.lanes[lane]
		l.steps = 0
		if lane < len(members) {
			l.front(k, m.net, strips[members[lane]])
		}
	}
	w.columns(k, m.net)
	for _, layer := range m.net.across {
		w.across(k, layer)
	}
	for lane, i := range members {
		l := &w.lanes[lane]
		l.scores(k, m.net)
		readings[i] = m.alphabet.decode(l.raw, m.net, l.steps)
	}
}
