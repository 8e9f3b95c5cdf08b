package reader

import (
	"image"
	"image/color"
	"reflect"
	"testing"

	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/textline"
)

// TestTellZeros checks that the ink distinguishes zeros from letters: beside zeros with a stroke,
// as in Go Mono, hollow zeros are letters.
func TestTellZeros(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		font        []byte
		drawn, read string
		want        string
	}{
		"a letter beside a zero":    {gomono.TTF, "X40OA", "X400A", "X40OA"},
		"nothing to go by":          {gomono.TTF, "XK4OA", "XK40A", "XK40A"},
		"hollow zeros":              {goregular.TTF, "X400A", "X400A", "X400A"},
		"a number":                  {gomono.TTF, "40O", "400", "400"},
		"a number beside a code":    {gomono.TTF, "A70 4O", "A70 40", "A70 40"},
		"a code beside a number":    {gomono.TTF, "40 AO7", "40 A07", "40 AO7"},
		"marked, and read as it is": {gomono.TTF, "A0B0", "A0B0", "A0B0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := testkit.Canvas(300, 60, color.White)
			box := image.Rect(18, 20, 20, 44)
			for _, r := range c.drawn { // apart, so that each has its segment
				for _, b := range (testkit.Pen{Font: c.font, Em: 20}).Write(img, box.Max.X+3, 40, string(r)) {
					box = box.Union(b)
				}
				box.Max.X += 2
			}
			line, ok := textline.Given(img, box)
			if !ok {
				t.Fatal("nothing is drawn")
			}
			patch := line.Patch(img)
			p := &spelling{fit: textline.Fit{Capital: 14}}
			for _, s := range patch.Segments() {
				p.segments = append(p.segments, segment{box: s, letters: 1})
			}
			space := false
			for _, r := range c.read {
				if space = space || r == ' '; r != ' ' {
					p.letters = append(p.letters, letter{text: string(r), segment: len(p.letters), space: space, confidence: 1})
					space = false
				}
			}
			if len(p.letters) != len(p.segments) {
				t.Fatalf("%d letters have %d segments", len(p.letters), len(p.segments))
			}
			p.splitZeros(patch)
			got := ""
			for _, w := range p.text().words {
				if got != "" {
					got += " "
				}
				got += w.text
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestTellZerosBeside checks a line without marked zeros. Other lines of its typeface decide,
// unless their numbers have hollow zeros.
func TestTellZerosBeside(t *testing.T) {
	t.Parallel()
	code := lineText{capital: 10, pitch: 8, words: []word{{text: "B0A", hollowZeros: true}}}
	marked := lineText{capital: 10.5, pitch: 8.1, markedZeros: true, words: []word{{text: "A70"}}}
	number := lineText{capital: 10, pitch: 8, words: []word{{text: "300", hollowZeros: true}}}
	for name, c := range map[string]struct {
		beside []lineText
		want   string
	}{
		"alone":                            {nil, "B0A"},
		"beside marked ones":               {[]lineText{marked}, "BOA"},
		"beside a number":                  {[]lineText{marked, number}, "B0A"},
		"beside those of another pitch":    {[]lineText{{capital: 10, pitch: 9, markedZeros: true}}, "B0A"},
		"beside those of another height":   {[]lineText{{capital: 12, pitch: 8, markedZeros: true}}, "B0A"},
		"beside a number of another pitch": {[]lineText{marked, {capital: 10, pitch: 6, words: number.words}}, "BOA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := code.words[0]
			lines := []line{{text: &code}}
			for i := range c.beside {
				lines = append(lines, line{text: &c.beside[i]})
			}
			splitZerosBeside(lines)
			if got := lines[0].text.words[0].text; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if !reflect.DeepEqual(code.words[0], before) {
				t.Error("what is cached was changed")
			}
		})
	}
}
