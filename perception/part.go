package perception

// Part returns a new row with the words r.Words[start:stop]. If these are all words, it returns r
// itself. The ID of the new row depends only on r.ID, start and stop.
func (r Row) Part(start, stop int) Row {
	if start == 0 && stop == len(r.Words) {
		return r
	}
	part := NewRow(r.Words[start:stop])
	part.ID = partID(r.ID, start, stop)
	return part
}

// partID returns the ID of the words from:to of a row. It depends only on its parameters, so find can recompute it.
func partID(rowID string, from, to int) string { return candidateID("%s %d %d", rowID, from, to) }

// Find returns the row with an ID. The ID may also be the ID of a part of a row, or of a Line or
// its part. index is the index in s.Rows of the first row that the result contains.
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
