package textline

import (
	"fmt"
	"image"
	"testing"
)

// chainOf returns a chainer with glyphs, and a chain of all of them.
func chainOf(boxes ...image.Rectangle) (c chainer, chain []int) {
	for i, b := range boxes {
		c.glyphs = append(c.glyphs, component{x0: b.Min.X, y0: b.Min.Y, x1: b.Max.X, y1: b.Max.Y})
		chain = append(chain, i)
	}
	return c, chain
}

// rowOf returns n letters beside each other, which stand on a row of pixels.
func rowOf(n, foot int) (list []image.Rectangle) {
	for i := range n {
		list = append(list, image.Rect(10+8*i, foot-8-3*(i%2), 16+8*i, foot))
	}
	return list
}

// What begins far below the baseline is of another line: a quote, and no comma and no underscore.
func TestUnhang(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mark  image.Rectangle
		hangs bool
	}{
		"a quote":       {image.Rect(32, 45, 34, 48), true},
		"a comma":       {image.Rect(60, 38, 62, 42), false},
		"a tail":        {image.Rect(60, 32, 66, 43), false},
		"an underscore": {image.Rect(60, 46, 67, 47), false},
	} {
		t.Run(name, func(t *testing.T) {
			c, chain := chainOf(append(rowOf(6, 40), tt.mark)...)
			line, below := c.unhang(chain)
			if want := []int{6}; tt.hangs && (len(line) != 6 || len(below) != 1 || below[0] != want[0]) || !tt.hangs && line != nil {
				t.Errorf("parted into %v and %v", line, below)
			}
		})
	}
}

// Rows that something joins are parted, with what is in two of them apart; one row is not, nor a row with marks above it.
func TestUnrow(t *testing.T) {
	t.Parallel()
	two := append(rowOf(6, 40), rowOf(5, 56)...)
	for name, tt := range map[string]struct {
		boxes []image.Rectangle
		want  []int // glyphs of each part
	}{
		"one row":         {rowOf(6, 40), nil},
		"accents":         {append(rowOf(6, 40), image.Rect(10, 20, 14, 22), image.Rect(26, 20, 30, 22)), nil},
		"two rows":        {two, []int{6, 5}},
		"with a high one": {append(two[:11:11], image.Rect(60, 30, 66, 56)), []int{6, 5, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			c, chain := chainOf(tt.boxes...)
			parts := c.unrow(chain)
			got := make([]int, len(parts))
			for i, p := range parts {
				got[i] = len(p)
			}
			if len(got) != len(tt.want) {
				t.Fatalf("parts of %v glyphs, want %v", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("parts of %v glyphs, want %v", got, tt.want)
				}
			}
		})
	}
}

// Of a component that a block and what touches it are, what is outside of the block is left.
func TestOutsideOfABlock(t *testing.T) {
	t.Parallel()
	block := image.Rect(10, 10, 30, 28)
	var runs []run
	for y := int32(9); y < 40; y++ {
		switch {
		case y == 9 || y == 27:
			runs = append(runs, run{y, 9, 30})
		case y < 27:
			runs = append(runs, run{y, 9, 10}, run{y, 29, 30})
		default:
			runs = append(runs, run{y, 20, 24}) // a letter below
		}
	}
	f := filled{ctx: t.Context(), of: connect(t.Context(), runs), block: true}
	if len(f.of.list) != 1 {
		t.Fatalf("%d components", len(f.of.list))
	}
	got := f.outside(&f.of.list[0], block)
	if len(got) != 1 || got[0].y0 < block.Max.Y || got[0].y1 != 40 {
		t.Errorf("outside is %+v", got)
	}
	f.block = false
	if got := f.outside(&f.of.list[0], block); got != nil {
		t.Errorf("a pill has %+v outside of it", got)
	}
}

// The height of a line is that of its letters, though it has more dots; small letters beside an icon are no dots.
func TestTypicalHeight(t *testing.T) {
	t.Parallel()
	dot := func(x, foot int) image.Rectangle { return image.Rect(x, foot-4, x+4, foot) }
	for name, tt := range map[string]struct {
		boxes []image.Rectangle
		want  int
	}{
		"figures and dots": {[]image.Rectangle{image.Rect(10, 24, 21, 40), dot(26, 40), image.Rect(36, 24, 48, 40), dot(53, 40), dot(53, 31)}, 16},
		"beside an icon":   {[]image.Rectangle{image.Rect(10, 24, 28, 42), dot(30, 36), dot(35, 36), dot(40, 36)}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			c, chain := chainOf(tt.boxes...)
			if got := c.typicalHeight(chain); got != tt.want {
				t.Errorf("typically %d pixels high, want %d", got, tt.want)
			}
		})
	}
}

// A dash of large type is no word, and a word as high is no dash.
func TestLargeDash(t *testing.T) {
	t.Parallel()
	k := component{x0: 10, y0: 10, x1: 35, y1: 18, edges: 170, top: 23, bottom: 21}
	if !k.isDash() {
		t.Error("a dash is a word")
	}
	if k.top = 6; k.isDash() {
		t.Error("a word is a dash")
	}
}

// A quote beside a small letter is not above it; an accent is.
func TestIsAbove(t *testing.T) {
	t.Parallel()
	letter := image.Rect(10, 34, 30, 46)
	for name, tt := range map[string]struct {
		mark image.Rectangle
		want bool
	}{
		"a quote":               {image.Rect(33, 30, 40, 36), false},
		"an accent":             {image.Rect(15, 28, 22, 32), true},
		"dots of the line over": {image.Rect(33, 27, 36, 30), true},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := chainOf(letter, tt.mark)
			if c.isAbove(pair{mark: 1, glyph: 0}) != tt.want {
				t.Errorf("above: %v", !tt.want)
			}
		})
	}
}

// A mark below a letter is of its line wherever on a screen it stands: at the edge of what is looked at together, too.
func TestMarksAtEveryHeight(t *testing.T) {
	t.Parallel()
	for y := range bandHeight {
		c, chain := chainOf(image.Rect(10, 30+y, 20, 42+y), image.Rect(21, 44+y, 49, 47+y))
		c.ctx, c.screen, c.rules = t.Context(), image.NewNRGBA(image.Rect(0, 0, 100, 100)), &rules{}
		c.bg, c.parent = make([]pixel, 2), make([]int32, 2)
		if c.link(chain); c.root(0) != c.root(1) {
			t.Errorf("underscores at %d are of another line", 44+y)
		}
	}
}

// An underscore is of the line of capitals that it is far thinner than; what is as thin under one of them, or beside its middle, is not.
func TestThinUnderscores(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mark image.Rectangle
		want bool
	}{
		"an underscore":     {image.Rect(60, 66, 78, 68), true},
		"an underline":      {image.Rect(46, 64, 60, 66), false},
		"the rest of a row": {image.Rect(60, 50, 78, 52), false},
		"a short speck":     {image.Rect(60, 66, 66, 68), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, chain := chainOf(image.Rect(45, 40, 60, 61), tt.mark)
			if is := c.neighbours(&c.glyphs[chain[0]], &c.glyphs[chain[1]]); is != tt.want {
				t.Errorf("of the line: %v", is)
			}
		})
	}
}

// A high letter at the start of a row between rules is no side of a frame; a stroke at the ends of the rules is.
func TestFirstLetterOfARow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		x    int
		kept int
	}{"a letter": {24, 1}, "a side": {20, 0}} {
		t.Run(name, func(t *testing.T) {
			s := sorted{rules: &rules{level: make([]stretches, 100)}}
			for _, y := range []int{40, 64} {
				s.rules.level[y] = stretches{{from: 20, to: 200, rule: true}}
			}
			s.glyphs = []component{{x0: tt.x, y0: 43, x1: tt.x + 3, y1: 61}}
			if s.withoutSides(); len(s.glyphs) != tt.kept {
				t.Errorf("%d glyphs are left, want %d", len(s.glyphs), tt.kept)
			}
		})
	}
}

// A letter that touches one of the next line is of the chain of both, as high as two small letters with a tail and an ascender are.
func TestTwoLettersAreNoIcon(t *testing.T) {
	t.Parallel()
	for height, isLarge := range map[int]bool{22: false, 24: true} {
		t.Run(fmt.Sprint(height), func(t *testing.T) {
			var boxes []image.Rectangle
			for i := range 6 {
				boxes = append(boxes, image.Rect(10+8*i, 32, 16+8*i, 40))
			}
			c, chain := chainOf(append(boxes, image.Rect(60, 32, 66, 32+height))...)
			if _, large := c.apart(chain); isLarge != (len(large) > 0) {
				t.Errorf("a glyph %d high beside letters 8 high is in %v", height, large)
			}
		})
	}
}
