package reader_test

import (
	"image"
	"image/color"
	"reflect"
	"slices"
	"testing"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/perception"
)

// A screen that was enlarged by doubling its pixels reads as it did before, and each box is that much larger. One that
// differs in a single pixel is read as it is.
func TestDoubledScreens(t *testing.T) {
	t.Parallel()
	testkit.Network(t)
	screen := screens(t)["table"]
	small := testkit.Canvas(400, 280, color.White)
	for y := range 280 {
		copy(small.Pix[y*small.Stride:][:1600], screen.Pix[(y+60)*screen.Stride:][:1600])
	}
	want := read(t, engine(t), small)
	if len(want) < 5 {
		t.Fatalf("only %d rows", len(want))
	}
	for _, factor := range []int{2, 4} {
		large := imaging.Resize(small, 400*factor, 280*factor, imaging.NearestNeighbor)
		if got := read(t, engine(t), large); !reflect.DeepEqual(got, times(want, factor)) {
			t.Errorf("x%d: %s", factor, firstUnlike(got, times(want, factor)))
		}
	}
	large := imaging.Resize(small, 800, 560, imaging.NearestNeighbor)
	large.SetNRGBA(799, 559, color.NRGBA{A: 255})
	if got := read(t, engine(t), large); reflect.DeepEqual(got, times(want, 2)) {
		t.Error("a screen with one more pixel was read at half its size")
	}
	for name, filter := range map[string]imaging.ResampleFilter{"linear": imaging.Linear, "cubic": imaging.CatmullRom, "Lanczos": imaging.Lanczos} {
		got := read(t, engine(t), imaging.Resize(small, 800, 560, filter))
		if !slices.Equal(texts(got), texts(want)) {
			t.Errorf("%s: %q instead of %q", name, texts(got), texts(want))
		}
	}
	odd := testkit.Canvas(7, 5, color.White)
	if got := read(t, engine(t), odd); len(got) > 0 {
		t.Errorf("%+v on nothing", got)
	}
}

func times(rows []perception.Row, factor int) []perception.Row {
	out := make([]perception.Row, len(rows))
	by := func(b image.Rectangle) image.Rectangle { return image.Rectangle{b.Min.Mul(factor), b.Max.Mul(factor)} }
	for i, r := range rows {
		r.Box, r.Words = by(r.Box), append([]perception.Word{}, r.Words...)
		for j := range r.Words {
			r.Words[j].Box = by(r.Words[j].Box)
		}
		out[i] = r
	}
	return out
}
