package tesseract

import (
	"fmt"
	"image"
	"strconv"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception"
)

// Columns of the program's TSV: level, page, block, paragraph, line, word, left, top, width,
// height, confidence (0 to 100), text.
const (
	tsvColumns = 12
	tsvWord    = "5" // the level of a word; other levels have no text
)

// minMarkConfidence is the minimum confidence of words without letters or digits. The program reads
// icons as unsure punctuation.
const minMarkConfidence = 0.6

// parseTSV returns the words of the program's output, in pixels before the scaling.
func parseTSV(out []byte, scale int) ([]perception.Word, error) {
	var words []perception.Word
	for line := range strings.Lines(string(out)) {
		cols := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", tsvColumns)
		if cols[0] != tsvWord {
			continue
		}
		w, err := parseWord(cols, scale)
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		if keep(w) {
			words = append(words, w)
		}
	}
	return words, nil
}

// parseWord parses the columns of a word. It fails for a missing column or an invalid number.
func parseWord(cols []string, scale int) (perception.Word, error) {
	if len(cols) != tsvColumns {
		return perception.Word{}, fmt.Errorf("the line has %d columns; expected %d", len(cols), tsvColumns)
	}
	var n [4]int
	for i := range n {
		v, err := strconv.Atoi(cols[6+i])
		if err != nil {
			return perception.Word{}, err
		}
		n[i] = v
	}
	confidence, err := strconv.ParseFloat(cols[10], 64)
	if err != nil {
		return perception.Word{}, err
	}
	left, top, right, bottom := n[0], n[1], n[0]+n[2], n[1]+n[3]
	return perception.Word{
		Text:       strings.TrimSpace(cols[11]),
		Confidence: min(max(confidence/100, 0), 1),
		// Round outwards, so that no ink is cut off.
		Box: image.Rect(left/scale, top/scale, (right+scale-1)/scale, (bottom+scale-1)/scale),
	}, nil
}

// keep reports whether a word counts as text: it has a letter or a digit, or the program is sure of
// it.
func keep(w perception.Word) bool {
	if w.Text == "" || w.Box.Empty() {
		return false
	}
	isText := strings.ContainsFunc(w.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	return isText || w.Confidence >= minMarkConfidence
}
