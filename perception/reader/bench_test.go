package reader_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/perception/tesseract"
	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/perception/textmap"
)

// desktop returns a screen of 1440 x 900 pixels: our table, and our chat under it.
func desktop(b *testing.B) *image.NRGBA {
	all := screens(b)
	table, chat := all["table"], all["chat"]
	img := testkit.Canvas(1440, 900, table.NRGBAAt(0, 0))
	draw.Draw(img, table.Rect.Add(image.Pt(80, 0)), table, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(200, 620, 1200, 900), chat, image.Pt(0, 200), draw.Src)
	return img
}

func encode(b *testing.B, img *image.NRGBA) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// changed returns the screen with a dialog in its middle, on 4 % of its pixels.
func changed(screen *image.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(screen.Rect)
	draw.Draw(img, img.Rect, screen, image.Point{}, draw.Src)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	dialog := image.Rect(w*2/5, h*2/5, w*3/5, h*3/5)
	draw.Draw(img, dialog, image.White, image.Point{}, draw.Src)
	for i, text := range []string{"Save your changes?", "They are lost otherwise.", "Cancel   Save"} {
		testkit.Pen{Em: 16}.Write(img, dialog.Min.X+16, dialog.Min.Y+32+28*i, text)
	}
	return img
}

// typed returns the screen with one more letter in its middle.
func typed(screen *image.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(screen.Rect)
	draw.Draw(img, img.Rect, screen, image.Point{}, draw.Src)
	testkit.Pen{Em: 14}.Write(img, img.Rect.Dx()/2, img.Rect.Dy()/2, "a")
	return img
}

// scrolled returns the screen with the middle of its table, a third of it, moved up by 24 pixels.
func scrolled(screen *image.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(screen.Rect)
	draw.Draw(img, img.Rect, screen, image.Point{}, draw.Src)
	part := image.Rect(80, 200, 1360, 500)
	draw.Draw(img, part, screen, part.Min.Add(image.Pt(0, 24)), draw.Src)
	return img
}

// stopwatch adds up the times of the ways to get a scene.
type stopwatch struct{ cold, compressed, same, changed, typed, scrolled, program time.Duration }

// timed adds the time of reading a screen to sum, from its bytes to its scene.
func timed(b *testing.B, sum *time.Duration, scenes *perception.Scenes, data []byte) {
	start := time.Now()
	if _, err := scenes.Scene(b.Context(), perception.SourceOf(data)); err != nil {
		b.Fatal(err)
	}
	*sum += time.Since(start)
}

// BenchmarkScreen measures the time to read a busy screen of 1440 x 900 pixels on two processors: a
// screen that was never read, the same screen again, and screens that have changed by a
// twenty-fifth, by a letter, or by scrolling a third. It also reports how much longer the screen takes as
// JPEG of quality 80, and in the tesseract program (sparse text, one thread). It measures all of them in turn, so that a drift of the
// machine's speed affects all alike.
func BenchmarkScreen(b *testing.B) {
	if _, err := exec.LookPath("tesseract"); err != nil {
		testkit.Skip(b, "tesseract", "make deps")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	img := desktop(b)
	first, second, third, fourth := encode(b, img), encode(b, changed(img)), encode(b, typed(img)), encode(b, scrolled(img))
	engine(b) // skips without its network
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, img, &jpeg.Options{Quality: 80}); err != nil {
		b.Fatal(err)
	}
	var w stopwatch
	for b.Loop() {
		fresh := reader.New(reader.Config{})
		read(b, fresh, testkit.Canvas(10, 10, color.White))
		runtime.GC()
		timed(b, &w.compressed, perception.NewScenes(fresh, perception.Options{}), photo.Bytes())
		fresh.Forget("")
		scenes := perception.NewScenes(fresh, perception.Options{})
		program := perception.NewScenes(tesseract.New(tesseract.Config{}), perception.Options{})
		runtime.GC()
		timed(b, &w.cold, scenes, first)
		timed(b, &w.same, scenes, first)
		timed(b, &w.changed, scenes, second)
		timed(b, &w.typed, scenes, third)
		timed(b, &w.scrolled, scenes, fourth)
		timed(b, &w.program, program, first)
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(b.N) }
	b.ReportMetric(ms(w.cold), "ms-cold")
	b.ReportMetric(w.compressed.Seconds()/w.cold.Seconds(), "jpeg/cold")
	b.ReportMetric(ms(w.changed), "ms-changed")
	b.ReportMetric(ms(w.typed), "ms-typed")
	b.ReportMetric(ms(w.scrolled), "ms-scrolled")
	b.ReportMetric(ms(w.same), "ms-same")
	b.ReportMetric(w.program.Seconds()/w.cold.Seconds(), "x-tesseract")
	b.ReportMetric(w.cold.Seconds()/w.same.Seconds(), "cold/same")
	b.ReportMetric(w.changed.Seconds()/w.cold.Seconds(), "changed/cold")
}

// BenchmarkFindAlone measures the part of a first read that finds the lines.
func BenchmarkFindAlone(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	img := desktop(b)
	finder, err := textmap.Own()
	if err == nil {
		err = finder.Use("")
	}
	if err != nil {
		b.Fatal(err)
	}
	lines := 0
	for b.Loop() {
		rows, err := finder.Find(b.Context(), img)
		if err != nil {
			b.Fatal(err)
		}
		found, err := textline.Find(b.Context(), img, rows)
		if err != nil {
			b.Fatal(err)
		}
		lines = len(found)
	}
	b.ReportMetric(float64(lines), "lines")
}
