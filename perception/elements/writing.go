package elements

import (
	"image"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements/icons"
	"github.com/windieos/windie/perception/geo"
)

// writingOf removes rows that consist of icons which OCR read as letters.
func writingOf(rows []perception.Row) (kept []perception.Row) {
	side := int(14 * unitOf(boxesOf(rows)))
	for _, r := range rows {
		if r.Script != "" || slices.ContainsFunc(r.Words, func(w perception.Word) bool { return !isDrawn(w, side) }) {
			kept = append(kept, r)
		}
	}
	return kept
}

// sureWord is the minimum confidence of a large word of one or two letters that is not an icon.
const sureWord = 0.825

// isDrawn reports whether a word is icons: one or two large letters with low confidence, or several
// that are wider than high.
func isDrawn(w perception.Word, side int) bool {
	n := len([]rune(w.Text))
	return min(w.Box.Dx(), w.Box.Dy()) >= side && (n <= 2 && w.Confidence < sureWord || n >= 2 && w.Box.Dx() > n*w.Box.Dy())
}

// boxesOf returns the boxes of rows, in the same order.
func boxesOf(rows []perception.Row) (boxes []image.Rectangle) {
	for _, r := range rows {
		boxes = append(boxes, r.Box)
	}
	return boxes
}

// addWriting adds the phrases of the rows, and texts of several rows.
func (f *finder) addWriting(rows []perception.Row) {
	first := len(f.list)
	for _, r := range rows {
		f.addPhrases(r)
	}
	for i := first; i < len(f.list); i++ {
		if e := &f.list[i]; strings.ContainsFunc(e.Label, isWord) && !isSign(e.Label) {
			f.texts = append(f.texts, e.Box)
		} else { // a dash or a bullet: OCR reads some icons as such
			e.kind, e.Label, e.Icons = symbol, "", icons.Match(f.cut(e.Box))
			f.symbols = append(f.symbols, e.Box)
		}
	}
	for _, r := range rows {
		if r.Script != "" {
			f.texts = append(f.texts, r.Box)
			f.list = append(f.list, Element{Box: r.Box, Ink: new(f.inkOf(r.Box)), kind: phrase})
		}
	}
	f.addBlocks(first, len(f.list))
}

// isWord reports whether a rune is a letter, a digit or a symbol such as +. A text without one is a
// dash, a bullet or another mark.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) }

// otherInk is the minimum difference between colors of words, 0 to 765. It is high because
// smoothing makes words paler.
const otherInk = 120

// addPhrases splits a row at wide gaps and where its color changes, for example at a link.
func (f *finder) addPhrases(row perception.Row) {
	var last *Element
	bar := f.isBar(row)
	for _, w := range row.Words {
		if w = f.onButton(w); w.Text == "" {
			continue
		}
		ink := f.inkOf(w.Box)
		if last != nil && !strings.ContainsFunc(w.Text, isWord) && w.Box.Min.X-last.Box.Max.X < row.Box.Dy() {
			ink = *last.Ink // dots are paler than letters
		}
		if last != nil && !isSign(last.Label) && !isSign(w.Text) && Apart(*last.Ink, ink) < otherInk &&
			w.Box.Min.X-last.Box.Max.X < gapIn(row, last.Label, w.Text, bar) && f.buttonAt(w.Box) == f.buttonAt(last.Box) {
			last.Label += " " + w.Text
			last.Box = last.Box.Union(w.Box)
			continue
		}
		f.list = append(f.list, Element{Box: w.Box, Label: w.Text, Ink: &ink, kind: phrase})
		last = &f.list[len(f.list)-1]
	}
}

// onButton removes signs that OCR read from the lines around a button, as in "—Delete". The text
// becomes "" if nothing remains.
func (f *finder) onButton(w perception.Word) perception.Word {
	on := f.buttonAt(w.Box)
	if on < 0 {
		for _, b := range f.faces {
			if f.isButtonSized(b) && !strings.ContainsFunc(w.Text, unicode.IsLetter) && w.Box.Dx() <= f.px(3) && w.Box.Overlaps(geo.Pad(b, 1, 1)) {
				w.Text = ""
			}
		}
		return w
	}
	if b := f.faces[on]; w.Box.Min.X < b.Min.X+f.px(3) && len(w.Text) > 1 {
		if text := strings.TrimLeft(w.Text, "—–-_|[({"); text != w.Text {
			w.Text, w.Box.Min.X = text, f.inkFrom(b, w.Box)
			w.Box = w.Box.Intersect(b.Inset(f.px(4)))
		}
	}
	return w
}

// inkFrom returns the x of the first ink in a box, right of the line around a button.
func (f *finder) inkFrom(button, box image.Rectangle) int {
	ground := f.at(button.Min.X+f.px(3), geo.Center(button).Y)
	for x := button.Min.X + f.px(3); x < box.Max.X; x++ {
		for y := box.Min.Y + box.Dy()/4; y < box.Max.Y-box.Dy()/4; y++ {
			if Apart(f.at(x, y), ground) > 2*distinct {
				return x
			}
		}
	}
	return box.Min.X
}

// buttonAt returns the index of the button-sized face that a word is on, or -1.
func (f *finder) buttonAt(b image.Rectangle) int {
	if i := f.faceOf(b); i >= 0 && f.isButtonSized(f.faces[i]) {
		return i
	}
	return -1
}

// isButtonSized reports whether a box has the size of a button: 18 to 64 usual pixels high and 20
// to 300 wide.
func (f *finder) isButtonSized(b image.Rectangle) bool {
	return f.within(b.Dy(), 18, 64) && f.within(b.Dx(), 20, 300)
}

// gapIn returns the maximum gap in a phrase, in pixels. It is smaller for single letters: "B I U"
// are three buttons.
func gapIn(row perception.Row, before, after string, bar bool) int {
	if bar {
		return row.Box.Dy() * 3 / 4
	}
	if len(before) == 1 && len(after) == 1 {
		return row.Box.Dy()
	}
	return 2 * row.Box.Dy()
}

// isBar reports whether a row is the menus of a bar: three or more words at about equal, wide
// distances.
func (f *finder) isBar(row perception.Row) bool {
	wide, least, most := 0, row.Box.Dx(), 0
	for i := 1; i < len(row.Words); i++ {
		if gap := row.Words[i].Box.Min.X - row.Words[i-1].Box.Max.X; gap >= row.Box.Dy()*3/4 {
			wide++
			least, most = min(least, gap), max(most, gap)
		}
	}
	on := f.faceOf(row.Box)
	return wide >= 2 && 2*wide >= len(row.Words)-1 && most <= 2*least && on >= 0 && (f.faces[on].Dy() <= f.px(44) && f.faces[on].Dx() >= f.px(200) || row.Box.Max.Y <= f.px(60))
}

// isSign reports whether a word is an icon, such as the plus before "Add a card".
func isSign(word string) bool { return word == "+" || word == "×" }

// inkOf returns the color of a box that differs most from the ground just above its top left
// corner.
func (f *finder) inkOf(box image.Rectangle) (ink Color) {
	box = box.Intersect(f.img.Rect)
	if box.Empty() {
		return ink
	}
	ground, most := f.at(box.Min.X, max(0, box.Min.Y-1)), -1
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if c := f.at(x, y); Apart(c, ground) > most {
				ink, most = c, Apart(c, ground)
			}
		}
	}
	return ink
}

// addBlocks adds texts of several rows, and increases all phrases to the height of their line.
func (f *finder) addBlocks(from, to int) {
	used := make([]bool, to)
	for i := from; i < to; i++ {
		if used[i] || f.list[i].kind != phrase {
			continue
		}
		block, last := f.list[i], f.list[i].Box
		for j := i + 1; j < to; j++ {
			if next := f.list[j]; !used[j] && next.kind == phrase && follows(last, next.Box) && Apart(*next.Ink, *block.Ink) < otherInk && f.faceOf(next.Box) == f.faceOf(last) {
				block.Box, last, used[j] = block.Box.Union(next.Box), next.Box, true
				block.Label += " " + next.Label
			}
		}
		if last != f.list[i].Box {
			f.list = append(f.list, block)
		}
	}
	for i := from; i < to; i++ {
		f.list[i].Box = geo.Pad(f.list[i].Box, 0, f.list[i].Box.Dy()/5).Intersect(f.img.Rect)
	}
}

// follows reports whether a row is the next row of the same text.
func follows(last, next image.Rectangle) bool {
	gap := next.Min.Y - last.Max.Y
	return gap >= 0 && gap <= last.Dy()*6/5 && geo.Abs(next.Min.X-last.Min.X) <= last.Dy()/3 && geo.Abs(next.Dy()-last.Dy()) <= last.Dy()/3
}
