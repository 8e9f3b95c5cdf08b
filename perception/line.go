package perception

import "github.com/windieos/windie/perception/geo"

// Line joins the rows of one line of text from left to right. Engines split a line at wide white
// space and where the background changes; Lines joins these rows again.
type Line struct {
	Row           // text and box of the whole line; ID depends only on the image and the first row
	Indexes []int // indexes of the rows, from left to right, at least two
	// Begins has, for each row, the index in Line.Words of the row's first word.
	Begins []int
}

// Index returns the index of the row that contains a word of the line. word is an index in l.Words,
// and the result is an index in the scene's rows.
func (l Line) Index(word int) int {
	row := 0
	for row+1 < len(l.Begins) && l.Begins[row+1] <= word {
		row++
	}
	return l.Indexes[row]
}

const (
	// besideGap is the maximum gap between rows of one line, in heights of the row. Two spaces of a
	// terminal are 2.1 capitals wide. Menu entries are about as far apart as this limit, columns of
	// a table mostly farther.
	besideGap = 2.2

	// besideOverlap is the maximum overlap of rows of one line, in heights of the row.
	besideOverlap = 0.5

	// besideHeights limits the higher of two rows to this many times the lower one, for the gap and
	// the overlap. An "a" is half as high as a "j".
	besideHeights = 2
)

// Lines returns all lines that consist of at least two rows, in the order of their first rows.
func Lines(rows []Row) (list []Line) {
	next, follows := make([]int, len(rows)), make([]bool, len(rows))
	for i := range rows {
		if next[i] = beside(rows, i); next[i] >= 0 {
			follows[next[i]] = true
		}
	}
	for i := range rows {
		if follows[i] || next[i] < 0 {
			continue
		}
		var l Line
		var words []Word
		for at := i; at >= 0; at = next[at] {
			l.Indexes, l.Begins = append(l.Indexes, at), append(l.Begins, len(words))
			words = append(words, rows[at].Words...)
		}
		l.Row = NewRow(words)
		l.ID = candidateID("line %s", rows[i].ID)
		list = append(list, l)
	}
	return list
}

// beside returns the index of the row that continues row i to the right, or -1. Each of the two
// rows must be nearest to the other.
func beside(rows []Row, i int) int {
	right := nearestBeside(rows, i, 1)
	if right < 0 || nearestBeside(rows, right, -1) != i {
		return -1
	}
	return right
}

// nearestBeside returns the index of the nearest row that continues row i. direction is 1 for the
// right and -1 for the left. Without such a row it returns -1.
func nearestBeside(rows []Row, i, direction int) int {
	best, smallest := -1, 0.0
	for k := range rows {
		if k == i || rows[i].Script != "" || rows[k].Script != "" || !geo.SameLine(rows[i].Box, rows[k].Box) {
			continue
		}
		left, right := rows[i].Box, rows[k].Box
		if direction < 0 {
			left, right = right, left
		}
		height := float64(min(max(left.Dy(), right.Dy()), besideHeights*min(left.Dy(), right.Dy())))
		gap := float64(right.Min.X - left.Max.X)
		if left.Min.X < right.Min.X && left.Max.X < right.Max.X && gap >= -besideOverlap*height && gap <= besideGap*height && (best < 0 || gap < smallest) {
			best, smallest = k, gap
		}
	}
	return best
}
