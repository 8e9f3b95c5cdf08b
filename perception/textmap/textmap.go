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

	"github.com/windieos/windie/perception/unet"
)

// Row is a row of text.
type Row struct {
	Box     image.Rectangle // from above the capitals to below the descenders, in pixels of the screen
	Sure    float64         // mean score of the row's core, 0.5 to 1
	Unknown bool            // the text has a script that the reader does not know
	Icon    bool            // it is an icon or a picture that has a letter, or looks like one
}

// Model is a network. Its methods except Use are safe for concurrent use.
type Model struct{ net *unet.Model }

// The maps of the network. The cell of a group has the scores of its core, then of the maps from kinds
// on.
const (
	coreMap = iota
	separationMap
	kindMap                     // one for each kind
	topMap    = kindMap + kinds // log2 of the distance from the middle of a cell, in pixels
	bottomMap = topMap + 1
	maps      = bottomMap + 1
)

// The kinds of a cell's content.
const (
	textKind = iota
	iconKind
	pictureKind
	scriptKind // text of a script that the reader does not know
	kinds
)

// form is what the maps of the network are.
var form = unet.Form{
	Magic: "windie textmap 1\n", Sizes: 4, Maps: maps, Marked: 2,
	Parts: []unet.Part{{Core: coreMap, Apart: separationMap, First: kindMap, Count: maps - kindMap}},
}

// own is Windie's own network, written by perception/training/windie_training/textmap/export.py.
//
//go:embed textmap.net
var own []byte

// Own returns Windie's own network.
func Own() (*Model, error) { return Load(own) }

// Load parses the file of a network. If a part of the file is unusable, Load fails and the error
// names this part. The model does not retain data.
func Load(data []byte) (*Model, error) {
	net, err := unet.Load(data, form)
	if err != nil {
		return nil, err
	}
	return &Model{net}, nil
}

// Use selects the kernel with a name from lstm.Kernels; "" selects the fastest kernel. Use fails if
// the machine does not support the kernel. Callers must not call Use while the model finds rows.
func (m *Model) Use(kernel string) error { return m.net.Use(kernel) }

// Find returns the rows of text on a screen, from top to bottom. The screen must be opaque;
// perception.MakeOpaque makes a screen opaque. Find returns the error of ctx soon after ctx ends.
func (m *Model) Find(ctx context.Context, screen *image.NRGBA) ([]Row, error) {
	found := make([][]part, m.net.Sizes(screen))
	err := m.net.Find(ctx, screen, func(size, _ int, groups []unet.Group) { found[size] = parts(groups) })
	if err != nil {
		return nil, err
	}
	return rows(found, screen.Rect), nil
}

// WorkingBytes returns the maximum memory that Find needs for a screen of this size, in bytes, without
// the screen's own pixels.
func WorkingBytes(size image.Point) int64 { return unet.WorkingBytes(size) }
