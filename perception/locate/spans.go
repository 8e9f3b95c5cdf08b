package locate

// span is a phrase that stands in the lexicon.
type span struct {
	from, to int
	ids      []int
}

// spansOf returns the phrases of words that are in a lexicon.
func spansOf(words []string, in map[string][]int) (list []span) {
	for i := range words {
		if isSmallWord[words[i]] && len(words) > 1 {
			continue
		}
		for n := 1; n <= maxConcept && i+n <= len(words); n++ {
			if isSmallWord[words[i+n-1]] && n > 1 {
				continue
			}
			if ids := in[stems(words[i:i+n])]; len(ids) > 0 {
				list = append(list, span{i, i + n, ids})
			}
		}
	}
	return list
}
