// Package convnet reads text lines with Windie's own network.
//
//	model, err := convnet.Load(data) // a file that perception/training wrote
//	readings, err := model.Read(ctx, strips)
//
// A strip is one line of text, dark on light, scaled to the model's height and cut close. The network is
// convolutions alone: over the picture, from 24 rows down to 6, then over steps of two columns, each with
// its channels. For each step it scores all characters and a blank; a run of steps with one best character
// is that character.
//
//	strip -> four convolutions -> channels of a step -> blocks along the line -> scores -> reading
//
// Where other texts are nearly as likely, a table of n-grams (package ngram) chooses: the texts that the steps may
// spell are followed side by side, each worth what the network and the table make of it.
//
// Letters that look alike in two alphabets are one character to the network; words are spelt in the
// alphabet that has all of their letters. What is in a script that it does not know is read as one of
// Unknown, any number of times.
//
// Weights and activations have 8 bits, sums 32. All kernels of package lstm read alike.
package convnet

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/ngram"
)

// Model is a network. Once it reads, it is safe for concurrent use.
type Model struct {
	alphabet                           []rune // of the classes from 1 on
	first, second, third, fourth, rows layer
	blocks                             []block
	head                               layer
	kernel                             lstm.Kernel
	loops                              *loops
	workspaces                         sync.Pool    // of *workspace
	table                              *ngram.Model // nil for none
	symbols                            []symbol     // of the classes
	space                              ngram.Symbol
}

// block looks along the line, then mixes the channels, and is added to its input.
type block struct {
	along along
	mix   layer
}

const (
	height   = 24 // rows of a strip
	midRows  = 12 // after the first layer
	lowRows  = 6  // after the second
	stride   = 2  // columns of a step
	maxReach = 63 // steps that a block looks at
	blankEnd = 4  // columns of paper behind a strip
)

// What a word in a script is read as whose letters the network does not know.
const (
	UnknownCJK         = "\ue000" // Chinese, Japanese and Korean
	UnknownRightToLeft = "\ue001" // Arabic, Hebrew
	UnknownOther       = "\ue002" // Indic scripts, Thai, Georgian, Armenian and the like
)

// Height is how high a strip must be, in pixels.
func (*Model) Height() int { return height }

// Letters returns the characters that readings may have, the Unknown ones among them.
func (m *Model) Letters() string {
	all := string(m.alphabet)
	for _, s := range scripts {
		all += s.shared
	}
	for _, l := range languages {
		all += l.spelt
	}
	return all
}

// Use has the model read with one of lstm.Kernels. It must not be called while the model reads.
func (m *Model) Use(kernel string) (err error) {
	m.kernel, err = lstm.KernelOf(kernel)
	m.loops = loopsFor(kernel)
	return err
}

// Read returns a reading of each strip, in order. When ctx ends Read returns its error soon.
func (m *Model) Read(ctx context.Context, strips []lstm.Strip) ([]lstm.Reading, error) {
	for i, s := range strips {
		if s.Width < 0 || s.Width > lstm.MaxWidth || len(s.Pix) != s.Width*height {
			return nil, fmt.Errorf("strip %d is %d wide and has %d pixels, not %d rows of at most %d", i, s.Width, len(s.Pix), height, lstm.MaxWidth)
		}
	}
	order := make([]int, len(strips)) // the widest first, so that the processors end at about the same time
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strips[b].Width - strips[a].Width })
	readings := make([]lstm.Reading, len(strips))
	err := fair.Each(ctx, len(order), func(i int) {
		w := m.workspaces.Get().(*workspace)
		defer m.workspaces.Put(w)
		if s := strips[order[i]]; s.Width > 0 {
			readings[order[i]] = m.read(w, s)
		}
	})
	return readings, err
}
