package elements

import (
	"image"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception"
)

// addWriting adds the phrases of the rows, and texts of several rows.
func (f *finder) addWriting(rows []perception.Row) {
	first := len(f.list)
	for _, r := range rows {
		f.addPhrases(r)
	}
	for i := first; i < len(f.list); i++ {
		if e := &f.list[i]; strings.ContainsFunc(e.Label, isWord) {
			f.texts = append(f.texts, e.Box)
		} else { // a dash or a bullet, as readers see icons
			e.kind, e.Label = symbol, ""
			f.symbols = append(f.symbols, e.Box)
		}
	}
	f.addBlocks(first, len(f.list))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) }

// otherInk is how far apart two words' colors are at least when they are not
// one. Smoothing makes thin writing paler than it is.
const otherInk = 120

// addPhrases splits a row where its color changes, and where it has a gap: a
// link within a sentence is a phrase, and so is what stands before it.
func (f *finder) addPhrases(row perception.Row) {
	var last *Element
	for _, w := range row.Words {
		ink := f.inkOf(w.Box)
		if last != nil && apart(*last.Ink, ink) < otherInk && w.Box.Min.X-last.Box.Max.X < 2*row.Box.Dy() {
			last.Label += " " + w.Text
			last.Box = last.Box.Union(w.Box)
			continue
		}
		f.list = append(f.list, Element{Box: w.Box, Label: w.Text, Ink: &ink, kind: phrase})
		last = &f.list[len(f.list)-1]
	}
}

// inkOf returns the color of writing: the one that is furthest from what it
// stands on, which the corner of its box shows.
func (f *finder) inkOf(box image.Rectangle) (ink Color) {
	box = box.Intersect(f.img.Rect)
	if box.Empty() {
		return ink
	}
	ground := f.at(box.Min.X, max(0, box.Min.Y-1))
	most := -1
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if c := f.at(x, y); apart(c, ground) > most {
				ink, most = c, apart(c, ground)
			}
		}
	}
	return ink
}

// addBlocks adds texts whose rows are phrases below each other, and gives all
// phrases the height of their line.
func (f *finder) addBlocks(from, to int) {
	used := make([]bool, to)
	for i := from; i < to; i++ {
		if used[i] || f.list[i].kind != phrase {
			continue
		}
		block, last := f.list[i], f.list[i].Box
		for j := i + 1; j < to; j++ {
			if next := f.list[j]; !used[j] && next.kind == phrase && follows(last, next.Box) && apart(*next.Ink, *block.Ink) < otherInk {
				block.Box, last, used[j] = block.Box.Union(next.Box), next.Box, true
				block.Label += " " + next.Label
			}
		}
		if last != f.list[i].Box {
			f.list = append(f.list, block)
		}
	}
	for i := from; i < to; i++ {
		f.list[i].Box = pad(f.list[i].Box, 0, f.list[i].Box.Dy()/5).Intersect(f.img.Rect)
	}
}

// follows reports whether a row is the next one of a text.
func follows(last, next image.Rectangle) bool {
	gap := next.Min.Y - last.Max.Y
	return gap >= 0 && gap <= last.Dy()*6/5 && abs(next.Min.X-last.Min.X) <= last.Dy()/3 && abs(next.Dy()-last.Dy()) <= last.Dy()/3
}
