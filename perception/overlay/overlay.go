// Package overlay draws boxes, points and labels on a screen, so that people
// see what a program saw.
//
//	marks := []overlay.Mark{{Box: row.Box, Label: "1"}}
//	marked, err := overlay.Draw(ctx, screen, marks, overlay.Options{Labels: true})
//	err = overlay.Encode(ctx, w, marked)
//
// A mark has a translucent tint over its box, a frame just outside of it, so that it touches no
// text, and a tag with the label where it hides the least. A point has a target around it. Frames,
// targets and tags have a halo, a thin edge of contrasting color, so that they show on a background
// of their own color.
package overlay

import (
	"cmp"
	"context"
	"image"
	"image/color"
	"runtime"
	"slices"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/sdkapi"
)

// MaxMarks is how many marks Draw takes. More would hide a screen.
const MaxMarks = 10_000

// Mark is one thing to show: a box, a point, or a box and a point in it.
type Mark struct {
	Box   image.Rectangle   // pixels of the screen; what lies outside of it is cut off
	Point *image.Point      // nil, or outside of the screen: none
	Label string            // empty: no tag; shortened where it is too long
	Keep  []image.Rectangle // what the tag never hides, as the text of the box; nil: a tag hides as little as it can
	Color color.NRGBA       // drawn opaque; zero: the palette's, by the mark's index
}

// Options say how marks are drawn. The zero value draws no labels.
type Options struct {
	Labels bool    // draw tags
	Scale  float64 // of lines and letters; 1 suits 1440 x 900; zero: by the screen's shorter side
}

// Draw returns a copy of screen with marks on it, as DrawOn draws them.
func Draw(ctx context.Context, screen *image.NRGBA, marks []Mark, opts Options) (*image.NRGBA, error) {
	out := clone(screen)
	if err := DrawOn(ctx, out, marks, opts); err != nil {
		return nil, err
	}
	return out, nil
}

// WorkingBytes returns the most memory that DrawOn and Encode take for a screen besides its pixels.
func WorkingBytes(size image.Point) int64 {
	rows := int64(4*size.X) * bandRows * 3 // of a band, and compressed
	return 4<<20 + int64(size.X*size.Y) + rows*int64(runtime.GOMAXPROCS(0))
}

// DrawOn draws marks on screen, smaller ones over larger ones and tags over all. It leaves out boxes that are empty or outside of the screen, and tags without room. The same
// arguments give the same pixels. It fails with ValidationError for more than MaxMarks, and with
// ctx's error soon after ctx ends.
func DrawOn(ctx context.Context, screen *image.NRGBA, marks []Mark, opts Options) error {
	if len(marks) > MaxMarks {
		return fault.New("overlay.Draw", sdkapi.ValidationError,
			"there are %d marks; at most %d are drawn", len(marks), MaxMarks)
	}
	sizes := sizesFor(screen.Rect, opts.Scale)
	shapes := shapesOf(marks, screen.Rect, sizes)
	taken := newOccupancy(screen.Rect)
	if opts.Labels {
		if err := placeTags(ctx, shapes, screen, sizes, taken); err != nil {
			return err
		}
	}
	slices.SortStableFunc(shapes, func(a, b shape) int { return cmp.Compare(geo.Area(b.box), geo.Area(a.box)) })

	p := newPainter(screen, taken, sizes)
	for _, s := range slices.Backward(shapes) { // what has a tint keeps that of the smallest
		if err := ctx.Err(); err != nil {
			return err
		}
		p.tint(s)
	}
	for _, paint := range []func(shape){p.frame, p.tag} {
		for _, s := range shapes {
			if err := ctx.Err(); err != nil {
				return err
			}
			paint(s)
		}
	}
	return nil
}

// shape is a mark worked out to pixels of the screen.
type shape struct {
	box   image.Rectangle // never empty
	frame image.Rectangle // box and the frame around it
	point *image.Point    // nil: none
	bare  bool            // no box was asked for: box is the target's
	color color.NRGBA     // opaque
	label string
	keep  []image.Rectangle
	tag   image.Rectangle // empty if there is no tag; text holds what it says
	text  string
}

// shapesOf returns the shapes of the marks that can be seen on screen.
func shapesOf(marks []Mark, screen image.Rectangle, s sizes) []shape {
	shapes := make([]shape, 0, len(marks))
	for i, m := range marks {
		box, point := m.Box.Intersect(screen), m.Point
		if point != nil && !point.In(screen) {
			point = nil
		}
		frame, bare := box.Inset(-s.frame()).Intersect(screen), box.Empty()
		if bare {
			if point == nil {
				continue
			}
			box = targetBox(*point, s).Intersect(screen)
			frame = box
		}
		c := m.Color
		if c == (color.NRGBA{}) {
			c = PaletteColor(i)
		}
		c.A = 255
		shapes = append(shapes, shape{box: box, frame: frame, point: point, bare: bare, color: c, label: m.Label, keep: m.Keep})
	}
	return shapes
}
