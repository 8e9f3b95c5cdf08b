package textline_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

// patchOf draws a phrase and cuts out its one line.
func patchOf(t *testing.T, pen testkit.Pen, ground int, x, y int, text string) *textline.Patch {
	t.Helper()
	pen.Ink = grounds[ground].ink
	img := testkit.Canvas(700, 200, grounds[ground].ground)
	words := pen.Write(img, x, y, text)
	lines := findIn(t, img, rowOf(words, y, int(math.Ceil(0.74*pen.Em))))
	if len(lines) != 1 {
		t.Fatalf("%q: %d lines", text, len(lines))
	}
	return lines[0].Patch(img)
}

// The same text looks the same wherever it stands, to the bit, and nearly so
// in all colors.
func TestPatchIsOfTheTextAlone(t *testing.T) {
	t.Parallel()
	pen := testkit.Pen{Em: 16}
	first := patchOf(t, pen, 0, 30, 60, "Save all")
	moved := patchOf(t, pen, 0, 311, 147, "Save all")
	if first.Width != moved.Width || !slices.Equal(first.Ink, moved.Ink) {
		t.Error("the text looks different elsewhere")
	}
	if first.Origin == moved.Origin {
		t.Error("both stand at", first.Origin)
	}
	for i, g := range grounds {
		p := patchOf(t, pen, i, 30, 60, "Save all")
		if p.Origin != first.Origin || max(p.Width-first.Width, first.Width-p.Width) > 1 || p.Height != first.Height {
			t.Errorf("%s: %d x %d at %v, want %d x %d at %v", g.name, p.Width, p.Height, p.Origin, first.Width, first.Height, first.Origin)
			continue
		}
		sum := 0.0
		for y := range p.Height {
			for x := range min(p.Width, first.Width) {
				sum += math.Abs(float64(p.Ink[y*p.Width+x]) - float64(first.Ink[y*first.Width+x]))
			}
		}
		if mean := sum / float64(len(p.Ink)); mean > 5 {
			t.Errorf("%s: pixels are %.1f of 255 apart", g.name, mean)
		}
	}
	if other := patchOf(t, pen, 0, 30, 60, "Save ail"); slices.Equal(first.Ink, other.Ink) {
		t.Error("another text looks the same")
	}
}

// A patch holds its line's ink with a pixel around it.
func TestPatchHoldsTheInk(t *testing.T) {
	t.Parallel()
	p := patchOf(t, testkit.Pen{Em: 16}, 0, 30, 60, "Hill")
	border := 0
	for x := range p.Width {
		border += int(p.Ink[x]) + int(p.Ink[(p.Height-1)*p.Width+x])
	}
	if border != 0 || slices.Max(p.Ink) != 255 || len(p.Ink) != p.Width*p.Height {
		t.Errorf("%d of ink on the border, at most %d inside", border, slices.Max(p.Ink))
	}
}

// Segments are letters, from left to right.
func TestSegments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"l": 1, "Hill": 4, "a b": 2, "3.14": 4, "i": 1, "so:": 3} {
		t.Run(text, func(t *testing.T) {
			p := patchOf(t, testkit.Pen{Em: 24}, 0, 30, 60, text)
			got := p.Segments()
			if len(got) != want {
				t.Errorf("%q: %d segments %v, want %d", text, len(got), got, want)
			}
			for i, s := range got {
				if s.Empty() || !s.In(image.Rect(0, 0, p.Width, p.Height)) || i > 0 && s.Min.X <= got[i-1].Max.X {
					t.Errorf("%q: segment %v of %v", text, s, got)
				}
			}
		})
	}
}

// A fit says where the baseline is and how high a capital is: at once where
// the letters show, else as one of two guesses.
func TestFits(t *testing.T) {
	t.Parallel()
	for name, ttf := range map[string][]byte{"regular": goregular.TTF, "bold": gobold.TTF, "mono": gomono.TTF} {
		t.Run(name, func(t *testing.T) {
			for _, em := range []float64{10, 13, 16, 24, 40} {
				capital := testkit.Pen{Font: ttf, Em: em}.Write(testkit.Canvas(1, 1, white), 0, 0, "HEXT")[0].Dy()
				for _, tt := range []struct {
					text    string
					letters textline.Heights
				}{
					{"Mixedcase", textline.Both}, {"Typesetting", textline.Both}, {"HELLO", textline.Tall}, {"summer", textline.Small},
					{"arrow", textline.Small},
				} {
					t.Run(tt.text, func(t *testing.T) {
						p := patchOf(t, testkit.Pen{Font: ttf, Em: em}, 0, 30, 80, tt.text)
						fits := p.Fits()
						i := slices.IndexFunc(fits, func(f textline.Fit) bool { return f.Letters == tt.letters })
						if i < 0 || tt.letters == textline.Both && len(fits) != 1 || len(fits) > 2 {
							t.Errorf("%s %g px %q: fits %+v", name, em, tt.text, fits)
							return
						}
						base := float64(80 - p.Origin.Y)
						if f := fits[i]; math.Abs(f.Baseline-base) > 1 || math.Abs(f.Capital-float64(capital)) > max(1.2, 0.08*float64(capital)) {
							t.Errorf("%s %g px %q: %+v, want baseline %.0f and capital %d", name, em, tt.text, f, base, capital)
						}
					})
				}
			}
		})
	}
}

// On a strip the letters stand as the geometry says, and columns are mapped back.
func TestStrip(t *testing.T) {
	t.Parallel()
	for _, height := range []int{36, 48} {
		for _, g := range textline.Geometries {
			for _, em := range []float64{9, 12, 16, 30, 60} {
				name := fmt.Sprintf("%d px high, capitals %.2f, from %g px", height, g.Capital, em)
				p := patchOf(t, testkit.Pen{Em: em}, 0, 30, 120, "HIHI")
				s := p.Strip(p.Fits()[0], g, height)
				if len(s.Pix) != s.Width*height {
					t.Fatalf("%s: %d pixels for a width of %d", name, len(s.Pix), s.Width)
				}
				top, bottom, left, right := inkOf(s, height)
				if want := (g.Baseline - g.Capital) * float64(height); math.Abs(top-want) > 1.5 {
					t.Errorf("%s: capitals begin at %.0f, want %.1f", name, top, want)
				}
				if want := g.Baseline * float64(height); math.Abs(bottom-want) > 1.5 {
					t.Errorf("%s: the baseline is at %.0f, want %.1f", name, bottom, want)
				}
				if l, r := s.X(left), s.X(right); math.Abs(l-1) > 1 || math.Abs(r-float64(p.Width-1)) > 2 {
					t.Errorf("%s: the ink is told to be at %.1f..%.1f of the patch, want 1..%d", name, l, r, p.Width-1)
				}
			}
		}
	}
}

// inkOf returns the box of what is dark on a strip.
func inkOf(s textline.Strip, height int) (top, bottom, left, right float64) {
	var box image.Rectangle
	for y := range height {
		for x := range s.Width {
			if s.Pix[y*s.Width+x] < 128 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return float64(box.Min.Y), float64(box.Max.Y), float64(box.Min.X), float64(box.Max.X)
}

// What reaches far under or over the line is not cut off: all is smaller then.
func TestStripHoldsAll(t *testing.T) {
	t.Parallel()
	p := patchOf(t, testkit.Pen{Em: 24}, 0, 30, 120, "xÂjx")
	f := textline.Fit{Baseline: 5, Capital: 3} // far too small
	s := p.Strip(f, textline.Geometries[0], 36)
	top, bottom, _, _ := inkOf(s, 36)
	if top < 0.5 || bottom > 35.5 || bottom-top < 30 {
		t.Errorf("the ink is in rows %.0f..%.0f of 36", top, bottom)
	}
}

// A shadow or a glow is no ink.
func TestPatchWithoutShadow(t *testing.T) {
	t.Parallel()
	ground := color.NRGBA{150, 170, 150, 255}
	for _, tt := range []struct {
		name        string
		ink, shadow color.NRGBA
	}{
		{"a shadow", color.NRGBA{255, 255, 255, 255}, color.NRGBA{90, 110, 90, 255}},
		{"a glow", color.NRGBA{20, 20, 20, 255}, color.NRGBA{200, 215, 200, 255}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := testkit.Canvas(300, 100, ground)
			testkit.Pen{Em: 18, Ink: tt.shadow}.Write(img, 32, 62, "Holiday photos")
			words := testkit.Pen{Em: 18, Ink: tt.ink}.Write(img, 30, 60, "Holiday photos")
			lines := find(t, img)
			if len(lines) != 1 {
				t.Fatalf("%d lines", len(lines))
			}
			p := lines[0].Patch(img)
			for y := union(words).Max.Y + 1; y < p.Origin.Y+p.Height; y++ {
				for x := range p.Width {
					if v := p.Ink[(y-p.Origin.Y)*p.Width+x]; v > 40 {
						t.Fatalf("the shadow at %d,%d has ink of %d", p.Origin.X+x, y, v)
					}
				}
			}
		})
	}
}

// A row of white words and black ones has the ink of both.
func TestPatchOfTwoInks(t *testing.T) {
	t.Parallel()
	img := testkit.Canvas(400, 80, color.NRGBA{30, 120, 220, 255})
	first := union(testkit.Pen{Em: 20, Ink: white}.Write(img, 20, 50, "Slenwood"))
	second := union(testkit.Pen{Em: 20, Ink: black}.Write(img, first.Max.X+7, 50, "Player"))
	p := find(t, img)[0].Patch(img)
	for _, word := range []image.Rectangle{first, second} {
		inked := 0
		for y := word.Min.Y; y < word.Max.Y; y++ {
			for x := word.Min.X; x < word.Max.X; x++ {
				if p.Ink[(y-p.Origin.Y)*p.Width+x-p.Origin.X] > 128 {
					inked++
				}
			}
		}
		if 10*inked < word.Dx()*word.Dy() {
			t.Errorf("%d pixels of the word at %v have ink", inked, word)
		}
	}
}

// The wave under a word that is spelt wrongly is no ink, though it touches its letters.
func TestPatchWithoutWave(t *testing.T) {
	t.Parallel()
	wave := color.NRGBA{220, 30, 30, 255}
	img := testkit.Canvas(200, 60, white)
	word := union(testkit.Pen{Em: 13}.Write(img, 30, 40, "Kilmory Oskar"))
	for x := word.Min.X; x < word.Max.X; x++ {
		img.SetNRGBA(x, 41+x/2%2, wave)
	}
	lines := find(t, img)
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	p := lines[0].Patch(img)
	for i, v := range p.Ink {
		at := p.Origin.Add(image.Pt(i%p.Width, i/p.Width))
		if v > 60 && img.NRGBAAt(at.X, at.Y) == wave {
			t.Fatalf("the wave at %v is ink of %d", at, v)
		}
	}
}

// Letters on a coloured ground keep their low parts, which differ in colour as a wave does where compression made them.
func TestPatchOfCompressedLettersOnColours(t *testing.T) {
	t.Parallel()
	low := func(p *textline.Patch) (sum int) {
		for _, v := range p.Ink[p.Height*3/5*p.Width:] {
			sum += int(v)
		}
		return sum
	}
	for _, ground := range []color.NRGBA{{70, 140, 160, 255}, {80, 140, 170, 255}, {90, 110, 170, 255}} {
		t.Run(fmt.Sprint(ground), func(t *testing.T) {
			for y := 28; y <= 30; y++ {
				img := testkit.Canvas(160, 48, ground)
				testkit.Pen{Em: 13, Ink: color.NRGBA{20, 20, 20, 255}}.Write(img, 25, y+1, "Game saves")
				testkit.Pen{Em: 13, Ink: white}.Write(img, 24, y, "Game saves")
				lines := find(t, img)
				if len(lines) != 1 {
					t.Fatalf("%d lines", len(lines))
				}
				if was, is := low(lines[0].Patch(img)), low(lines[0].Patch(compressed(t, img, 80))); 100*is < 85*was {
					t.Errorf("at %d: the low ink is %d, and was %d before it was compressed", y, is, was)
				}
			}
		})
	}
}

// A letter that stands on less than it hangs over is read as both may be, and dashes do not say where a line
// stands.
func TestFitsOfOneLetter(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"F", "P", "r", "-rw-r--r--"} {
		for _, em := range []float64{11, 14, 20} {
			for name, ttf := range map[string][]byte{"regular": goregular.TTF, "bold": gobold.TTF, "mono": gomono.TTF} {
				t.Run(fmt.Sprint(text, em, name), func(t *testing.T) {
					p := patchOf(t, testkit.Pen{Em: em, Font: ttf}, 0, 30, 60, text)
					base := float64(60 - p.Origin.Y)
					if !slices.ContainsFunc(p.Fits(), func(f textline.Fit) bool { return math.Abs(f.Baseline-base) < 1 }) {
						t.Errorf("it stands on %g: %v", base, p.Fits())
					}
				})
			}
		}
	}
}
