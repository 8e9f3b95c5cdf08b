package reader

import (
	"cmp"
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/convnet"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/textmap"
	"github.com/windieos/windie/sdkapi"
)

// rowsOf converts lines to rows in reading order, without rows that are unlikely to be text.
func rowsOf(lines []line, texts []textmap.Row) []perception.Row {
	splitZerosBeside(lines)
	spellLatin(lines)
	all := make([]candidate, 0, len(lines))
	for _, l := range lines {
		all = append(all, candidatesOf(l)...)
	}
	markTiles(all, texts)
	continueSeries(all)
	var likelyRows []candidate
	for i := range all {
		if all[i].sure || all[i].series || all[i].likely(all, i) {
			likelyRows = append(likelyRows, all[i])
		}
	}
	rows := join(likelyRows)
	perception.ReadingOrder(rows)
	return rows
}

// candidate is a potential row with the features that distinguish text from icons.
type candidate struct {
	perception.Row
	letters, alnum int
	number         bool // only digits and the marks between them
	sure           bool // certainly text, without regard to its neighbours
	series         bool // a name in a series, or a neighbour that implied one
	// a single capital or digit alone, for example on a key, in a logo or in a size button
	tile              bool
	parted            bool // an upright line is before it
	capital, baseline float64
}

// candidatesOf splits a line into candidates: its readable parts, at gaps that are too wide for a space,
// and each text in an unknown script.
func candidatesOf(l line) (list []candidate) {
	capital, baseline := float64(l.text.capital), float64(l.origin.Y)+float64(l.text.baseline)
	var words []perception.Word
	end := func() {
		if len(words) > 0 {
			list = append(list, measure(perception.NewRow(withoutUnsureMarks(words)), capital, baseline))
		}
		words = nil
	}
	for _, w := range l.text.words {
		box := image.Rect(int(w.x0), int(w.y0), int(w.x1), int(w.y1)).Add(l.origin)
		if script := scriptOf(w.text); script != "" {
			end()
			list = append(list, measure(perception.Unreadable(script, box, float64(w.confidence)), capital, baseline))
			continue
		}
		if last := len(words) - 1; last >= 0 && float64(box.Min.X-words[last].Box.Max.X) > widestSpace(words[last].Text, w.text)*capital {
			end()
		}
		words = append(words, perception.Word{Text: w.text, Confidence: float64(w.confidence), Box: box})
	}
	end()
	if len(list) > 0 {
		list[0].parted = l.parted
	}
	return list
}

// withoutUnsureMarks returns words without those at both ends that have no letter and no digit and a
// confidence below sureShort, such as a part of a slider or of an icon. One word stays.
func withoutUnsureMarks(words []perception.Word) []perception.Word {
	isUnsure := func(w perception.Word) bool {
		return w.Confidence < sureShort && !strings.ContainsFunc(w.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	}
	for len(words) > 1 && isUnsure(words[0]) {
		words = words[1:]
	}
	for len(words) > 1 && isUnsure(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return words
}

// scriptOf returns the script of a letter or word that the network does not know, or "".
func scriptOf(text string) sdkapi.Script {
	switch text {
	case convnet.UnknownCJK:
		return sdkapi.ScriptCJK
	case convnet.UnknownRightToLeft:
		return sdkapi.ScriptRightToLeft
	case convnet.UnknownOther:
		return sdkapi.ScriptOther
	}
	return ""
}

// measure returns a row as a candidate with its features. capital and baseline come from the fit of
// the line, in pixels of the screen. If the row's own box contradicts them, measure corrects them.
func measure(row perception.Row, capital, baseline float64) candidate {
	c := candidate{Row: row, number: true, capital: capital, baseline: baseline}
	if strings.ContainsFunc(c.Text, func(r rune) bool { return isTall(string(r)) }) {
		c.capital = max(c.capital, leastCapital*float64(c.Box.Dy()))
	}
	for _, r := range c.Text {
		digit := unicode.IsDigit(r)
		if digit || unicode.IsLetter(r) {
			c.alnum++
		}
		if r != ' ' {
			c.letters++
		}
		c.number = c.number && (digit || strings.ContainsRune(".,:;%+-$#", r))
	}
	if r := []rune(c.Text); len(r) == 1 && (unicode.IsUpper(r[0]) || unicode.IsDigit(r[0])) && r[0] != 'Q' && r[0] != 'J' {
		c.capital, c.baseline = float64(c.Box.Dy()), float64(c.Box.Max.Y) // the fit of an A measures its bar
	}
	if c.alnum > 0 {
		c.capital = max(c.capital, leastLetter*float64(c.Box.Dy()))
	}
	c.sure = c.isSure()
	return c
}

// Minimum and maximum values of rows, in pixels and as confidences in 0..1 unless noted.
const (
	minRowHeight = 5
	// minimum capital height as a share of the row's height, with capitals, ascenders or digits
	leastCapital = 0.6
	leastLetter  = 0.5  // the same with any letter, for example a lone -v
	maxCapital   = 80   // of text 110 pixels high
	sureText     = 0.6  // confidence of text with at least three letters or digits
	sureScript   = 0.6  // confidence of an unknown script in at least two letters
	likelyScript = 0.8  // confidence of one letter beside others in an unknown script
	minUnread    = 8    // height in pixels of letters in an unknown script
	sureShort    = 0.9  // confidence of two letters, or of one and marks
	likelyShort  = 0.8  // confidence of two letters near text of their size
	sureLetter   = 0.9  // confidence of one letter alone
	sureTile     = 0.95 // confidence of one letter alone in a tile
	sureNumber   = 0.9
	likelyNumber = 0.7  // confidence of a number near text of its size
	sureLevel    = 0.85 // confidence of text that others are compared with
	besideReach  = 10   // maximum distance to text on the same line, in capitals
	// number of other single letters in a line or column that make a single letter likely
	letterColumns = 3
)

// tileReach is how many pixels a letter may extend beyond the row that the map found for it. tileWidth
// is the maximum width of that row, in heights of the letter.
const (
	tileReach = 2
	tileWidth = 5
)

// markTiles finds the candidates that are one letter, alone in a row that the map took for text and not for
// an icon.
func markTiles(all []candidate, texts []textmap.Row) {
	for i := range all {
		c := &all[i]
		if r := []rune(c.Text); c.letters != 1 || !unicode.IsUpper(r[0]) && !unicode.IsDigit(r[0]) {
			continue
		}
		h := c.Box.Dy()
		c.tile = slices.ContainsFunc(texts, func(t textmap.Row) bool {
			off := geo.Center(t.Box).Sub(geo.Center(c.Box))
			return !t.Icon && c.Box.In(t.Box.Inset(-tileReach)) && t.Box.Dx() <= tileWidth*h && 4*geo.Abs(off.X) <= t.Box.Dx() && 4*geo.Abs(off.Y) <= t.Box.Dy()
		})
	}
}

// legible reports whether the candidate could be text: its size is within the limits and it is not
// a row of circles.
func (c *candidate) legible() bool {
	if strings.Trim(c.Text, "0Oo ") == "" && 100*c.Box.Dx() >= 95*c.letters*c.Box.Dy() {
		return false
	}
	return c.alnum > 0 && c.capital >= minRowHeight && c.capital <= maxCapital && c.Box.Dy() >= minRowHeight
}

// isSure reports whether the candidate is text without regard to its neighbours.
func (c *candidate) isSure() bool {
	if c.Script != "" {
		return c.Confidence >= sureScript && c.Box.Dy() >= minUnread && 10*c.Box.Dx() >= 19*c.Box.Dy()
	}
	return c.legible() && c.alnum >= 3 && c.Confidence >= sureText
}

// likely reports whether a short candidate is text, given the other candidates.
func (c *candidate) likely(all []candidate, self int) bool {
	if c.Script != "" {
		return c.Confidence >= likelyScript && c.Box.Dy() >= minUnread && c.continuesScript(all)
	}
	if !c.legible() || c.alnum >= 3 {
		return false
	}
	beside, size := c.company(all, self)
	slim := c.Box.Dx() <= c.letters*c.Box.Dy() // no icon is attached to the digits
	switch {
	case c.number && slim:
		return c.Confidence >= sureNumber || c.Confidence >= likelyNumber && size
	case c.tile:
		return c.Confidence >= sureTile
	case c.letters == 1:
		return c.Confidence >= sureLetter && beside
	case c.alnum == 1:
		return c.Confidence >= sureShort
	}
	return c.Confidence >= sureShort || c.Confidence >= likelyShort && size
}

// continuesScript reports whether sure text in the candidate's script, of the same height, is on
// its line.
func (c *candidate) continuesScript(all []candidate) bool {
	h := c.Box.Dy()
	return slices.ContainsFunc(all, func(o candidate) bool {
		shared := min(c.Box.Max.Y, o.Box.Max.Y) - max(c.Box.Min.Y, o.Box.Min.Y)
		return o.Script == c.Script && o.sure && 10*shared >= 7*max(h, o.Box.Dy()) && between(o.Box, c.Box) <= besideReach*h
	})
}

// company reports whether confident text of the candidate's size is on its line (beside), and
// anywhere (size).
func (c *candidate) company(all []candidate, self int) (beside, size bool) {
	alike := 0
	for i := range all {
		o := &all[i]
		if i == self || o.Confidence < sureLevel || !c.isAsLargeAs(o) {
			continue
		}
		level := math.Abs(o.baseline-c.baseline) <= max(1.5, 0.15*c.capital)
		if o.sure {
			size = true
			beside = beside || level && float64(between(o.Box, c.Box)) <= besideReach*c.capital
		} else if level || o.letters == c.letters && math.Abs(middleOf(o.Box)-middleOf(c.Box)) <= 0.3*c.capital {
			alike++
		}
	}
	return beside || alike >= letterColumns, size || alike >= letterColumns
}

// isAsLargeAs reports whether the letters of both candidates have the same size. The fit of text
// without ascenders may be wrong, so its larger interpretation counts too.
func (c *candidate) isAsLargeAs(o *candidate) bool {
	alike := func(capital float64) bool { return math.Abs(o.capital-capital) <= max(0.8, 0.07*o.capital) }
	return alike(c.capital) || c.letters == 1 && strings.Contains(lowLetters, c.Text) && alike(c.capital/xHeight)
}

// lowLetters are letters without ascender that may occur alone. xHeight is their height in
// capitals.
const (
	lowLetters = "acemnrsuаеиосуя"
	xHeight    = 0.73
)

// middleOf returns the horizontal middle of a box, in pixels.
func middleOf(r image.Rectangle) float64 { return float64(r.Min.X+r.Max.X) / 2 }

// widestSpace returns the maximum gap between two texts of a row, in capitals. A mark has a wide cell in
// monospaced typefaces.
func widestSpace(before, after string) float64 {
	if strings.ContainsAny(before[max(0, len(before)-1):], narrowMarks) || strings.ContainsAny(after[:min(1, len(after))], narrowMarks) {
		return markGap
	}
	return joinGap
}

// Maximum gaps within a row, in capitals: in general, and beside a mark.
const (
	joinGap = 1.15
	markGap = 1.5
)

const narrowMarks = ",.;:!'\"()[]"

// join joins candidates to rows where the gap between them is small. It splits lines at larger
// gaps, such as gaps before icons.
func join(list []candidate) []perception.Row {
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.Box.Min.X, b.Box.Min.X) })
	var open []candidate
	for _, c := range list {
		i := slices.IndexFunc(open, func(o candidate) bool { return o.continues(&c) })
		if i < 0 {
			open = append(open, c)
			continue
		}
		if c.Script != "" {
			open[i].Row = perception.Unreadable(c.Script, open[i].Box.Union(c.Box), min(open[i].Confidence, c.Confidence))
			continue
		}
		open[i].Row = perception.NewRow(append(open[i].Words, c.Words...))
	}
	rows := make([]perception.Row, len(open))
	for i, c := range open {
		rows[i] = c.Row
	}
	return rows
}

// continues reports whether next continues the row of c on the right.
func (c *candidate) continues(next *candidate) bool {
	capital := min(c.capital, next.capital)
	gap, widest := float64(next.Box.Min.X-c.Box.Max.X), widestSpace(c.Text, next.Text)
	return !next.parted && c.Script == next.Script && gap >= 0 && gap <= widest*capital &&
		math.Abs(c.baseline-next.baseline) <= max(1.5, 0.15*capital) &&
		max(c.capital, next.capital) <= 1.2*capital+0.8
}
