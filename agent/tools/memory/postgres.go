package memory

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// postgresIndex keeps the words of each chunk in a tsvector: stems, written words
// after "=", and labels after "@".
type postgresIndex struct{ db *database.DB }

var _ index = postgresIndex{}

// maxPosition is the last position of a tsvector. A chunk has fewer words.
const maxPosition = 16383

// mostUnpacked bounds the search for a phrase to the newest chunks with all of its
// words. As a GIN index has no positions, PostgreSQL unpacks each tsvector to
// compare them, about a hundred in a millisecond.
const mostUnpacked = 2000

func (p postgresIndex) insert(ctx context.Context, tx bun.Tx, owner string, list []placed) error {
	known := lexicon{}
	for some := range slices.Chunk(list, 200) {
		var ids []int64
		err := tx.NewRaw("SELECT nextval(pg_get_serial_sequence('memory_chunks', 'id')) FROM generate_series(1, ?)", len(some)).Scan(ctx, &ids)
		if err != nil {
			return err
		}
		rows, terms := make([][]any, len(some)), make([][]any, len(some))
		for i, c := range some {
			rows[i] = append([]any{ids[i]}, c.row(owner)...)
			terms[i] = []any{ids[i], vectorOf(owner, c, known)}
		}
		if err := p.db.Insert(ctx, tx, insertChunks, rows); err != nil {
			return err
		}
		if err := p.db.Insert(ctx, tx, "INSERT INTO memory_terms (rowid, terms)", terms); err != nil {
			return err
		}
	}
	// New rows wait in a list that every search would read. Sorting them in all at
	// once is several times as fast as one by one.
	_, err := tx.NewRaw("SELECT gin_clean_pending_list('memory_terms_by_term')").Exec(ctx)
	return err
}

// vectorOf returns a tsvector. Words have letters and digits alone.
func vectorOf(owner string, c placed, known lexicon) string {
	var b strings.Builder
	text := known.words(c.text)
	for _, label := range c.labels(owner, text) {
		b.WriteString(" '@" + label + "'")
	}
	for i, w := range text {
		at := "':" + strconv.Itoa(min(i+1, maxPosition))
		b.WriteString(" '" + w.stem + at + " '=" + w.plain + at)
	}
	return b.String()
}

func (postgresIndex) scope(owner string, kind Kind) string {
	whose, what := scopeWords(owner, kind)
	if kind == "" {
		return "'@" + whose + "'"
	}
	return "'@" + whose + "' & '@" + what + "'"
}

// nextTo stands between words that follow each other.
const nextTo = " <-> "

func (postgresIndex) match(c clause) string {
	if label, ok := c.beginsShort(); ok {
		return "'@" + label + "'"
	}
	list := c.forms()
	for i, w := range list {
		if c.exact {
			w = "=" + w
		}
		list[i] = "'" + w + "'"
	}
	if c.prefix {
		list[len(list)-1] += ":*"
	}
	return strings.Join(list, nextTo)
}

func (postgresIndex) all(list []string) string { return "(" + strings.Join(list, ") & (") + ")" }
func (postgresIndex) takes() string            { return "terms @@ ?::tsquery" }

// newest sorts by an expression of the id, so that PostgreSQL does not walk all ids
// in order to look for the words in each.
func (p postgresIndex) newest(ctx context.Context, db bun.IDB, expression string, most int) (ids []int64, err error) {
	there := strings.ReplaceAll(expression, nextTo, " & ")
	if there == expression {
		err = db.NewRaw("SELECT rowid FROM memory_terms WHERE "+p.takes()+" ORDER BY rowid + 0 DESC LIMIT ?", expression, most).Scan(ctx, &ids)
		return ids, err
	}
	err = db.NewRaw("SELECT rowid FROM (SELECT rowid, terms FROM memory_terms WHERE "+p.takes()+" ORDER BY rowid + 0 DESC LIMIT ?) AS there WHERE "+p.takes()+" LIMIT ?",
		there, mostUnpacked, expression, most).Scan(ctx, &ids)
	return ids, err
}
