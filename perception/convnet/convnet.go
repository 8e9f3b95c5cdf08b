// Package convnet reads text lines with Windie's own network.
//
//	model, err := convnet.Load(data) // a file that perception/training wrote
//	readings, err := model.Read(ctx, strips)
//
// A strip is one line of text, dark on light, scaled to the model's height and cropped tightly. The
// network has only convolutions: four over the picture, which reduce 24 rows to 6, and then blocks
// along the line in steps of two columns. For each step the network scores all characters and a
// blank. Consecutive steps with the same best character are one character of the reading.
//
//	strip -> four convolutions -> channels of a step -> blocks along the line -> scores -> reading
//
// If several texts are nearly as likely, a table of n-grams (package ngram) decides between them. A
// beam search follows the texts that the steps may spell, and weighs each text by the network and
// the table.
//
// For the network, letters of two alphabets that have the same shape are one character. The reading
// spells a word in the alphabet that has all letters of the word. If the network does not know the
// script of a text, it reads one of the Unknown characters, any number of times.
//
// Weights and activations have 8 bits, and sums have 32 bits. All kernels of package lstm return
// the same readings.
package convnet

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/layers"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/ngram"
)

// Model is a network that reads text. Its methods except Use and Choose are safe for concurrent use.
type Model struct {
	alphabet                           []rune // characters of the classes from 1 on
	first, second, third, fourth, rows layers.Layer
	blocks                             []block
	head                               layers.Layer
	kernel                             layers.Kernel
	workspaces                         sync.Pool    // of *workspace
	table                              *ngram.Model // nil if there is none
	symbols                            []symbol     // by class
	space                              ngram.Symbol
}

// block convolves each channel along the line, mixes the channels, and adds the result to its
// input.
type block struct {
	along  layers.Depthwise
	places []int // of a window of along
	mix    layers.Layer
}

const (
	height   = 24 // rows of a strip
	midRows  = 12 // rows after the first layer
	lowRows  = 6  // rows after the second layer
	stride   = 2  // columns of a step
	maxReach = 63 // maximum steps of a block's window
	blankEnd = 4  // columns of paper after a strip
)

// Characters that represent words in scripts that the network does not know.
const (
	UnknownCJK         = "\ue000" // a word in Chinese, Japanese or Korean
	UnknownRightToLeft = "\ue001" // a word in Arabic or Hebrew script
	UnknownOther       = "\ue002" // a word in an Indic script, Thai, Georgian, Armenian or a similar script
)

// Height returns the height that every strip must have, in pixels.
func (*Model) Height() int { return height }

// Letters returns all characters that a reading may contain, including the Unknown characters.
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

// Use selects a kernel by its name, which must be in lstm.Kernels. An empty name selects the fastest
// kernel. Use fails if the machine does not support the kernel. Callers must not call Use while the
// model reads.
func (m *Model) Use(kernel string) (err error) {
	m.kernel, err = layers.KernelOf(kernel)
	return err
}

// Read returns a reading of each strip, in order. It fails if the size of a strip is invalid. It
// returns the error of ctx soon after ctx ends.
func (m *Model) Read(ctx context.Context, strips []lstm.Strip) ([]lstm.Reading, error) {
	for i, s := range strips {
		if s.Width < 0 || s.Width > lstm.MaxWidth || len(s.Pix) != s.Width*height {
			return nil, fmt.Errorf("strip %d: its width is %d pixels and it has %d pixels in total; expected %d rows of at most %d pixels", i, s.Width, len(s.Pix), height, lstm.MaxWidth)
		}
	}
	order := make([]int, len(strips)) // widest first, so that all cores finish at about the same time
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
