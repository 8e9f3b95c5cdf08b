package reader

import (
	"image"
	"strings"
	"testing"

	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/textline"
)

// Boxes of the parts of a line, in the columns from..to. Its capitals are 10 pixels high, and its
// baseline is at 12.
func body(from, to int) image.Rectangle  { return image.Rect(from, 2, to, 12) } // a capital
func low(from, to int) image.Rectangle   { return image.Rect(from, 5, to, 12) } // a small letter
func stop(from int) image.Rectangle      { return image.Rect(from, 10, from+2, 12) }
func comma(from int) image.Rectangle     { return image.Rect(from, 10, from+2, 15) }
func dash(from int) image.Rectangle      { return image.Rect(from, 7, from+5, 8) }
func icon(from int) image.Rectangle      { return image.Rect(from, 0, from+14, 14) }
func quoteAt(from int) image.Rectangle   { return image.Rect(from, 2, from+2, 5) }
func is(text string, of ...int) []letter { return spelled(text, 0.999, of...) }

// spelled returns the letters of text, each with its segment from the list. A space in text belongs
// to the letter behind it.
func spelled(text string, confidence float64, of ...int) []letter {
	var list []letter
	space := false
	for _, r := range text {
		if r == ' ' {
			space = true
			continue
		}
		list = append(list, letter{text: string(r), confidence: confidence, segment: of[len(list)], space: space})
		space = false
	}
	return list
}

// spellingOf returns a spelling of letters on the ink of segments.
func spellingOf(letters []letter, ink ...image.Rectangle) *spelling {
	p := &spelling{fit: textline.Fit{Baseline: 12, Capital: 10, Letters: textline.Both}, letters: letters}
	for _, box := range ink {
		p.segments = append(p.segments, segment{box: box})
	}
	for _, l := range letters {
		p.segments[l.segment].letters++
	}
	return p
}

// said returns the text of a spelling without corrections.
func (p *spelling) said() string {
	var b strings.Builder
	for _, l := range p.letters {
		if l.space {
			b.WriteByte(' ')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// TestMarks checks that marks that the ink shows are added, and that marks without ink are removed.
func TestMarks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		letters []letter
		ink     []image.Rectangle
		do      func(*spelling)
		want    string
	}{
		{"a stop missed at the end", is("Ho", 0, 1), []image.Rectangle{body(0, 8), low(10, 16), stop(18)}, (*spelling).addMarks, "Ho."},
		{"a stop missed within", is("15", 0, 2), []image.Rectangle{body(0, 8), stop(10), body(14, 20)}, (*spelling).addMarks, "1.5"},
		{"a stop missed at the start", is("5", 1), []image.Rectangle{stop(0), body(4, 10)}, (*spelling).addMarks, ".5"},
		{"a comma missed", is("Ho", 0, 1), []image.Rectangle{body(0, 8), low(10, 16), comma(18)}, (*spelling).addMarks, "Ho,"},
		{"a dash missed", is("AB", 0, 2), []image.Rectangle{body(0, 8), dash(10), body(17, 25)}, (*spelling).addMarks, "A-B"},
		{"no dash at the start", is("AB", 1, 2), []image.Rectangle{dash(0), body(8, 16), body(17, 25)}, (*spelling).addMarks, "AB"},
		{"a mark that was read", is("Ho.", 0, 1, 2), []image.Rectangle{body(0, 8), low(10, 16), stop(18)}, (*spelling).addMarks, "Ho."},
		{"a mark that was put to the letter before", is("Ho.", 0, 1, 1), []image.Rectangle{body(0, 8), low(10, 16), stop(18)}, (*spelling).addMarks, "Ho."},
		{"a letter missed is no mark", is("Ho", 0, 2), []image.Rectangle{body(0, 8), body(10, 16), low(18, 24)}, (*spelling).addMarks, "Ho"},
		{"nothing read", nil, []image.Rectangle{stop(0)}, (*spelling).addMarks, ""},

		{"a dash imagined at the end", is("Ho-", 0, 1, 1), []image.Rectangle{body(0, 8), low(10, 16)}, (*spelling).trim, "Ho"},
		{"quotes imagined at both ends", is("'Ho'", 0, 0, 1, 1), []image.Rectangle{body(0, 8), low(10, 16)}, (*spelling).trim, "Ho"},
		{"a mark imagined, with a space after", is("| Ho", 0, 0, 1), []image.Rectangle{body(0, 8), low(10, 16)}, (*spelling).trim, "Ho"},
		{"a stop with ink of its own", is("Ho.", 0, 1, 2), []image.Rectangle{body(0, 8), low(10, 16), stop(18)}, (*spelling).trim, "Ho."},
		{"a mark alone", is("-", 0), []image.Rectangle{dash(0)}, (*spelling).trim, "-"},
		{"marks alone in one segment", is("--", 0, 0), []image.Rectangle{dash(0)}, (*spelling).trim, "-"},
		{"a letter with another", is("rn", 0, 0), []image.Rectangle{low(0, 12)}, (*spelling).trim, "rn"},
		{"a mark imagined within stays", is("a-b", 0, 0, 1), []image.Rectangle{low(0, 8), body(10, 18)}, (*spelling).trim, "a-b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spellingOf(tt.letters, tt.ink...)
			tt.do(p)
			if got := p.said(); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
			checkCounts(t, tt.name, p)
		})
	}
}

// checkCounts fails the test unless each segment counts its letters correctly, and the letters are
// in order.
func checkCounts(t *testing.T, name string, p *spelling) {
	t.Helper()
	counts := make([]int, len(p.segments))
	for i, l := range p.letters {
		counts[l.segment]++
		if i > 0 && l.segment < p.letters[i-1].segment {
			t.Errorf("%s: letter %d is left of the one before", name, i)
		}
	}
	for i, s := range p.segments {
		if s.letters != counts[i] {
			t.Errorf("%s: segment %d counts %d letters, has %d", name, i, s.letters, counts[i])
		}
	}
}

// TestSettle checks that a mark that was assigned to a neighbour moves to its own ink.
func TestSettle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		letters []letter
		ink     []image.Rectangle
		want    []int // each letter's segment
	}{
		{"to the right", is("o.", 0, 0), []image.Rectangle{low(0, 6), stop(8)}, []int{0, 1}},
		{"to the left", is("'o", 1, 1), []image.Rectangle{quoteAt(0), low(4, 10)}, []int{0, 1}},
		{"where none is free", is("o.x", 0, 0, 1), []image.Rectangle{low(0, 6), low(8, 14)}, []int{0, 0, 1}},
		{"not onto wide ink", is("o.", 0, 0), []image.Rectangle{low(0, 6), body(8, 20)}, []int{0, 0}},
		{"no letter", is("ol", 0, 0), []image.Rectangle{low(0, 6), body(8, 10)}, []int{0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spellingOf(tt.letters, tt.ink...)
			p.settle()
			for i, l := range p.letters {
				if l.segment != tt.want[i] {
					t.Errorf("%s: letter %d is of segment %d, want %d", tt.name, i, l.segment, tt.want[i])
				}
			}
			checkCounts(t, tt.name, p)
		})
	}
}

// TestDropIcons checks that an icon beside a text is not a word of the text.
func TestDropIcons(t *testing.T) {
	t.Parallel()
	unsure := func(text string, of ...int) []letter { return spelled(text, 0.6, of...) }
	words := []image.Rectangle{body(30, 38), low(40, 46)}
	for _, tt := range []struct {
		name    string
		letters []letter
		ink     []image.Rectangle
		want    string
	}{
		{"at the start", append(unsure("Q", 0), is("X Ho", 0, 1, 2)[1:]...), append([]image.Rectangle{icon(0)}, words...), "Ho"},
		{"at the end", append(is("Ho", 0, 1), unsure("Z v", 0, 2)[1:]...), []image.Rectangle{body(0, 8), low(10, 16), icon(30)}, "Ho"},
		{"a word of that size, read surely", append(is("I", 0), is("X Ho", 0, 1, 2)[1:]...), append([]image.Rectangle{body(20, 22)}, words...), "I Ho"},
		{"a figure on the line, unsure", append(unsure("3", 0), is("X Ho", 0, 1, 2)[1:]...), append([]image.Rectangle{body(20, 26)}, words...), "3 Ho"},
		{"a letter that hangs", append(is("Ho", 0, 1), unsure("Z g", 0, 2)[1:]...), []image.Rectangle{body(0, 8), low(10, 16), image.Rect(22, 5, 28, 15)}, "Ho g"},
		{"hardly read, and far off", append(spelled("8", 0.3, 0), is("X Ho", 0, 1, 2)[1:]...), append([]image.Rectangle{body(0, 8)}, words...), "Ho"},
		{"all there is", unsure("Q", 0), []image.Rectangle{icon(0)}, "Q"},
		{"a word of three", append(unsure("abc", 0, 0, 0), is("X Ho", 0, 1, 2)[1:]...), append([]image.Rectangle{icon(0)}, words...), "abc Ho"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spellingOf(tt.letters, tt.ink...)
			p.dropIcons()
			if got := p.said(); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

// TestSpaceIcons checks that an icon or wide white space between two letters separates words.
// Letters of a monospaced typeface must stay together.
func TestSpaceIcons(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, read, want string
		of               []int
		ink              []image.Rectangle
	}{
		{"an icon", "ab", "a b", []int{0, 2}, []image.Rectangle{low(0, 6), icon(8), low(24, 30)}},
		{"a mark that was not read", "ab", "ab", []int{0, 2}, []image.Rectangle{low(0, 6), stop(8), low(12, 18)}},
		{"white", "ab", "a b", []int{0, 1}, []image.Rectangle{low(0, 6), low(18, 24)}},
		{"cells", "il", "il", []int{0, 1}, []image.Rectangle{body(0, 2), body(9, 11)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spellingOf(is(tt.read, tt.of...), tt.ink...)
			p.spaceIcons()
			if got := p.said(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestCloseSpacesOfCells checks typefaces with wide cells. Letters in adjacent cells must have no
// space between them, for example before a point. Letters with an empty cell between them must have
// a space.
func TestCloseSpacesOfCells(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, read, want string
		from, to         int // of what stands after "note", of which each letter is in a cell of ten columns
	}{
		{"the next cell", "note.", "note.", 44, 46},
		{"the one behind it", "note.", "note .", 54, 56},
		{"a letter", "notes", "note s", 52, 58},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := spellingOf(is(tt.read, 0, 1, 2, 3, 4), body(2, 8), body(12, 18), body(22, 28), body(32, 38), body(tt.from, tt.to))
			p.letters[4].space = true
			if p.closeSpaces(); p.said() != tt.want {
				t.Errorf("%q, want %q", p.said(), tt.want)
			}
		})
	}
}

// Frames, trees and bars of terminals part words and are not in the text.
func TestFramesPartWords(t *testing.T) {
	t.Parallel()
	patch := textline.Patch{Width: 40, Height: 24, Ink: make([]uint8, 40*24)}
	s := patch.Strip(textline.Fit{Baseline: 0.76 * 24, Capital: 0.54 * 24}, textline.Geometry{Capital: 0.54, Baseline: 0.76}, 24) // not scaled
	for read, want := range map[string]string{"┐ab┌": "ab", "a│b": "a b", "├─ a": "a", "a█▌b": "a b", "═══": "", "a■b": "a■b"} {
		p := spellingOf(nil, low(0, 6), low(10, 16), low(20, 26), low(30, 36))
		var chars lstm.Reading
		for i, r := range []rune(read) {
			chars = append(chars, lstm.Char{Text: string(r), Confidence: 0.99, From: 10 * i, To: 10*i + 6})
		}
		p.place(&s, chars, 0)
		if got := p.said(); got != want {
			t.Errorf("%q is %q, not %q", read, got, want)
		}
	}
}
