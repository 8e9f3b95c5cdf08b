package query_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/perception/query"
)

// desktop is a screen of 1440 x 900, as a PNG: a mailbox, a board and
// preferences beside each other.
func desktop(b *testing.B) perception.Source {
	screen := testkit.Canvas(1440, 900, color.NRGBA{255, 255, 255, 255})
	for _, part := range []struct {
		name string
		at   image.Point
	}{{"mail", image.Pt(0, 0)}, {"board", image.Pt(0, 500)}, {"preferences", image.Pt(900, 200)}} {
		data, err := os.ReadFile(filepath.Join(testkit.RepoRoot(b), "perception", "testdata", "screens", part.name+".png"))
		if err != nil {
			b.Fatal(err)
		}
		img, _, err := perception.Decode(b.Context(), data)
		if err != nil {
			b.Fatal(err)
		}
		draw.Draw(screen, img.Rect.Add(part.at), img, image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if err := overlay.Encode(b.Context(), &out, screen); err != nil {
		b.Fatal(err)
	}
	return perception.SourceOf(out.Bytes())
}

// BenchmarkView measures the additional time for elements and icons: on a screen that was never
// read, on a screen that was just read and must be decoded again, and on a cached screen.
func BenchmarkView(b *testing.B) {
	scenes, src := gatewaytest.Scenes(b), desktop(b)
	view := func(f *query.Finder) {
		v, err := f.View(b.Context(), src, image.Rectangle{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(v.Elements)), "elements")
	}
	b.Run("cold", func(b *testing.B) {
		scene, err := scenes.Scene(b.Context(), src)
		if err != nil {
			b.Fatal(err)
		}
		data, err := src.Read(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		img, _, err := perception.Decode(b.Context(), data)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := elements.Find(b.Context(), img, scene.Rows); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("just read", func(b *testing.B) {
		view(query.New(scenes, nil)) // reads it
		for b.Loop() {
			view(query.New(scenes, nil))
		}
	})
	b.Run("known", func(b *testing.B) {
		finder := query.New(scenes, nil)
		view(finder)
		for b.Loop() {
			view(finder)
		}
	})
}

// BenchmarkLocate measures one description on a cached screen, without a model.
func BenchmarkLocate(b *testing.B) {
	finder := query.New(gatewaytest.Scenes(b), nil)
	view, err := finder.View(b.Context(), desktop(b), image.Rectangle{})
	if err != nil {
		b.Fatal(err)
	}
	for name, description := range map[string]string{
		"text":     `the "Add a card" button`,
		"looks":    "orange button in the top right corner",
		"icon":     "gear icon",
		"relation": "second checkbox below the heading right of the blue button",
		"absent":   "the zebra",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := finder.Locate(b.Context(), view, description); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
