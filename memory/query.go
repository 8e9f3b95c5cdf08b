package memory

import (
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of a query.
const (
	MaxQuery   = 1000 // characters
	maxClauses = 32   // words and phrases that are looked for; later ones are not
)

// clause is one thing that a query asks for.
type clause struct {
	words  []word
	exact  bool // the words as they are written, next to each other
	prefix bool // the last word may go on
}

// query is what somebody looks for.
type query struct {
	text    string
	clauses []clause
}

// parseQuery reads a query: words, which are found in all their forms;
// "phrases" in quotes, which are found as they are written; and beginnings of
// words, as inv*. Everything else in it only separates these.
func parseQuery(text string) (query, error) {
	const op = "memory.Search"
	q := query{text: text}
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxQuery {
		return q, fault.New(op, sdkapi.ValidationError, "the query is too long, or is not UTF-8").
			At("query", "expected at most %d characters of UTF-8", MaxQuery)
	}
	for i, part := range strings.Split(unify(text), `"`) {
		if i%2 == 1 {
			q.add(part, true)
			continue
		}
		for _, field := range strings.Fields(part) {
			q.add(field, false)
		}
	}
	if len(q.clauses) == 0 {
		return q, fault.New(op, sdkapi.ValidationError, "there is no word in the query").
			At("query", "expected at least one letter or digit")
	}
	return q, nil
}

// unify makes the quotes that phones and word processors write plain ones.
func unify(text string) string {
	return strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "\x00", " ").Replace(text)
}

// add adds what stands in quotes, or between spaces. Several words without a
// space, as in "e-mail" or in Chinese, are a phrase.
func (q *query) add(text string, exact bool) {
	c := clause{words: lexicon{}.words(text), exact: exact}
	c.prefix = strings.HasSuffix(strings.TrimSpace(text), "*")
	c.exact = c.exact || c.prefix
	if len(c.words) > 0 && len(q.clauses) < maxClauses {
		q.clauses = append(q.clauses, c)
	}
}

// asPhrase returns the query's words as one phrase in all their forms; one
// without words where there are not several, or other clauses.
func (q query) asPhrase() clause {
	var all clause
	for _, c := range q.clauses {
		if c.exact {
			return clause{}
		}
		all.words = append(all.words, c.words...)
	}
	if len(all.words) == 1 {
		return clause{}
	}
	return all
}

// forms returns the words of a clause as the index knows them.
func (c clause) forms() []string {
	list := make([]string, len(c.words))
	for i, w := range c.words {
		list[i] = w.stem
		if c.exact {
			list[i] = w.plain
		}
	}
	return list
}
