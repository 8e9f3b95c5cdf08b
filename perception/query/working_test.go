package query_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/diff"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/perception/textmap"
)

// dotted returns a screen full of squares, pitch pixels apart, with many edges and runs.
func dotted(size image.Point, dot, pitch int) *image.NRGBA {
	img := testkit.Canvas(size.X, size.Y, color.White)
	for y := range size.Y {
		for x := range size.X {
			if x%pitch < dot && y%pitch < dot {
				img.SetNRGBA(x, y, color.NRGBA{A: 255})
			}
		}
	}
	return img
}

// rowsOf returns the network that finds rows, and the rows of a screen with one of its whole width.
func rowsOf(t *testing.T, img *image.NRGBA) (*textmap.Model, []textmap.Row) {
	t.Helper()
	finder, err := textmap.Own()
	if err == nil {
		err = finder.Use("")
	}
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	return finder, append(found, textmap.Row{Box: image.Rect(0, 0, img.Rect.Dx(), 20)})
}

// TestWorkingBytes checks that work on a screen needs at most the memory that it takes from the
// budget, in addition to the pixels.
func TestWorkingBytes(t *testing.T) {
	size := image.Pt(2000, 1500)
	for _, shape := range [][2]int{{1, 2}, {1, 4}, {4, 12}, {1, 4000}} {
		img := dotted(size, shape[0], shape[1])
		finder, rows := rowsOf(t, img)
		for name, work := range map[string]struct {
			do   func()
			most func(image.Point) int64
		}{
			"rows":     {func() { _, _ = finder.Find(t.Context(), img) }, textmap.WorkingBytes},
			"lines":    {func() { _, _ = textline.Find(t.Context(), img, rows) }, textline.WorkingBytes},
			"elements": {func() { _, _ = elements.Find(t.Context(), img, nil) }, elements.WorkingBytes},
			"overlay": {func() {
				_ = overlay.DrawOn(t.Context(), img, []overlay.Mark{{Box: img.Rect, Label: "all"}}, overlay.Options{Labels: true})
				_ = overlay.Encode(t.Context(), io.Discard, img)
			}, overlay.WorkingBytes},
		} {
			t.Run(fmt.Sprint(name, " ", shape), func(t *testing.T) {
				took, most := testkit.PeakHeap(work.do), work.most(size)
				t.Logf("%.1f of %.1f MB", float64(took)/1e6, float64(most)/1e6)
				if took > most {
					t.Errorf("it takes %d bytes, and %d are taken for it", took, most)
				}
			})
		}
	}
}

// TestWorkEndsWithItsTime checks that the time limit ends work on a screen that would take minutes.
func TestWorkEndsWithItsTime(t *testing.T) {
	t.Parallel()
	img := dotted(image.Pt(2500, 2000), 3, 7)
	finder, rows := rowsOf(t, img)
	for name, work := range map[string]func(context.Context) error{
		"elements": func(ctx context.Context) error { _, err := elements.Find(ctx, img, nil); return err },
		"rows":     func(ctx context.Context) error { _, err := finder.Find(ctx, img); return err },
		"lines":    func(ctx context.Context) error { _, err := textline.Find(ctx, img, rows); return err },
		"encoding": func(ctx context.Context) error { return overlay.Encode(ctx, io.Discard, img) },
		"a difference": func(ctx context.Context) error {
			none := &elements.Screen{Scene: &perception.Scene{}}
			_, err := diff.Diff(ctx, none, none, testkit.Canvas(2500, 2000, color.White), img)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if err := work(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
	}
}
