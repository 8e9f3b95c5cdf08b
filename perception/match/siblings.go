package match

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception/geo"
)

// Bounds of what counts as entries of one list, as those of a menu.
const (
	// entryWords is how many words an entry has at most; a row with more is a sentence.
	entryWords = 6

	// entryPitch is how far below each other entries lie at most, in heights of their letters, for each entry that is
	// listed between them.
	entryPitch = 4.0
)

// withoutLonger picks the match that is an entry by itself, as "Save", among others in the same list that are a part of longer
// ones, as of "Save As..." and "Do not save". It picks none if there are other rivals, or several entries.
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

// isWhole reports whether a match is all of its row.
func (x *Index) isWhole(m *Match) bool { return m.Row.ID == x.rows[m.Index].row.ID }

// lengthens reports whether a match is a part of another entry of the list that an entry is in, and no closer to the query.
func (x *Index) lengthens(m, entry *Match) bool {
	row := x.rows[m.Index].row
	return m.Tier >= entry.Tier && m.Score < entry.Score && len(row.Words) <= entryWords && x.listed(row.Box, entry.Row.Box)
}

// listed reports whether two rows begin at one edge, in letters of one size, with nothing but a list between them.
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
