package reader_test

import (
	"image"
	"image/color"
	"reflect"
	"slices"
	"testing"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// TestDoubledScreens checks that a screen with doubled pixels reads like the original, with boxes
// of twice the size. A screen that differs in a single pixel must be read unchanged.
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
	odd := testkit.Canvas(7, 5, color.White)
	if got := read(t, engine(t), odd); len(got) > 0 {
		t.Errorf("%+v on nothing", got)
	}
}

// smoothing lists the filters with which screens are enlarged.
var smoothing = map[string]imaging.ResampleFilter{"linear": imaging.Linear, "cubic": imaging.CatmullRom, "Lanczos": imaging.Lanczos}

func threeRows() *image.NRGBA {
	small := testkit.Canvas(400, 120, color.White)
	for i, text := range []string{"Inspect three letters", "Sheila's 4,711 tables", "SH-40731 The Paper Room"} {
		testkit.Pen{Em: 13}.Write(small, 20, 30+30*i, text)
	}
	return small
}

// TestSmoothlyDoubledScreens checks that a screen that was enlarged with any smoothing filter reads
// like the original.
func TestSmoothlyDoubledScreens(t *testing.T) {
	t.Parallel()
	testkit.Network(t)
	small := threeRows()
	want := texts(read(t, engine(t), small))
	if len(want) < 3 {
		t.Fatalf("only %q", want)
	}
	for name, filter := range smoothing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := read(t, engine(t), imaging.Resize(small, 800, 240, filter))
			if !slices.Equal(texts(rows), want) {
				t.Errorf("%q instead of %q", texts(rows), want)
			}
			for _, r := range rows {
				if r.Box.Min.X%2+r.Box.Min.Y%2+r.Box.Max.X%2+r.Box.Max.Y%2 != 0 {
					t.Errorf("%q at %v: it was not read at half its size", r.Text, r.Box)
				}
			}
		})
	}
}

// TestScreensEnlargedByHalf checks that a screen that was enlarged by half with any smoothing
// filter reads like the original.
func TestScreensEnlargedByHalf(t *testing.T) {
	t.Parallel()
	testkit.Network(t)
	small := threeRows()
	want := read(t, engine(t), small)
	if len(want) < 3 {
		t.Fatalf("only %q", texts(want))
	}
	for name, filter := range smoothing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := read(t, engine(t), imaging.Resize(small, 600, 180, filter))
			if !slices.Equal(texts(rows), texts(want)) {
				t.Fatalf("%q instead of %q", texts(rows), texts(want))
			}
			for i, r := range rows {
				b := want[i].Box
				larger := image.Rect(b.Min.X*3/2, b.Min.Y*3/2, (b.Max.X*3+1)/2, (b.Max.Y*3+1)/2)
				if !r.Box.In(larger.Inset(-3)) || !larger.In(r.Box.Inset(-3)) || r.Box.Min.X%3 == 2 || r.Box.Max.X%3 == 1 {
					t.Errorf("%q at %v, want %v: it was not read at two thirds of its size", r.Text, r.Box, larger)
				}
			}
		})
	}
}

// TestReadsWhatWasBefore checks that the filters for ripples and grain are used to find lines, and
// that letters are read on the unfiltered screen.
func TestReadsWhatWasBefore(t *testing.T) {
	t.Parallel()
	testkit.Network(t)
	screen, before := testkit.Canvas(200, 60, color.White), testkit.Canvas(200, 60, color.White)
	testkit.Pen{Em: 16}.Write(screen, 20, 36, "Cave")
	testkit.Pen{Em: 16}.Write(before, 20, 36, "Save")
	rows, err := engine(t).Read(t.Context(), perception.Screen{NRGBA: screen, Before: before}, sdkapi.Reading{})
	if err != nil || !slices.Equal(texts(rows), []string{"Save"}) {
		t.Errorf("%q, %v", texts(rows), err)
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
