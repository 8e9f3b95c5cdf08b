package memory

import (
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of a query.
const (
	MaxQuery   = 1000 // maximum length of a query, in characters
	maxClauses = 32   // words and phrases; later ones are ignored
)

// clause is a word or phrase of a query.
type clause struct {
	words  []string
	exact  bool // matches as written, not in all forms
	prefix bool // the last word matches each word that starts with it
}

type query struct {
	text    string
	clauses []clause
}

// typedQuotes replaces the quotes of phones and word processors with plain ones.
var typedQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "\x00", " ")

// parseQuery parses a query. It has words, which match in all their forms; "phrases" in quotes, which match as written;
// and beginnings of words, such as inv*. All other characters are separators.
func parseQuery(text string) (query, error) {
	const op = "memory.Search"
	q := query{text: text}
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxQuery {
		return q, fault.New(op, sdkapi.ValidationError, "the query is too long, or is not UTF-8").
			At("query", "expected at most %d characters of UTF-8", MaxQuery)
	}
	for i, part := range strings.Split(typedQuotes.Replace(text), `"`) {
		if i%2 == 1 {
			q.add(part, true)
			continue
		}
		for _, field := range strings.Fields(part) {
			q.add(field, false)
		}
	}
	if len(q.clauses) == 0 {
		return q, fault.New(op, sdkapi.ValidationError, "the query contains no word").
			At("query", "expected at least one letter or digit")
	}
	return q, nil
}

// add adds a clause. Several words without a space, as in "e-mail" or in Chinese, are a phrase.
func (q *query) add(text string, exact bool) {
	c := clause{words: words(text), exact: exact}
	c.prefix = strings.HasSuffix(strings.TrimSpace(text), "*")
	c.exact = c.exact || c.prefix
	if len(c.words) > 0 && len(q.clauses) < maxClauses {
		q.clauses = append(q.clauses, c)
	}
}

// phraseOf returns clauses as one phrase that matches in all forms. The result has no words if there is only one
// clause, or an exact one.
func phraseOf(clauses []clause) clause {
	if len(clauses) == 1 {
		return clause{}
	}
	var all clause
	for _, c := range clauses {
		if c.exact {
			return clause{}
		}
		all.words = append(all.words, c.words...)
	}
	return all
}
