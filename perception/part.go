package perception

// Part returns the words of r from index from up to but excluding index to, as a new row. For all
// words it returns r itself. The ID of the part depends only on the row's ID, from and to.
func (r Row) Part(from, to int) Row {
	if from == 0 && to == len(r.Words) {
		return r
	}
	part := NewRow(r.Words[from:to])
	part.ID = partID(r.ID, from, to)
	return part
}

func partID(rowID string, from, to int) string { return candidateID("%s %d %d", rowID, from, to) }

// Find returns the row with an ID, or the part of a row or of a Line with this ID. index is the
// position in Rows of the row in which the result begins.
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
