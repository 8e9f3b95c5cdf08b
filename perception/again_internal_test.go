package perception

import (
	"image"
	"image/color"
	"strings"
	"testing"
)

// drawn draws a picture: # is ink, = ink of another colour, and all else the background.
func drawn(text string) *image.NRGBA {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	out := image.NewNRGBA(image.Rect(0, 0, len(lines[0]), len(lines)))
	for y, line := range lines {
		for x, c := range line {
			at := color.NRGBA{220, 220, 220, 255}
			switch c {
			case '#':
				at = color.NRGBA{0, 0, 0, 255}
			case '=':
				at = color.NRGBA{120, 120, 120, 255}
			}
			out.SetNRGBA(x, y, at)
		}
	}
	return out
}

// text is drawn's inverse.
func text(screen *image.NRGBA) string {
	var b strings.Builder
	for y := range screen.Rect.Dy() {
		for x := range screen.Rect.Dx() {
			b.WriteByte(map[uint8]byte{220: '.', 0: '#', 120: '='}[screen.NRGBAAt(x, y).R])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Strokes below single letters are erased, and nothing else.
func TestEraseStrokes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ picture, want string }{
		"of an access key": {`
....................
..####...#..#..###..
..#.........#..#.#..
..###....#..#..###..
..#......#..#..#....
..#......#..#..###..
..====..............
..====..............
....................
....................
....................
....................
`, `
....................
..####...#..#..###..
..#.........#..#.#..
..###....#..#..###..
..#......#..#..#....
..#......#..#..###..
....................
....................
....................
....................
....................
....................
`},
		"the foot of a letter stays": {`
....................
..####...#..#..###..
..#.........#..#.#..
..###....#..#..###..
..#......#..#..#....
..####...#..#..###..
....................
....................
....................
....................
....................
`, ""},
		"a descender stays": {`
....................
..####...#..#..#.#..
..#......#..#..#.#..
..###....#..#..###..
..#......#..#....#..
..####...#..#....#..
.................#..
...............###..
....................
....................
....................
`, ""},
		"a line below a word stays": {`
....................
..####...#..#..###..
..#.........#..#.#..
..###....#..#..###..
..#......#..#..#....
..####...#..#..###..
.==================.
....................
....................
....................
....................
`, ""},
		"a frame stays": {`
....................
..####...#..#..###..
..#.........#..#.#..
..###....#..#..###..
..#......#..#..#....
..####...#..#..###..
....................
=====...............
=...................
=...................
=...................
`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			screen := drawn(c.picture)
			if c.want == "" {
				c.want = c.picture
			}
			eraseStrokes(screen, image.Rect(2, 1, 18, 6))
			if got := text(screen); got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// Places of a larger screen are places of the screen that hold the same, and are never empty.
func TestSmaller(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ large, want image.Rectangle }{
		"at the corner": {image.Rect(0, 0, 3, 3), image.Rect(0, 0, 2, 2)}, "a pixel": {image.Rect(4, 4, 5, 5), image.Rect(2, 2, 4, 4)},
		"a word": {image.Rect(30, 60, 90, 63), image.Rect(20, 40, 60, 42)}, "nothing": {image.Rect(3, 3, 3, 3), image.Rect(2, 2, 3, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shrinkBox(c.large); got != c.want {
				t.Errorf("%v: got %v, want %v", c.large, got, c.want)
			}
		})
	}
}

// A screen is looked at again up to a size.
func TestMayLookAgain(t *testing.T) {
	t.Parallel()
	if !MayLookAgain(image.Pt(4096, 2048)) || MayLookAgain(image.Pt(4096, 2049)) {
		t.Error("the bound is another one")
	}
}
