package reader_test

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
)

// changes lists changes of a screen from one frame to the next.
var changes = []struct {
	name string
	make func(img *image.NRGBA, r *rand.Rand)
}{
	{"a letter is typed", func(img *image.NRGBA, r *rand.Rand) {
		testkit.Pen{Em: 10 + float64(r.IntN(8))}.Write(img, r.IntN(img.Rect.Dx()), r.IntN(img.Rect.Dy()), string(rune('a'+r.IntN(26))))
	}},
	{"a caret", func(img *image.NRGBA, r *rand.Rand) {
		fill(img, image.Rect(0, 0, 1+r.IntN(2), 12+r.IntN(8)).Add(anywhere(img, r)), color.Black)
	}},
	{"it scrolls", func(img *image.NRGBA, r *rand.Rand) {
		part := image.Rectangle{anywhere(img, r), img.Rect.Max}
		draw.Draw(img, part, img, part.Min.Add(image.Pt(0, 1+r.IntN(60))), draw.Src)
	}},
	{"it scrolls sideways", func(img *image.NRGBA, r *rand.Rand) {
		draw.Draw(img, img.Rect, img, image.Pt(1+r.IntN(9), 0), draw.Src)
	}},
	{"a dialog", func(img *image.NRGBA, r *rand.Rand) {
		box := image.Rect(0, 0, 80+r.IntN(200), 40+r.IntN(120)).Add(anywhere(img, r))
		fill(img, box, color.Gray{uint8(200 + r.IntN(56))})
		for y := 20; y < box.Dy(); y += 24 {
			testkit.Pen{Em: 15}.Write(img, box.Min.X+8, box.Min.Y+y, []string{"Save your changes?", "Cancel", "Order 2217"}[r.IntN(3)])
		}
	}},
	{"another ground under it", func(img *image.NRGBA, r *rand.Rand) {
		box := image.Rect(0, 0, 40+r.IntN(300), 10+r.IntN(40)).Add(anywhere(img, r))
		draw.DrawMask(img, box, image.NewUniform(color.NRGBA{30, 90, uint8(r.IntN(256)), 255}), image.Point{}, image.NewUniform(color.Alpha{60}), image.Point{}, draw.Over)
	}},
	{"the ground of half of a word", func(img *image.NRGBA, r *rand.Rand) {
		at := anywhere(img, r)
		ground := img.NRGBAAt(at.X, at.Y)
		for y := at.Y; y < min(at.Y+30, img.Rect.Max.Y); y++ {
			for x := at.X; x < min(at.X+60, img.Rect.Max.X); x++ {
				if img.NRGBAAt(x, y) == ground {
					img.SetNRGBA(x, y, color.NRGBA{ground.R ^ 12, ground.G ^ 8, ground.B, 255})
				}
			}
		}
	}},
	{"a film", func(img *image.NRGBA, r *rand.Rand) {
		box := image.Rect(0, 0, 40+r.IntN(100), 40+r.IntN(60)).Add(anywhere(img, r)).Intersect(img.Rect)
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				img.SetNRGBA(x, y, color.NRGBA{uint8(r.Uint32()), uint8(x), uint8(y), 255})
			}
		}
	}},
	{"nothing", func(*image.NRGBA, *rand.Rand) {}},
}

func anywhere(img *image.NRGBA, r *rand.Rand) image.Point {
	return image.Pt(r.IntN(img.Rect.Dx()), r.IntN(img.Rect.Dy()))
}

func fill(img *image.NRGBA, box image.Rectangle, c color.Color) {
	draw.Draw(img, box, image.NewUniform(c), image.Point{}, draw.Src)
}

// slice returns a copy, because a reading must not depend on the position of a frame in memory.
func slice(img *image.NRGBA) *image.NRGBA {
	return &image.NRGBA{Pix: slices.Clone(img.Pix), Stride: img.Stride, Rect: img.Rect}
}

// firstUnlike describes the first rows that differ.
func firstUnlike(got, want []perception.Row) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return "it lacks " + want[i].Text
		case i >= len(want) || !reflect.DeepEqual(got[i], want[i]):
			return "it has " + got[i].Text + " at " + got[i].Box.String()
		}
	}
	return "nothing"
}
