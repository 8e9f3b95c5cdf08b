package textline

import (
	"image"
	"image/draw"
	"image/png"
	"os"
	"testing"

	"github.com/windieos/windie/perception/textmap"
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

// rowsIn returns the rows of text of a screen.
func rowsIn(b testing.TB, img *image.NRGBA) []textmap.Row {
	m, err := textmap.Own()
	if err == nil {
		err = m.Use("")
	}
	if err != nil {
		b.Fatal(err)
	}
	rows, err := m.Find(b.Context(), img)
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

func BenchmarkFind(b *testing.B) {
	for _, name := range []string{"table", "editor-dark", "monitor-dark"} {
		b.Run(name, func(b *testing.B) {
			img := load(b, "../testdata/screens/"+name+".png")
			rows := rowsIn(b, img)
			n := 0
			for b.Loop() {
				lines, err := Find(b.Context(), img, rows)
				if err != nil {
					b.Fatal(err)
				}
				n = len(lines)
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
