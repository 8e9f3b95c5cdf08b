package reader

import (
	"cmp"
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/windieos/windie/perception"
)

// rowsOf returns the lines as rows, without what is hardly text.
func rowsOf(lines []line) []perception.Row {
	all := make([]candidate, 0, len(lines))
	for _, l := range lines {
		if len(l.text.words) > 0 {
			all = append(all, measure(l))
		}
	}
	var kept []candidate
	for i := range all {
		if all[i].sure() || all[i].likely(all, i) {
			kept = append(kept, all[i])
		}
	}
	rows := join(kept)
	perception.ReadingOrder(rows)
	return rows
}

// candidate is what may be a row, with what distinguishes text from icons.
type candidate struct {
	perception.Row
	letters, alnum    int
	number            bool // figures and what stands between them
	capital, baseline float64
}

func measure(l line) candidate {
	words := make([]perception.Word, len(l.text.words))
	for i, w := range l.text.words {
		box := image.Rect(int(w.x0), int(w.y0), int(w.x1), int(w.y1)).Add(l.patch.Origin)
		words[i] = perception.Word{Text: w.text, Confidence: float64(w.confidence), Box: box}
	}
	c := candidate{
		Row: perception.NewRow(words), number: true,
		capital: float64(l.text.capital), baseline: float64(l.patch.Origin.Y) + float64(l.text.baseline),
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
	return c
}

// Rows are kept from these on, in pixels and from 0 to 1.
const (
	minRowHeight  = 5
	maxCapital    = 80   // of text 110 pixels high
	sureText      = 0.72 // of three letters or more
	sureShort     = 0.85 // of two, beside text of their size
	sureLetter    = 0.9  // of one
	sureNumber    = 0.9
	likelyNumber  = 0.7 // beside text of its size
	besideReach   = 10  // capitals
	letterColumns = 3   // letters alone in a line are likely if there are as many others
)

// legible reports whether the candidate could be text, and is no row of circles.
func (c *candidate) legible() bool {
	if strings.Trim(c.Text, "0Oo ") == "" && 100*c.Box.Dx() >= 95*c.letters*c.Box.Dy() {
		return false
	}
	return c.alnum > 0 && c.capital >= minRowHeight && c.capital <= maxCapital && c.Box.Dy() >= minRowHeight
}

// sure reports whether the candidate is text by itself.
func (c *candidate) sure() bool { return c.legible() && c.alnum >= 3 && c.Confidence >= sureText }

// likely reports whether a short candidate is text beside the others.
func (c *candidate) likely(all []candidate, self int) bool {
	if !c.legible() || c.alnum >= 3 {
		return false
	}
	beside, size := c.company(all, self)
	slim := c.Box.Dx() <= c.letters*c.Box.Dy() // no icon beside a figure
	switch {
	case c.number && slim:
		return c.Confidence >= sureNumber || c.Confidence >= likelyNumber && size
	case c.alnum == 1:
		return c.Confidence >= sureLetter && beside
	}
	return c.Confidence >= sureShort && size
}

// company reports whether sure text of the candidate's size is on its line, and anywhere.
func (c *candidate) company(all []candidate, self int) (beside, size bool) {
	alike := 0
	for i := range all {
		o := &all[i]
		if i == self || o.Confidence < sureShort || math.Abs(o.capital-c.capital) > max(0.8, 0.07*o.capital) {
			continue
		}
		level := math.Abs(o.baseline-c.baseline) <= max(1.5, 0.15*c.capital)
		if o.sure() {
			size = true
			beside = beside || level && float64(between(o.Box, c.Box)) <= besideReach*c.capital
		} else if level {
			alike++
		}
	}
	return beside || alike >= letterColumns, size || alike >= letterColumns
}

// joinGap is the widest gap within a row, in capitals.
const joinGap = 1.15

// join joins candidates to rows: a line is cut at every gap, as before icons.
func join(list []candidate) []perception.Row {
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.Box.Min.X, b.Box.Min.X) })
	var open []candidate
	for _, c := range list {
		i := slices.IndexFunc(open, func(o candidate) bool { return o.continues(&c) })
		if i < 0 {
			open = append(open, c)
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
	gap := float64(next.Box.Min.X - c.Box.Max.X)
	return gap >= 0 && gap <= joinGap*capital &&
		math.Abs(c.baseline-next.baseline) <= max(1.5, 0.15*capital) &&
		max(c.capital, next.capital) <= 1.2*capital+0.8
}
