package reader

import (
	"context"
	"image"
	"unicode/utf8"

	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of reading lines again.
const (
	leastRead = 0.75 // of a line's width that its words cover, unless it holds more than text
	leastSure = 0.7  // of words that count, from 0 to 1
	mostParts = 8    // of a line; more are of a pattern or of noise
)

// readApart reads lines of which little was read, or hardly, again, word by word: beside a slider, a picture or a caret, a text of another
// height is not read, or in doubt. A line gives way to what is sure of its words.
func (e *Engine) readApart(ctx context.Context, networks []network, screen *image.NRGBA, found []textline.Line, lines []line, how sdkapi.Reading) ([]line, error) {
	var parts []textline.Line
	var whole []int // the line of each part
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
	again, err := e.cut(ctx, screen, parts, how)
	if err != nil {
		return nil, err
	}
	if err := e.read(ctx, networks, again); err != nil {
		return nil, err
	}
	covered := map[int]float64{}
	for i, l := range again {
		if l.text.isSure() {
			covered[whole[i]] += l.text.covered(0)
		}
	}
	gives := func(w int) bool {
		return covered[w] > lines[w].text.covered(sureShort) && 2*covered[w] >= lines[w].text.covered(0)
	}
	for i, l := range again {
		if l.text.isSure() && gives(whole[i]) {
			lines = append(lines, l)
		}
	}
	for w := range covered {
		if gives(w) {
			lines[w].text = new(lineText)
		}
	}
	return lines, nil
}

// covered returns how many pixels of a line's width its words take that are as sure as said.
func (t *lineText) covered(sure float32) (width float64) {
	for _, w := range t.words {
		if w.confidence >= sure {
			width += float64(w.x1 - w.x0)
		}
	}
	return width
}

// isSure reports whether all words of a line are, and have letters enough.
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
