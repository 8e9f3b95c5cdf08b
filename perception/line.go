package perception

import "github.com/windieos/windie/perception/geo"

// Line is rows beside each other, as one row: readers cut a line where it has wide white space, or another ground.
type Line struct {
	Row           // its ID depends on the image and the first of its rows
	Indexes []int // of its rows, from left to right, at least two
	Begins  []int // for each of them, the index of its first word
}

// Index returns the index of the row that a word of the line is in.
func (l Line) Index(word int) int {
	row := 0
	for row+1 < len(l.Begins) && l.Begins[row+1] <= word {
		row++
	}
	return l.Indexes[row]
}

const (
	// besideGap is how far apart rows of one line are at most, in heights of their letters. Two spaces of a terminal are
	// 2.1 capitals; entries of a menu bar are about as far apart, columns of a table mostly farther.
	besideGap = 2.2

	// besideOverlap is how far they may reach into each other, in the same.
	besideOverlap = 0.5

	// besideHeights is how many times as high a row can be as one beside it, and count as high: an "a" is half a "j".
	besideHeights = 2
)

// Lines returns the lines of two rows or more that are read, by their first rows.
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

// beside returns the index of the row that goes on to the right of a row, or -1. A row goes on from the nearest alone.
func beside(rows []Row, i int) int {
	right := nearestBeside(rows, i, 1)
	if right < 0 || nearestBeside(rows, right, -1) != i {
		return -1
	}
	return right
}

// nearestBeside returns the index of the nearest row of the same line to the right of a row, or with -1 to the left, close to it; -1 if there is none.
func nearestBeside(rows []Row, i, direction int) int {
	best, least := -1, 0.0
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
		if left.Min.X < right.Min.X && left.Max.X < right.Max.X && gap >= -besideOverlap*height && gap <= besideGap*height && (best < 0 || gap < least) {
			best, least = k, gap
		}
	}
	return best
}
