package reader

import (
	"context"
	"image"
	"unicode/utf8"

	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/sdkapi"
)

// Limits of reading a line again, word by word.
const (
	leastRead = 0.75 // share of a line's width that its words should cover
	leastSure = 0.7  // confidence from which a word counts as read, 0..1
	mostParts = 8    // maximum parts of a line; more parts mean a pattern or noise
)

// readApart reads poorly read lines again, word by word. The network misses text beside a slider, a
// picture or a caret if its height differs from theirs. If the confident words of the parts cover
// enough of the line, they replace its text.
func (e *Engine) readApart(ctx context.Context, networks []network, screen *image.NRGBA, found []textline.Line, lines []line, how sdkapi.Reading) ([]line, error) {
	var parts []textline.Line
	var whole []int // index of the line of each part
	for i := range lines {
		least := leastRead * float64(found[i].Box.Dx())
		if lines[i].text.covered(leastSure) >= least && (lines[i].text.covered(sureShort) >= least || !found[i].IsMixed()) {
			continue
		}
		if of := found[i].Apart(); len(of) > 1 && len(of) <= mostParts {
			for _, p := range of {
				parts, whole = append(parts, p), append(whole, i)
			}
		}
	}
	if len(parts) == 0 {
		return lines, nil
	}
	rereads, err := e.cut(ctx, screen, parts, how)
	if err != nil {
		return nil, err
	}
	if err := e.read(ctx, networks, rereads); err != nil {
		return nil, err
	}
	covered := map[int]float64{}
	for i, l := range rereads {
		if l.text.isSure() {
			covered[whole[i]] += l.text.covered(0)
		}
	}
	replaces := func(w int) bool {
		return covered[w] > lines[w].text.covered(sureShort) && 2*covered[w] >= lines[w].text.covered(0)
	}
	for i, l := range rereads {
		if l.text.isSure() && replaces(whole[i]) {
			lines = append(lines, l)
		}
	}
	for w := range covered {
		if replaces(w) {
			lines[w].text = new(lineText)
		}
	}
	return lines, nil
}

// covered returns the width in pixels of the words whose confidence is at least sure.
func (t *lineText) covered(sure float32) (width float64) {
	for _, w := range t.words {
		if w.confidence >= sure {
			width += float64(w.x1 - w.x0)
		}
	}
	return width
}

// isSure reports whether all words are readable and have a confidence of at least sureShort, with
// at least two letters in all.
func (t *lineText) isSure() bool {
	letters := 0
	for _, w := range t.words {
		if w.confidence < sureShort || scriptOf(w.text) != "" {
			return false
		}
		letters += utf8.RuneCountInString(w.text)
	}
	return letters >= 2
}
