// Package unet runs small convolutional networks that describe each cell of 2x2 pixels of a screen.
//
//	model, err := unet.Load(data, form)
//	err = model.Find(ctx, screen, func(size, part int, groups []unet.Group) { ... })
//
// A network reads patches of 4x4 pixels, halves their number twice and comes back (a U-Net: Ronneberger
// and others, 2015). It knows things of a certain size. Find therefore runs it on the screen and on its
// halves, quarters and so on.
//
//	screen -> sizes of it -> scores of cells -> groups of connected cells
//
// Sums are of whole numbers, and what follows them is rounded in a fixed order: all machines find the
// same groups.
package unet

import (
	"context"
	"image"
	"sync"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/layers"
)

// Model is a network. Its methods except Use are safe for concurrent use.
type Model struct {
	form                 Form
	patch                layers.Layer // 4x4 pixels
	first, down8, down16 mix
	mixes8, mixes16      []mix
	up8, up4             layers.Layer
	join8, join4, last   mix
	marks                layers.Layer   // the marked maps of four cells
	rest                 []layers.Layer // of each part: the other maps of four cells
	kernel               layers.Kernel
	workspaces           sync.Pool // of *workspace
}

// mix convolves each channel, and then mixes the channels of a place.
type mix struct {
	deep         layers.Depthwise
	window, step int // of deep, in both directions
	point        layers.Layer
	adds         bool // the result is added to the input
}

// Use selects the kernel with a name from lstm.Kernels; "" selects the fastest kernel. Use fails if
// the machine does not support the kernel. Callers must not call Use while the model finds groups.
func (m *Model) Use(kernel string) (err error) {
	m.kernel, err = layers.KernelOf(kernel)
	return err
}

// Sizes returns the number of sizes of a screen that Find looks at.
func (m *Model) Sizes(screen *image.NRGBA) int { return len(pictures(screen, m.form.Sizes)) }

// Find calls each with the groups of each part of the form, for each size of a screen: size 0 is the
// screen, and a pixel of size n is 2^n pixels of the screen. each is called by several goroutines at
// once, and must not keep the groups. The screen must be opaque; perception.MakeOpaque makes a screen
// opaque. Find returns the error of ctx soon after ctx ends.
func (m *Model) Find(ctx context.Context, screen *image.NRGBA, each func(size, part int, groups []Group)) error {
	sizes := pictures(screen, m.form.Sizes)
	return fair.Each(ctx, len(sizes), func(i int) {
		w := m.workspaces.Get().(*workspace)
		defer m.workspaces.Put(w)
		m.run(ctx, w, sizes[i])
		for part := range w.parts {
			each(i, part, w.groups.of(w.parts[part].runs))
		}
	})
}

// WorkingBytes returns the maximum memory that Find needs for a screen of this size, in bytes, without
// the screen's own pixels.
func WorkingBytes(size image.Point) int64 {
	const each = 14 // of a pixel: the activations and the scores of all sizes
	return 2<<20 + each*int64(size.X)*int64(size.Y)
}
