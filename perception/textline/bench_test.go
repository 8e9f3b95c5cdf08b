package textline

import (
	"image"
	"image/draw"
	"image/png"
	"os"
	"testing"
)

func load(b testing.TB, name string) *image.NRGBA {
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		b.Fatal(err)
	}
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	return out
}

func BenchmarkFind(b *testing.B) {
	for _, name := range []string{"table", "editor-dark", "monitor-dark"} {
		b.Run(name, func(b *testing.B) {
			img := load(b, "../testdata/screens/"+name+".png")
			n := 0
			for b.Loop() {
				layout, err := Find(b.Context(), img)
				if err != nil {
					b.Fatal(err)
				}
				n = len(layout.Lines)
			}
			b.ReportMetric(float64(n), "lines")
		})
		b.Run(name+"/runs", func(b *testing.B) {
			img := load(b, "../testdata/screens/"+name+".png")
			for b.Loop() {
				_, _ = findRuns(b.Context(), img)
			}
		})
	}
}
