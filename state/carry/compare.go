package carry

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/windieos/windie/state/database"
)

// sum is the count of a table's rows and the sum of their hashes. It does not depend on their
// order.
type sum struct {
	rows  int64
	words [4]uint64
}

// compare fails unless both databases have the same rows in the table.
func (t table) compare(ctx context.Context, from, to *database.DB, report Report) error {
	a, err := t.sumOf(ctx, from)
	if err != nil {
		return err
	}
	b, err := t.sumOf(ctx, to)
	if err != nil {
		return err
	}
	if a != b {
		return errOther(t.name, a.rows, b.rows)
	}
	report(t.name+", compared", b.rows, a.rows)
	return nil
}

// sumOf reads all rows of the table in a database. Values that both databases store in different types, such as
// booleans, count as equal.
func (t table) sumOf(ctx context.Context, db *database.DB) (total sum, err error) {
	rows, err := db.Read().QueryContext(ctx, fmt.Sprintf("SELECT %s FROM %q", identifiers(t.columns), t.name))
	if err != nil {
		return total, database.FaultIn(ctx, "carry.sumOf", err)
	}
	defer rows.Close()
	for rows.Next() {
		row, _, err := t.scan(rows)
		if err != nil {
			return total, database.FaultIn(ctx, "carry.sumOf", err)
		}
		hash := sha256.New()
		for _, v := range row {
			switch v := v.(type) {
			case []byte: // the length keeps adjacent values apart
				fmt.Fprintf(hash, "%d:%s;", len(v), v)
			case string:
				fmt.Fprintf(hash, "%d:%s;", len(v), v)
			default:
				fmt.Fprintf(hash, "%v;", v)
			}
		}
		digest := hash.Sum(nil)
		for i := range total.words {
			total.words[i] += binary.BigEndian.Uint64(digest[8*i:])
		}
		total.rows++
	}
	return total, database.FaultIn(ctx, "carry.sumOf", rows.Err())
}
