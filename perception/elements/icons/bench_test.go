package icons

import (
	"image"
	"testing"
)

// BenchmarkMatch names the 50 icons of a screen.
func BenchmarkMatch(b *testing.B) {
	all := drawings(b)
	var masks []*image.Alpha
	for i := 0; len(masks) < 50; i += len(all) / 50 {
		masks = append(masks, all[i].render(20, 0.3, 0.6))
	}
	Match(masks[0])
	for b.Loop() {
		for _, mask := range masks {
			Match(mask)
		}
	}
}

func BenchmarkShape(b *testing.B) {
	mask := drawings(b)[0].render(20, 0.3, 0.6)
	for b.Loop() {
		if _, ok := shapeOf(mask); !ok {
			b.Fatal("blank")
		}
	}
}

// BenchmarkStart makes the library.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		all, err := readGlyphs()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(thinned(all))), "glyphs")
	}
}
