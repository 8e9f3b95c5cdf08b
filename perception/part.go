package perception

// Part returns words [from, to) of r as a row of their own, or r itself for all words. The ID of a
// part depends only on the row's ID, from and to.
func (r Row) Part(from, to int) Row {
	if from == 0 && to == len(r.Words) {
		return r
	}
	part := NewRow(r.Words[from:to])
	part.ID = partID(r.ID, from, to)
	return part
}

func partID(rowID string, from, to int) string { return candidateID("%s %d %d", rowID, from, to) }

// Find returns the row with an ID, or the part of a row or Line with that ID. index is the position
// in Rows of the row in which it begins.
func (s *Scene) Find(id string) (row Row, index int, ok bool) {
	for i, r := range s.Rows {
		if part, _, ok := r.find(id); ok {
			return part, i, true
		}
	}
	for _, l := range Lines(s.Rows) {
		if part, from, ok := l.find(id); ok {
			return part, l.Index(from), true
		}
	}
	return Row{}, 0, false
}

// find returns the row or part of it with an ID, and the index of its first word.
func (r Row) find(id string) (part Row, from int, ok bool) {
	if r.ID == id {
		return r, 0, true
	}
	for from := range r.Words {
		for to := from + 1; to <= len(r.Words); to++ {
			if partID(r.ID, from, to) == id {
				return r.Part(from, to), from, true
			}
		}
	}
	return Row{}, 0, false
}
