package carry

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// behind lists the tables that are not copied: the bookkeeping of migrations and of this package,
// results of scrubs for one place's artifacts, and the memory index, which the gateway rebuilds
// from files.
var behind = []string{"schema_version", "carried", "scrubs", "damages", "memory_users", "memory_files", "memory_chunks", "memory_terms"}

// table is a table to copy.
type table struct {
	name    string
	columns []string
	truths  map[int]bool // indexes of boolean columns, which SQLite stores as numbers
	key     []int        // indexes of the primary key's columns
	needs   []string     // tables whose rows must be copied before
}

// tablesOf lists the tables to copy, each after the tables it references. New tables are included
// without a change here. It returns an error for a table that cannot be copied: one without a primary
// key, or a virtual table that is not in behind.
func tablesOf(ctx context.Context, db *database.DB) ([]table, error) {
	var rows []struct {
		Name string `bun:"name"`
		Type string `bun:"type"`
	}
	err := db.Read().NewRaw("SELECT name, type FROM pragma_table_list WHERE schema = 'main' ORDER BY name").Scan(ctx, &rows)
	if err != nil {
		return nil, database.FaultIn(ctx, "carry.tablesOf", err)
	}
	var list []table
	for _, row := range rows {
		switch {
		case strings.HasPrefix(row.Name, "sqlite_"), slices.Contains(behind, row.Name), row.Type == "shadow", row.Type == "view":
			continue
		case row.Type != "table":
			return nil, fmt.Errorf("carry: cannot copy %s, because it is a %s table; if its rows can be rebuilt, add it to carry.behind, otherwise write code that copies them", row.Name, row.Type)
		}
		t, err := tableOf(ctx, db, row.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return inOrder(list), nil
}

// tableOf describes a table of an SQLite database. It fails if the table has no primary key.
func tableOf(ctx context.Context, db *database.DB, name string) (table, error) {
	t := table{name: name, truths: map[int]bool{}}
	var columns []struct {
		Name string `bun:"name"`
		Type string `bun:"type"`
		PK   int    `bun:"pk"` // position in the primary key, from 1; 0 for other columns
	}
	err := db.Read().NewRaw("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", name).Scan(ctx, &columns)
	if err == nil {
		err = db.Read().NewRaw("SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?)", name).Scan(ctx, &t.needs)
	}
	if err != nil {
		return t, database.FaultIn(ctx, "carry.tableOf", err)
	}
	for i, c := range columns {
		t.columns = append(t.columns, c.Name)
		t.truths[i] = strings.EqualFold(c.Type, "BOOLEAN")
		if c.PK > 0 {
			t.key = append(t.key, i)
		}
	}
	if len(t.key) == 0 {
		return t, fmt.Errorf("carry: the table %s has no primary key; add a primary key, so that an interrupted migration can resume", name)
	}
	slices.SortFunc(t.key, func(a, b int) int { return cmp.Compare(columns[a].PK, columns[b].PK) })
	return t, nil
}

// inOrder sorts tables so that each comes after the tables it references.
func inOrder(list []table) (ordered []table) {
	for len(list) > 0 {
		at := slices.IndexFunc(list, func(t table) bool {
			return !slices.ContainsFunc(list, func(other table) bool { return other.name != t.name && slices.Contains(t.needs, other.name) })
		})
		at = max(at, 0) // for a cycle, which the database itself will refuse
		ordered = append(ordered, list[at])
		list = slices.Delete(list, at, at+1)
	}
	return ordered
}

// identifiers quotes names for a statement and joins them with commas.
func identifiers(names []string) string {
	return `"` + strings.Join(names, `", "`) + `"`
}

// keyNames returns the columns of the primary key, in the order of the key.
func (t table) keyNames() (names []string) {
	for _, at := range t.key {
		names = append(names, t.columns[at])
	}
	return names
}

// carry copies the rows after the saved progress, in the order of the primary key.
func (t table) carry(ctx context.Context, from, to *database.DB, report Report) error {
	begun, done, err := stateOf(ctx, to, t.name)
	if err != nil || done {
		return err
	}
	p := progress{source: from.Path()}
	if begun != nil {
		p = *begun
	}
	var of int64
	if err := from.Read().NewRaw("SELECT count(*) FROM ?", bun.Ident(t.name)).Scan(ctx, &of); err != nil {
		return database.FaultIn(ctx, "carry.carry", err)
	}
	for !p.done {
		rows, err := t.read(ctx, from, p.after)
		if err != nil {
			return err
		}
		p.copied += int64(len(rows))
		if p.done = len(rows) == 0; !p.done {
			p.after = t.keyOf(rows[len(rows)-1])
		}
		err = note(ctx, to, t.name, p, func(ctx context.Context, tx bun.Tx) error {
			if p.done {
				return t.raise(ctx, to, tx)
			}
			return to.Insert(ctx, tx, fmt.Sprintf("INSERT INTO %q (%s)", t.name, identifiers(t.columns)), rows)
		})
		if err != nil {
			return err
		}
		report(t.name, p.copied, of)
	}
	return nil
}

// keyOf returns the values of the primary key in a row, in the order of keyNames.
func (t table) keyOf(row []any) (key []any) {
	for _, at := range t.key {
		key = append(key, row[at])
	}
	return key
}

// read returns up to batchRows rows after a key, or the first rows if after is nil. At the end it
// returns no rows.
func (t table) read(ctx context.Context, from *database.DB, after []any) (list [][]any, err error) {
	names := identifiers(t.keyNames())
	where := ""
	if after != nil {
		where = fmt.Sprintf(" WHERE (%s) > (?%s)", names, strings.Repeat(", ?", len(after)-1))
	}
	rows, err := from.Read().QueryContext(ctx, fmt.Sprintf("SELECT %s FROM %q%s ORDER BY %s LIMIT %d", identifiers(t.columns), t.name, where, names, batchRows), after...)
	if err != nil {
		return nil, database.FaultIn(ctx, "carry.read", err)
	}
	defer rows.Close()
	for size := 0; size < batchBytes && rows.Next(); {
		row, n, err := t.scan(rows)
		if err != nil {
			return nil, database.FaultIn(ctx, "carry.read", err)
		}
		list, size = append(list, row), size+n
	}
	return list, database.FaultIn(ctx, "carry.read", rows.Err())
}

// scan reads a row, and returns its approximate size in bytes.
func (t table) scan(rows *sql.Rows) (row []any, size int, err error) {
	row = make([]any, len(t.columns))
	to := make([]any, len(row))
	for i := range row {
		to[i] = &row[i]
	}
	if err := rows.Scan(to...); err != nil {
		return nil, 0, err
	}
	for i, v := range row {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []byte:
			// The driver returns nil for empty bytes, which would become NULL.
			row[i] = append([]byte{}, v...)
			size += len(v)
		case int64:
			if t.truths[i] {
				row[i] = v != 0
			}
		}
		size += 8
	}
	return row, size, nil
}

// raise sets PostgreSQL's sequences above the copied numbers.
func (t table) raise(ctx context.Context, to *database.DB, tx bun.Tx) error {
	if !to.Postgres() {
		return nil
	}
	for _, column := range t.columns {
		var counter sql.NullString
		if err := tx.NewRaw("SELECT pg_get_serial_sequence(?, ?)", fmt.Sprintf("%q", t.name), column).Scan(ctx, &counter); err != nil {
			return err
		}
		if !counter.Valid {
			continue
		}
		_, err := tx.NewRaw("SELECT setval(?, greatest(1, (SELECT max(?) FROM ?)))", counter.String, bun.Ident(column), bun.Ident(t.name)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// errOther is the fault for a table that differs between the databases.
func errOther(name string, from, to int64) error {
	return fault.New("carry.compare", sdkapi.StateUnavailable, "the table %s differs between the databases (%d rows and %d rows): a gateway has used one of the databases during the migration; start again with an empty target database", name, from, to)
}
