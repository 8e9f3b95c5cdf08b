package perception

// Part returns the words [from, to) of r as a row of its own, or r for all of
// them. The ID of a part depends only on the image, the row, and the words.
func (r Row) Part(from, to int) Row {
	if from == 0 && to == len(r.Words) {
		return r
	}
	part := NewRow(r.Words[from:to])
	part.ID = partID(r.ID, from, to)
	return part
}

func partID(rowID string, from, to int) string { return candidateID("%s %d %d", rowID, from, to) }

// Find returns the row, or part of a row, with an ID, and the row's index.
func (s *Scene) Find(id string) (row Row, index int, ok bool) {
	for i, r := range s.Rows {
		if r.ID == id {
			return r, i, true
		}
	}
	for i, r := range s.Rows {
		for from := range r.Words {
			for to := from + 1; to <= len(r.Words); to++ {
				if partID(r.ID, from, to) == id {
					return r.Part(from, to), i, true
				}
			}
		}
	}
	return Row{}, 0, false
}
