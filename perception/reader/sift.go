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
	"github.com/windieos/windie/perception/textline"
	"github.com/windieos/windie/sdkapi"
)

// rowsOf returns the lines of a layout as rows, without what is hardly text.
func rowsOf(lines []line, layout *textline.Layout) []perception.Row {
	tellZerosBeside(lines)
	spellLatin(lines)
	all := make([]candidate, 0, len(lines))
	for _, l := range lines {
		all = append(all, candidatesOf(l)...)
	}
	markTiles(all, layout)
	continueSeries(all)
	var kept []candidate
	for i := range all {
		if all[i].sure || all[i].series || all[i].likely(all, i) {
			kept = append(kept, all[i])
		}
	}
	rows := join(kept, layout)
	perception.ReadingOrder(rows)
	return rows
}

// candidate is what may be a row, with what distinguishes text from icons.
type candidate struct {
	perception.Row
	letters, alnum    int
	number            bool // figures and what stands between them
	sure              bool // text by itself
	series            bool // what its neighbours say that it is
	tile              bool // a capital or a figure alone in a frame little larger, as of a key, a logo, a choice of sizes
	capital, baseline float64
}

// candidatesOf returns what was read of a line, and apart from it each text in a script that was not.
func candidatesOf(l line) (list []candidate) {
	var words []perception.Word
	add := func(row perception.Row) {
		list = append(list, measure(row, float64(l.text.capital), float64(l.origin.Y)+float64(l.text.baseline)))
	}
	for _, w := range l.text.words {
		box := image.Rect(int(w.x0), int(w.y0), int(w.x1), int(w.y1)).Add(l.origin)
		script := scriptOf(w.text)
		if script == "" {
			words = append(words, perception.Word{Text: w.text, Confidence: float64(w.confidence), Box: box})
			continue
		}
		if len(words) > 0 {
			add(perception.NewRow(words))
			words = nil
		}
		add(perception.Unreadable(script, box, float64(w.confidence)))
	}
	if len(words) > 0 {
		add(perception.NewRow(words))
	}
	return list
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
		c.capital, c.baseline = float64(c.Box.Dy()), float64(c.Box.Max.Y) // the fit of an A is of its bar
	}
	if c.alnum > 0 {
		c.capital = max(c.capital, leastLetter*float64(c.Box.Dy()))
	}
	c.sure = c.isSure()
	return c
}

// Rows are kept from these on, in pixels and from 0 to 1.
const (
	minRowHeight  = 5
	leastCapital  = 0.6  // of the height of a row with capitals, ascenders or figures
	leastLetter   = 0.5  // the same with any letter, as of -v beside which no more stands
	maxCapital    = 80   // of text 110 pixels high
	sureText      = 0.6  // of three letters or figures or more
	sureScript    = 0.6  // that text is in a script that is not readable, in two letters or more
	likelyScript  = 0.8  // of one letter, beside others that are
	minUnread     = 8    // pixels that its letters are high
	sureShort     = 0.9  // of two, or of one and marks
	likelyShort   = 0.8  // of two, beside text of their size
	sureLetter    = 0.9  // of one alone
	sureTile      = 0.95 // of one alone in a tile
	sureNumber    = 0.9
	likelyNumber  = 0.7  // beside text of its size
	sureLevel     = 0.85 // of what others are measured by
	besideReach   = 10   // capitals
	wordGap       = 0.6  // capitals: words are no further apart
	iconGap       = 2.5  // capitals: icons are no further from their texts
	letterColumns = 3    // letters alone in a line are likely if there are as many others in it, or in a column
)

// How large a tile is at most, in heights of its letter.
const (
	tileHeight = 4
	tileWidth  = 5
)

// markTiles sets which candidates are a letter in the middle of a tile.
func markTiles(all []candidate, layout *textline.Layout) {
	for i := range all {
		c := &all[i]
		if r := []rune(c.Text); c.letters != 1 || !unicode.IsUpper(r[0]) && !unicode.IsDigit(r[0]) {
			continue
		}
		h := c.Box.Dy()
		c.tile = slices.ContainsFunc(layout.Shapes, func(s image.Rectangle) bool {
			off := geo.Center(s).Sub(geo.Center(c.Box))
			return c.Box.In(s) && s.Dy() <= tileHeight*h && s.Dx() <= tileWidth*h && 4*geo.Abs(off.X) <= s.Dx() && 4*geo.Abs(off.Y) <= s.Dy()
		})
	}
}

// legible reports whether the candidate could be text, and is no row of circles.
func (c *candidate) legible() bool {
	if strings.Trim(c.Text, "0Oo ") == "" && 100*c.Box.Dx() >= 95*c.letters*c.Box.Dy() {
		return false
	}
	return c.alnum > 0 && c.capital >= minRowHeight && c.capital <= maxCapital && c.Box.Dy() >= minRowHeight
}

// isSure reports whether the candidate is text by itself.
func (c *candidate) isSure() bool {
	if c.Script != "" {
		return c.Confidence >= sureScript && c.Box.Dy() >= minUnread && 10*c.Box.Dx() >= 19*c.Box.Dy()
	}
	return c.legible() && c.alnum >= 3 && c.Confidence >= sureText
}

// likely reports whether a short candidate is text beside the others.
func (c *candidate) likely(all []candidate, self int) bool {
	if c.Script != "" {
		return c.Confidence >= likelyScript && c.Box.Dy() >= minUnread && c.continuesScript(all)
	}
	if !c.legible() || c.alnum >= 3 {
		return false
	}
	beside, size := c.company(all, self)
	slim := c.Box.Dx() <= c.letters*c.Box.Dy() // no icon beside a figure
	switch {
	case c.number && slim:
		return c.Confidence >= sureNumber || c.Confidence >= likelyNumber && size
	case c.tile:
		return c.Confidence >= sureTile
	case c.letters == 1:
		return c.Confidence >= sureLetter && beside && !c.isIcon(all)
	case c.alnum == 1:
		return c.Confidence >= sureShort
	}
	return c.Confidence >= sureShort || c.Confidence >= likelyShort && size
}

// continuesScript reports whether sure text in the candidate's script is on its line, of its height.
func (c *candidate) continuesScript(all []candidate) bool {
	h := c.Box.Dy()
	return slices.ContainsFunc(all, func(o candidate) bool {
		shared := min(c.Box.Max.Y, o.Box.Max.Y) - max(c.Box.Min.Y, o.Box.Min.Y)
		return o.Script == c.Script && o.sure && 10*shared >= 7*max(h, o.Box.Dy()) && between(o.Box, c.Box) <= besideReach*h
	})
}

// isIcon reports whether a letter looks like an icon and stands before or behind a text as icons do:
// further off than words, and not as far as columns.
func (c *candidate) isIcon(all []candidate) bool {
	return strings.Contains("QOoxXvV@", c.Text) && slices.ContainsFunc(all, func(o candidate) bool {
		gap := float64(between(o.Box, c.Box))
		return o.sure && gap > wordGap*c.capital && gap < iconGap*c.capital && math.Abs(o.baseline-c.baseline) <= 0.3*c.capital
	})
}

// company reports whether sure text of the candidate's size is on its line, and anywhere.
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

// isAsLargeAs reports whether the candidate's letters are as large as those of another one. What has only letters without
// ascenders may be of larger letters than its fit has taken it for.
func (c *candidate) isAsLargeAs(o *candidate) bool {
	alike := func(capital float64) bool { return math.Abs(o.capital-capital) <= max(0.8, 0.07*o.capital) }
	return alike(c.capital) || c.letters == 1 && strings.Contains(lowLetters, c.Text) && alike(c.capital/xHeight)
}

// Letters that may stand alone and have no ascender, and how high they are, in capitals.
const (
	lowLetters = "acemnrsuаеиосуя"
	xHeight    = 0.73
)

func middleOf(r image.Rectangle) float64 { return float64(r.Min.X+r.Max.X) / 2 }

// The widest gap within a row, in capitals, and beside a mark: typefaces of one width have wide cells for it.
const (
	joinGap = 1.15
	markGap = 1.5
)

const narrowMarks = ",.;:!'\"()[]"

// join joins candidates to rows: a line is cut at every gap, as before icons.
func join(list []candidate, layout *textline.Layout) []perception.Row {
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.Box.Min.X, b.Box.Min.X) })
	var open []candidate
	for _, c := range list {
		i := slices.IndexFunc(open, func(o candidate) bool { return o.continues(&c) && !layout.Parts(o.Box, c.Box) })
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

// continues reports whether next goes on where c ends.
func (c *candidate) continues(next *candidate) bool {
	capital := min(c.capital, next.capital)
	gap, widest := float64(next.Box.Min.X-c.Box.Max.X), joinGap
	if strings.ContainsAny(c.Text[max(0, len(c.Text)-1):], narrowMarks) || strings.ContainsAny(next.Text[:min(1, len(next.Text))], narrowMarks) {
		widest = markGap
	}
	return c.Script == next.Script && gap >= 0 && gap <= widest*capital &&
		math.Abs(c.baseline-next.baseline) <= max(1.5, 0.15*capital) &&
		max(c.capital, next.capital) <= 1.2*capital+0.8
}
