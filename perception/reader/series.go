package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/perception"
)

// A series is a sequence of names in order: the letters of the columns of a spreadsheet, the
// numbers of its rows or of lines of code. If a name is doubtful and looks like the name that its
// neighbours imply, it becomes that name.
const (
	// maximum difference in pixels between tops of letters, or between right sides of numbers
	seriesApart = 2
	seriesSure  = 0.9 // minimum confidence of the two neighbours that imply a name
	seriesWidth = 40  // maximum distance of neighbours, in heights of the name
	longestName = 5   // maximum characters of a name
)

// lookalikes maps a letter or digit to the characters that the network may read in its place,
// including characters of other alphabets.
var lookalikes = map[string]string{
	"A": "4АΑ", "B": "8ВΒ", "C": "cСс", "E": "ЕΕ", "G": "6", "H": "НнΗ", "I": "|l1i!ІΙ", "J": "j)]Ј", "K": "kКкΚκ", "M": "МмΜ", "N": "Ν",
	"O": "0oОоΟο", "P": "pРрΡρ", "Q": "0O", "S": "s5Ѕ", "T": "ТтΤ", "U": "u", "V": "vν", "W": "w", "X": "x×ХхΧχ", "Y": "yУуΥ", "Z": "z2Ζ",
	"0": "OoОо", "1": "|lI", "2": "Z", "5": "S", "8": "B",
}

// continueSeries marks the candidates that continue a series.
func continueSeries(all []candidate) {
	var letters, numbers []int
	for i := range all {
		c := &all[i]
		if n := utf8.RuneCountInString(c.Text); c.Script == "" && len(c.Words) == 1 && n > 0 && n <= longestName && c.Box.Dy() >= minRowHeight {
			if n == 1 {
				letters = append(letters, i)
			}
			numbers = append(numbers, i)
		}
	}
	top := func(i int) int { return all[i].Box.Min.Y }
	left := func(i int) int { return all[i].Box.Min.X }
	right := func(i int) int { return all[i].Box.Max.X }
	for _, row := range inLine(letters, top, left) {
		continueOne(all, row, left, func(text string) int {
			if len(text) != 1 || text[0] < 'A' || text[0] > 'Z' {
				return -1
			}
			return int(text[0])
		}, func(n int) string { return string(rune(n)) })
	}
	for _, column := range inLine(numbers, right, top) {
		continueOne(all, column, top, func(text string) int {
			n, err := strconv.Atoi(text)
			if err != nil || text != strconv.Itoa(n) {
				return -1
			}
			return n
		}, strconv.Itoa)
	}
}

// inLine groups candidates whose positions across differ by at most seriesApart. It sorts each
// group by the position along.
func inLine(list []int, across, along func(int) int) (groups [][]int) {
	slices.SortFunc(list, func(i, j int) int { return cmp.Or(across(i)-across(j), i-j) })
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && across(list[to])-across(list[from]) <= seriesApart {
			to++
		}
		group := slices.Clone(list[from:to])
		slices.SortFunc(group, func(i, j int) int { return cmp.Or(along(i)-along(j), i-j) })
		groups = append(groups, group)
		from = to
	}
	return groups
}

// continueOne marks the names of a line that two neighbours imply. value returns a name's place in
// its series, or a negative number; name returns the name of a place.
func continueOne(all []candidate, line []int, along func(int) int, value func(string) int, name func(int) string) {
	// the value of a neighbour that is near, similar in height and confident; otherwise -1
	at := func(k, from int) int {
		if k < 0 || k >= len(line) {
			return -1
		}
		c, o := &all[line[k]], &all[line[from]]
		apart := max(along(line[k])-along(line[from]), along(line[from])-along(line[k]))
		if c.Confidence < seriesSure || apart > seriesWidth*o.Box.Dy() || 10*c.Box.Dy() < 7*o.Box.Dy() || 10*o.Box.Dy() < 7*c.Box.Dy() {
			return -1
		}
		return value(c.Text)
	}
	for k := range line {
		before, after := at(k-1, k), at(k+1, k)
		expected, by := -1, [2]int{}
		switch {
		case before >= 0 && after == before+2:
			expected, by = before+1, [2]int{k - 1, k + 1}
		case before > 0 && at(k-2, k) == before-1:
			expected, by = before+1, [2]int{k - 2, k - 1}
		case after > 0 && at(k+2, k) == after+1:
			expected, by = after-1, [2]int{k + 1, k + 2}
		}
		if expected >= 0 && all[line[k]].become(name(expected)) {
			all[line[by[0]]].series, all[line[by[1]]].series = true, true
		}
	}
}

// become sets the candidate's text if its own text looks like it, and reports whether it does.
func (c *candidate) become(text string) bool {
	if c.Text != text {
		read, want := []rune(c.Text), []rune(text)
		if len(read) != len(want) {
			return false
		}
		for i := range want {
			if read[i] != want[i] && !strings.ContainsRune(lookalikes[string(want[i])], read[i]) {
				return false
			}
		}
	}
	w := c.Words[0]
	w.Text, w.Confidence = text, max(w.Confidence, seriesSure)
	c.Row = perception.NewRow([]perception.Word{w})
	c.letters, c.alnum, c.series = len(text), len(text), true
	return true
}
