package memory

import "strings"

// excerptOf returns the lines of a hit around the line with most of the query.
func excerptOf(h hit, q query, score float64) SearchResult {
	lines := strings.SplitAfter(strings.TrimRight(h.Text, "\n"), "\n")
	best, most := 0, -1
	for i, line := range lines {
		if n := q.begins(line); n > most {
			best, most = i, n
		}
	}
	from, to, size := best, best+1, len(lines[best])
	for more := true; more; {
		more = false
		if from > 0 && size+len(lines[from-1]) <= maxExcerpt {
			from--
			size, more = size+len(lines[from]), true
		}
		if to < len(lines) && size+len(lines[to]) <= maxExcerpt {
			size, more = size+len(lines[to]), true
			to++
		}
	}
	text := strings.TrimRight(strings.Join(lines[from:to], ""), "\r\n")
	return SearchResult{
		Path: h.Path, Kind: h.Kind, Excerpt: around(text, q), Score: score,
		LineStart: h.LineStart + from, LineEnd: h.LineStart + to - 1,
	}
}

// around cuts a long line to the text around the first word of the query.
func around(text string, q query) string {
	if len(text) <= maxExcerpt {
		return text
	}
	at := strings.Index(strings.ToLower(text), q.clauses[0].words[0])
	from := min(max(0, at-maxExcerpt/2), len(text)-maxExcerpt)
	return strings.TrimSpace(strings.ToValidUTF8(text[from:from+maxExcerpt], ""))
}

// begins counts the words of a query that start a word of the line. For a longer word, half of it must match, as its
// other forms have other endings.
func (q query) begins(line string) (n int) {
	text := " " + strings.Join(words(line), " ")
	for _, c := range q.clauses {
		for _, w := range c.words {
			letters := []rune(w)
			if strings.Contains(text, " "+string(letters[:min(len(letters), max(3, len(letters)/2))])) {
				n++
			}
		}
	}
	return n
}
