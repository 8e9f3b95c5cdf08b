// Package overlay draws boxes, points and labels on a screen, to show people what a program has
// found on it.
//
//	marks := []overlay.Mark{{Box: row.Box, Label: "1"}}
//	marked, err := overlay.Draw(ctx, screen, marks, overlay.Options{Labels: true})
//	err = overlay.Encode(ctx, w, marked)
//
// A mark has a translucent tint over its box, a frame just outside of the box, and a tag with the
// label. The frame touches no text, and the tag is where it hides least. A point has a target
// around it. Frames, targets and tags have a halo, a thin edge of contrasting color, which
// separates them from a background of their own color.
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

// MaxMarks is the maximum number of marks on one screen. More marks would hide the screen.
const MaxMarks = 10_000

// Mark is a box, a point, or a box with a point in it, to draw on a screen.
type Mark struct {
	// Box is in pixels of the screen. Parts outside of the screen are cut off.
	Box image.Rectangle
	// Point is the point to draw; nil means no point. A point outside of the screen is not drawn.
	Point *image.Point
	// Label is the text of the mark's tag; empty means no tag. A long label is shortened.
	Label string
	// Keep has the areas that the tag avoids most, such as the text in the box. If Keep is nil, the
	// tag hides as little of the screen as possible.
	Keep []image.Rectangle
	// Color is the color of the mark, drawn opaque. The zero value selects PaletteColor(i), where i
	// is the index of the mark.
	Color color.NRGBA
}

// Options configures the drawing. The zero value draws no labels.
type Options struct {
	// Labels says whether to draw tags with the labels of the marks.
	Labels bool
	// Scale is the scale of lines and letters. 1 suits a screen of 1440 x 900 pixels. If Scale is
	// zero, the shorter side of the screen determines the scale.
	Scale float64
}

// Draw returns a copy of screen on which the marks are drawn. It fails like DrawOn.
func Draw(ctx context.Context, screen *image.NRGBA, marks []Mark, opts Options) (*image.NRGBA, error) {
	out := clone(screen)
	if err := DrawOn(ctx, out, marks, opts); err != nil {
		return nil, err
	}
	return out, nil
}

// WorkingBytes returns the maximum memory that DrawOn and Encode need for a screen of this size, in
// bytes, without the screen's own pixels.
func WorkingBytes(size image.Point) int64 {
	rows := int64(4*size.X) * bandRows * 3 // of a band, raw and compressed
	return 4<<20 + int64(size.X*size.Y) + rows*int64(runtime.GOMAXPROCS(0))
}

// DrawOn draws marks on screen in place. Small marks are above large marks, and tags are above all
// marks. DrawOn skips boxes that are empty or outside the screen, and tags for which there is no
// space. The same arguments always give the same pixels. DrawOn fails with ValidationError for more
// than MaxMarks marks. It returns the error of ctx soon after ctx ends.
func DrawOn(ctx context.Context, screen *image.NRGBA, marks []Mark, opts Options) error {
	if len(marks) > MaxMarks {
		return fault.New("overlay.Draw", sdkapi.ValidationError,
			"the request has %d marks; at most %d are allowed", len(marks), MaxMarks)
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
	for _, s := range slices.Backward(shapes) { // a pixel gets only the tint of the smallest box
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

// shape is a mark, converted to pixels of the screen.
type shape struct {
	box   image.Rectangle // never empty
	frame image.Rectangle // box plus the frame around it
	point *image.Point    // nil if there is none
	bare  bool            // the mark has no box; box is the area of the target
	color color.NRGBA     // opaque
	label string
	keep  []image.Rectangle
	tag   image.Rectangle // empty if there is no tag; text is its shortened label
	text  string
}

// shapesOf returns the shapes of the marks that are visible on screen.
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
