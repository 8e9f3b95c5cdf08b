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
func icon(from int) image.Rectangle      { return image.Rect(from, 0, from+14, 14) }
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
