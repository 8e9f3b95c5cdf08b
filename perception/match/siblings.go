package match

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// Limits of the entries of one list, such as a menu.
const (
	// entryWords is the maximum number of words of an entry; longer rows are sentences.
	entryWords = 6

	// entryPitch is the maximum vertical distance between consecutive entries, in heights of their
	// letters.
	entryPitch = 4.0
)

// withoutLonger returns the rival that is an entry by itself, such as "Save", if all others are
// parts of longer entries of the same list, such as "Save As..." and "Do not save". Otherwise it
// returns nil.
func (x *Index) withoutLonger(rivals []Match) *Match {
	var one *Match
	for i := range rivals {
		if x.isWhole(&rivals[i]) {
			if one != nil {
				return nil
			}
			one = &rivals[i]
		}
	}
	if one == nil || slices.ContainsFunc(rivals, func(m Match) bool { return m.Index != one.Index && !x.lengthens(&m, one) }) {
		return nil
	}
	return one
}

// isWhole reports whether a match is a whole row.
func (x *Index) isWhole(m *Match) bool { return m.Row.ID == x.rows[m.Index].row.ID }

// lengthens reports whether a match is part of another entry in the list of entry, and matches the
// query no better.
func (x *Index) lengthens(m, entry *Match) bool {
	row := x.rows[m.Index].row
	return m.Tier >= entry.Tier && m.Score < entry.Score && len(row.Words) <= entryWords && x.listed(row.Box, entry.Row.Box)
}

// listed reports whether two rows have the same left edge and letter size, with only entries of a
// list between them.
func (x *Index) listed(first, last image.Rectangle) bool {
	if first.Min.Y > last.Min.Y {
		first, last = last, first
	}
	height := min(first.Dy(), last.Dy())
	if max(first.Dy(), last.Dy())-height > height/2 || geo.Abs(first.Min.X-last.Min.X) > height/2 || geo.SameLine(first, last) {
		return false
	}
	entries := 1
	for i := range x.rows {
		box := x.rows[i].row.Box
		if box.Min.Y > first.Min.Y && box.Max.Y < last.Max.Y && geo.Abs(box.Min.X-first.Min.X) <= height/2 {
			entries++
		}
	}
	return float64(last.Min.Y-first.Min.Y) <= entryPitch*float64(height*entries)
}
