// Package textmap finds rows of text on a screen with a small network.
//
//	model, err := textmap.Own()
//	rows, err := model.Find(ctx, screen)
//
// The network scores each cell of 2x2 pixels: whether it is in the core of a row of text, whether
// two rows touch there, the kind of its content, and how far away the top and the bottom of its row
// are. Connected core cells are a row.
//
//	screen -> four sizes of it -> scores of cells -> rows of each size -> rows
//
// The network reads rows that are 7 to 40 pixels high. Find therefore runs it on the screen and on
// its halves, quarters and eighths. If two sizes find the same row, the size that suits the row's
// height decides.
//
// After the sums of the network, all numbers are compared or rounded in a fixed order: all machines
// find the same rows.
package textmap

import (
	"context"
	_ "embed"
	"image"
	"sync"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/layers"
)

// Row is a row of text.
type Row struct {
	Box     image.Rectangle // from above the capitals to below the descenders, in pixels of the screen
	Sure    float64         // mean score of the row's core, 0.5 to 1
	Unknown bool            // the text has a script that the reader does not know
	Icon    bool            // it is an icon or a picture that has a letter, or looks like one
}

// Model is a network. Its methods except Use are safe for concurrent use.
type Model struct {
	patch                layers.Layer // 4x4 pixels
	first, down8, down16 mix
	mixes8, mixes16      []mix
	up8, up4             layers.Layer
	join8, join4, last   mix
	marks                layers.Layer // core and separation of four cells
	rest                 layers.Layer // kinds, top and bottom of four cells
	kernel               layers.Kernel
	workspaces           sync.Pool // of *workspace
}

// own is Windie's own network, written by perception/training/windie_training/textmap/export.py.
//
//go:embed textmap.net
var own []byte

// Own returns Windie's own network.
func Own() (*Model, error) { return Load(own) }

// mix convolves each channel, and then mixes the channels of a place.
type mix struct {
	deep         layers.Depthwise
	window, step int // of deep, in both directions
	point        layers.Layer
	adds         bool // the result is added to the input
}

// Use selects the kernel with a name from lstm.Kernels; "" selects the fastest kernel. Use fails if
// the machine does not support the kernel. Callers must not call Use while the model finds rows.
func (m *Model) Use(kernel string) (err error) {
	m.kernel, err = layers.KernelOf(kernel)
	return err
}

// Find returns the rows of text on a screen, from top to bottom. The screen must be opaque;
// perception.MakeOpaque makes a screen opaque. Find returns the error of ctx soon after ctx ends.
func (m *Model) Find(ctx context.Context, screen *image.NRGBA) ([]Row, error) {
	sizes := pictures(screen)
	found := make([][]part, len(sizes))
	err := fair.Each(ctx, len(sizes), func(i int) {
		w := m.workspaces.Get().(*workspace)
		defer m.workspaces.Put(w)
		m.run(ctx, w, sizes[i])
		found[i] = w.parts()
	})
	if err != nil {
		return nil, err
	}
	return rows(found, screen.Rect), nil
}

// WorkingBytes returns the maximum memory that Find needs for a screen of this size, in bytes, without
// the screen's own pixels.
func WorkingBytes(size image.Point) int64 {
	const each = 14 // of a pixel: the activations and the scores of all sizes
	return 2<<20 + each*int64(size.X)*int64(size.Y)
}
