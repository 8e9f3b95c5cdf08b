package textline

import (
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
