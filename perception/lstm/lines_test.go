package lstm

import (
	"encoding/json"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/draw"
)

// line is a line of text on a labelled screen, and the strip cut out for it.
type line struct {
	text  string
	strip Strip
}

// label is a word of a labelled screen and its place in CSS pixels. Text in a
// field has the place of the field.
type label struct {
	Text             string
	X, Y, W, H, Size float64
	Field            bool
}

// screenLines cuts all lines out of the labelled screens.
func screenLines(t testing.TB, height int) []line {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "testdata", "screens", "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []line
	for _, name := range names {
		var screen struct {
			DPR   float64
			Words []label
		}
		text, err := os.ReadFile(strings.TrimSuffix(name, "png") + "json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &screen); err != nil {
			t.Fatal(err)
		}
		picture := readPNG(t, name)
		for _, words := range inLines(screen.Words) {
			lines = append(lines, cut(picture, words, screen.DPR, height))
		}
	}
	return lines
}

func readPNG(t testing.TB, name string) image.Image {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// inLines groups words that follow each other in one line, no more than a
// space or so apart.
func inLines(words []label) [][]label {
	var lines [][]label
	var last label
	for _, w := range words {
		gap := w.X - last.X - last.W
		switch {
		case w.Field:
			continue
		case w.Y == last.Y && w.H == last.H && w.Size == last.Size && gap > 0 && gap < 0.6*w.Size:
			lines[len(lines)-1] = append(lines[len(lines)-1], w)
		default:
			lines = append(lines, []label{w})
		}
		last = w
	}
	return lines
}

// cut makes a strip of the words of a line, with the margins that the network
// has seen in training: as parts of the line's height, before the pixels at
// the edges are filled up.
func cut(screen image.Image, words []label, dpr float64, height int) line {
	const side, above = 0.03, 0.05
	first, last := words[0], words[len(words)-1]
	box := image.Rect(
		int(math.Floor(dpr*(first.X-side*first.H))),
		int(math.Floor(dpr*(first.Y-above*first.H))),
		int(math.Ceil(dpr*(last.X+last.W+side*first.H))),
		int(math.Ceil(dpr*(first.Y+(1+above)*first.H))),
	).Intersect(screen.Bounds())
	grey := image.NewGray(image.Rect(0, 0, box.Dx(), box.Dy()))
	draw.Draw(grey, grey.Rect, screen, box.Min, draw.Src)
	inkOnPaper(grey.Pix)
	strip := image.NewGray(image.Rect(0, 0, max(1, box.Dx()*height/box.Dy()), height))
	draw.CatmullRom.Scale(strip, strip.Rect, grey, grey.Rect, draw.Src, nil)
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	return line{strings.Join(texts, " "), Strip{strip.Rect.Dx(), strip.Pix}}
}

// inkOnPaper makes the most frequent value white, and that which differs most
// from it black.
func inkOnPaper(pix []uint8) {
	var counts histogram
	for _, p := range pix {
		counts[p]++
	}
	paper := 0
	for v, n := range counts {
		if n > counts[paper] {
			paper = v
		}
	}
	ink := paper
	for v, n := range counts {
		if n > 0 && math.Abs(float64(v-paper)) > math.Abs(float64(ink-paper)) {
			ink = v
		}
	}
	for i, p := range pix {
		pix[i] = 255
		if ink != paper {
			pix[i] = uint8(255 - 255*min(max(float64(int(p)-paper)/float64(ink-paper), 0), 1))
		}
	}
}
