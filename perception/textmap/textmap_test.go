package textmap

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"
	"testing"

	"github.com/windieos/windie/perception/unet"
)

func TestFind_ReturnsTheErrorOfItsContext(t *testing.T) {
	t.Parallel()
	model, err := Own()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := model.Find(ctx, image.NewNRGBA(image.Rect(0, 0, 40, 40))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if rows, err := model.Find(t.Context(), image.NewNRGBA(image.Rectangle{})); err != nil || len(rows) > 0 {
		t.Errorf("an empty screen: %v, %v", rows, err)
	}
}

// A page draws groups by hand: rows of core cells.
type page struct{ groups []unet.Group }

// core adds a run of cells to the last group of the page, or begins a group. The row of text is from
// top to bottom, in pixels.
func (p *page) core(y, x0, x1 int, top, bottom float64, kind int) {
	r := unet.Run{Y: y, X0: x0, X1: x1}
	middle := float64(2*y + 1)
	for range x1 - x0 {
		cell := make([]float32, scores)
		cell[0], cell[kindScore+kind] = 3, 1
		cell[topScore], cell[bottomScore] = float32(math.Log2(middle-top)), float32(math.Log2(bottom-middle))
		r.Scores = append(r.Scores, cell...)
	}
	if len(p.groups) == 0 {
		p.groups = append(p.groups, nil)
	}
	p.groups[len(p.groups)-1] = append(p.groups[len(p.groups)-1], r)
}

// found returns the boxes of a page's rows.
func (p *page) found() (list []image.Rectangle) {
	for _, part := range parts(p.groups) {
		list = append(list, part.box)
	}
	return list
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		draw func(p *page)
		want []image.Rectangle
	}{
		{"a row", func(p *page) {
			p.core(5, 10, 30, 4, 20, textKind)
			p.core(6, 12, 20, 4, 20, textKind)
		}, []image.Rectangle{image.Rect(20, 4, 60, 20)}},
		{"two rows side by side", func(p *page) {
			p.core(5, 10, 20, 4, 20, textKind)
			p.groups = append(p.groups, nil)
			p.core(5, 21, 30, 4, 20, textKind)
		}, []image.Rectangle{image.Rect(20, 4, 40, 20), image.Rect(42, 4, 60, 20)}},
		{"the median of its tops", func(p *page) {
			p.core(5, 10, 13, 4, 20, textKind)
			p.core(6, 10, 12, 1, 30, textKind)
		}, []image.Rectangle{image.Rect(20, 4, 26, 20)}},
		{"one cell", func(p *page) { p.core(5, 10, 11, 4, 20, textKind) }, nil},
		{"a letter on an icon", func(p *page) { p.core(5, 10, 30, 4, 20, iconKind) }, []image.Rectangle{image.Rect(20, 4, 60, 20)}},
		{"a script that the reader does not know", func(p *page) { p.core(5, 10, 30, 4, 20, scriptKind) }, []image.Rectangle{image.Rect(20, 4, 60, 20)}},
		{"too low", func(p *page) { p.core(5, 10, 30, 9, 14, textKind) }, nil},
		{"too high", func(p *page) { p.core(20, 10, 30, 10, 80, textKind) }, nil},
		{"nothing", func(*page) {}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &page{}
			tt.draw(p)
			if got := p.found(); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// Of two sizes that have the same row, the one that suits its height decides.
func TestRows(t *testing.T) {
	t.Parallel()
	screen := image.Rect(0, 0, 400, 300)
	box := func(x0, y0, x1, y1 int) part { return part{box: image.Rect(x0, y0, x1, y1), sure: 900} }
	for _, tt := range []struct {
		name  string
		found [][]part
		want  []image.Rectangle
	}{
		{"a low row", [][]part{{box(10, 20, 90, 30)}, {box(5, 10, 45, 15)}}, []image.Rectangle{image.Rect(10, 20, 90, 30)}},
		{"a high row", [][]part{{box(10, 20, 90, 60)}, {box(5, 11, 46, 30)}}, []image.Rectangle{image.Rect(10, 22, 92, 60)}},
		{"rows of one size stay", [][]part{{box(10, 20, 90, 30), box(10, 24, 90, 34)}}, []image.Rectangle{image.Rect(10, 20, 90, 30), image.Rect(10, 24, 90, 34)}},
		{"a paragraph that a coarse size takes for a row", [][]part{{box(10, 20, 90, 40), box(10, 44, 90, 64)}, nil, {{box: image.Rect(2, 4, 23, 19), sure: 1000}}}, []image.Rectangle{image.Rect(10, 20, 90, 40), image.Rect(10, 44, 90, 64)}},
		{"pieces beside each other are no paragraph", [][]part{{box(10, 20, 60, 49), {box: image.Rect(70, 51, 90, 61), sure: 500}}, {{box: image.Rect(5, 10, 46, 32), sure: 1000}}}, []image.Rectangle{image.Rect(10, 20, 92, 64)}},
		{"in order, within the screen", [][]part{{box(10, 60, 90, 70)}, {box(150, 10, 290, 22)}}, []image.Rectangle{image.Rect(300, 20, 400, 44), image.Rect(10, 60, 90, 70)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []image.Rectangle
			for _, r := range rows(tt.found, screen) {
				got = append(got, r.Box)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
