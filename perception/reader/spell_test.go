package reader

import (
	"image"
	"image/color"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/textline"
)

// TestSpell checks that a space that the network read stays.
func TestSpell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		drawn, read string // without spaces, each of read's letters is seen where of is
		of          []int  // the segments of the ink
		want        string
	}{
		{"Hold it", "Hold it", []int{0, 1, 2, 3, 4, 5}, "Hold it"},
		{"2 48", "2 48", []int{0, 1, 2}, "2 48"},
	} {
		t.Run(tt.drawn, func(t *testing.T) {
			img := testkit.Canvas(300, 60, color.White)
			testkit.Pen{Em: 20}.Write(img, 30, 40, tt.drawn)
			p := lineIn(t, img).Patch(img)
			f := p.Fits()[0]
			s := p.Strip(f, textline.Geometries[0], 36)
			got := spell(p, &s, f, readingOf(p, &s, tt.read, tt.of), network{lag: lagOfTesseract})
			if got.said() != tt.want {
				t.Errorf("%q, read as %q: %q, want %q", tt.drawn, tt.read, got.said(), tt.want)
			}
		})
	}
}

// lineIn returns the only line of a picture.
func lineIn(t *testing.T, img *image.NRGBA) *textline.Line {
	t.Helper()
	_, lines, err := New(Config{}).find(t.Context(), img)
	if err != nil || len(lines) != 1 {
		t.Fatalf("%d lines (%v)", len(lines), err)
	}
	return &lines[0]
}

// readingOf returns a reading of letters, each in the middle of the ink of its segment.
func readingOf(p *textline.Patch, s *textline.Strip, text string, of []int) lstm.Reading {
	segments := p.Segments()
	var r lstm.Reading
	at, n := 0, 0
	for _, c := range text {
		if c != ' ' {
			box := segments[of[n]]
			for at = 0; s.X(float64(at)) < float64(box.Min.X+box.Max.X)/2; at++ {
			}
			n++
		}
		r = append(r, lstm.Char{Text: string(c), Confidence: 0.99, From: at - 1, To: at + 1})
	}
	return r
}

// TestSpellJoinedWords checks that words that a line joins have separate boxes.
func TestSpellJoinedWords(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(300, 60, color.White)
	testkit.Pen{Em: 20}.Write(img, 30, 40, "Hold it")
	p := lineIn(t, img).Patch(img)
	f := p.Fits()[0]
	s := p.Strip(f, textline.Geometries[0], 36)
	r := readingOf(p, &s, "Hold it", []int{0, 1, 2, 3, 4, 5})
	segments := p.Segments()
	for x := range p.Width {
		p.Ink[(p.Height/2)*p.Width+x] = 255
	}
	words := spell(p, &s, f, r, network{}).text().words
	if len(words) != 2 || int(words[0].x1) > segments[4].Min.X || int(words[1].x0) < segments[3].Max.X {
		t.Errorf("words %+v, whose letters stand at %v", words, segments)
	}
}
