package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Query selects records. The zero value selects the newest ones.
type Query struct {
	User, Tool, Protocol string
	Outcome              Outcome
	// Since selects calls that ended at this time or later. The zero time selects all calls.
	Since time.Time
	Until time.Time // only calls that ended before this time; zero selects all
	After string    // value of Page.Next in the previous page; empty selects the newest records
	Limit int       // maximum number of records, from 1 to MaxLimit; 0 means DefaultLimit
}

// Limits of a page.
const (
	DefaultLimit = 100
	MaxLimit     = 500
)

// Page is one page of records, newest first.
type Page struct {
	Records []Record
	Next    string // value of Query.After for the next page; empty on the last page
}

// List returns the records in db that match a query. Other gateways also write to db. A second call with the same query
// may therefore return new records between the records of the first call. List fails with VALIDATION_ERROR for an
// invalid cursor.
func List(ctx context.Context, db *database.DB, q Query) (Page, error) {
	limit := cmp.Or(min(max(q.Limit, 0), MaxLimit), DefaultLimit)
	before, err := parseCursor(q.After)
	if err != nil {
		return Page{}, err
	}
	found := search{db: db, query: q, before: before}
	for !found.all && found.sure() <= limit {
		if err := found.more(ctx); err != nil {
			return Page{}, err
		}
	}
	page := Page{Records: found.records}
	if len(page.Records) > limit {
		page.Records = page.Records[:limit]
		page.Next = cursorOf(page.Records[limit-1])
	}
	return page, nil
}

// List returns the records of the log that match a query. See the function List.
func (l *Log) List(ctx context.Context, q Query) (Page, error) { return List(ctx, l.db, q) }

// rowsAtOnce is the number of rows that a search reads at once, some megabytes at most.
const rowsAtOnce = 64

// search reads rows, newest first, until it has enough matching records.
type search struct {
	db      *database.DB
	query   Query
	before  *Record // last record of the previous page
	last    *row    // last row read
	all     bool    // whether all rows were read
	records []Record
}

type row struct {
	bun.BaseModel `bun:"table:audit"`

	Time     int64  `bun:"time,pk"`
	ID       int64  `bun:"id,pk"`
	UserID   string `bun:"user_id"`
	Tool     string `bun:"tool"`
	Protocol string `bun:"protocol"`
	Outcome  string `bun:"outcome"`
	Records  string `bun:"records"`
}

// more reads the next rows, and adds their matching records to s.records, newest first.
func (s *search) more(ctx context.Context) error {
	const op = "audit.List"
	var rows []row
	err := s.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return s.where(db.NewSelect().Model(&rows)).OrderExpr("time DESC, id DESC").Limit(rowsAtOnce).Scan(ctx)
	})
	if err != nil {
		return err
	}
	for i := range rows {
		s.last = &rows[i]
		records, err := s.last.unpack()
		if err != nil {
			return fault.New(op, sdkapi.Internal, "cannot read the audit log's records of tool calls").Because(err)
		}
		for _, r := range records {
			if s.wants(r) {
				s.records = append(s.records, r)
			}
		}
	}
	slices.SortFunc(s.records, newestFirst)
	s.all = len(rows) < rowsAtOnce
	return nil
}

// where adds conditions to a database query: only rows that may have matching records.
func (s *search) where(of *bun.SelectQuery) *bun.SelectQuery {
	q := s.query
	for column, value := range map[string]string{"user_id": q.User, "tool": q.Tool, "protocol": q.Protocol, "outcome": string(q.Outcome)} {
		if value != "" {
			of = of.Where("? = ?", bun.Ident(column), value)
		}
	}
	if !q.Since.IsZero() {
		of = of.Where("time >= ?", database.Micros(q.Since))
	}
	if !q.Until.IsZero() {
		of = of.Where("time < ?", database.Micros(q.Until.Add(maxSpan)))
	}
	switch {
	case s.last != nil:
		of = of.Where("(time, id) < (?, ?)", s.last.Time, s.last.ID)
	case s.before != nil:
		of = of.Where("time <= ?", database.Micros(s.before.Time.Add(maxSpan)))
	}
	return of
}

// wants reports whether a record ended in the period of the query and is older than the cursor. The
// database has checked the other conditions.
func (s *search) wants(r Record) bool {
	return !r.Time.Before(s.query.Since) && (s.query.Until.IsZero() || r.Time.Before(s.query.Until)) &&
		(s.before == nil || newestFirst(*s.before, r) < 0)
}

// sure returns how many leading records are final: no unread row has a record before them.
func (s *search) sure() int {
	if s.last == nil {
		return 0
	}
	n, _ := slices.BinarySearchFunc(s.records, s.last.Time, func(r Record, last int64) int {
		return cmp.Compare(last, database.Micros(r.Time))
	})
	return n
}

// newestFirst compares records by time and then by id. The id gives records with the same time a
// fixed order, which cursors need.
func newestFirst(a, b Record) int {
	return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.ID, a.ID))
}

// cursorOf returns the cursor of the page that begins after r. parseCursor reads it.
func cursorOf(r Record) string { return fmt.Sprintf("%d-%d", database.Micros(r.Time), r.ID) }

// parseCursor returns a record with the time and id of a cursor, nil for an empty cursor.
func parseCursor(cursor string) (*Record, error) {
	if cursor == "" {
		return nil, nil
	}
	first, second, _ := strings.Cut(cursor, "-")
	micros, err := strconv.ParseInt(first, 10, 64)
	id, bad := strconv.ParseInt(second, 10, 64)
	if err != nil || bad != nil {
		return nil, fault.New("audit.List", sdkapi.ValidationError, "invalid page cursor in the query parameter \"after\"; list again without this parameter").
			At("query.after", "expected the field next of the previous page")
	}
	return &Record{Time: database.Time(micros), ID: id}, nil
}

// Last returns the newest q.Limit records that match q, oldest first.
func Last(ctx context.Context, db *database.DB, q Query) ([]Record, error) {
	var records []Record
	for want := q.Limit; ; {
		q.Limit = min(want-len(records), MaxLimit)
		page, err := List(ctx, db, q)
		if err != nil {
			return nil, err
		}
		records = append(records, page.Records...)
		if page.Next == "" || len(records) >= want {
			slices.Reverse(records)
			return records, nil
		}
		q.After = page.Next
	}
}

// followEvery is the interval in which Follow looks for new records. followLate is how late a
// record may appear: gateways write records in batches, and their clocks differ.
const (
	followEvery = 500 * time.Millisecond
	followLate  = 10 * time.Second
)

// followMost limits the records that Follow reads each time.
const followMost = 100_000

// Follow watches the database for new records until ctx ends, and then returns nil. About twice per second, it calls
// report with the new records that match q. The list of new records may be empty. It never contains a record that is in
// shown. If report fails, Follow returns its error.
func Follow(ctx context.Context, db *database.DB, q Query, shown []Record, report func([]Record) error) error {
	began := time.Now().Add(-followLate)
	seen := map[int64]time.Time{} // times of the records shown, by id
	for _, r := range shown {
		seen[r.ID] = r.Time
	}
	for background.Sleep(ctx, followEvery) == nil {
		q.Since, q.Limit = time.Now().Add(-followLate), followMost
		if q.Since.Before(began) {
			q.Since = began
		}
		records, err := Last(ctx, db, q)
		if err != nil {
			if ctx.Err() != nil {
				err = nil // the error is a result of the end of ctx
			}
			return err
		}
		records = slices.DeleteFunc(records, func(r Record) bool { _, old := seen[r.ID]; return old })
		for id, when := range seen {
			if when.Before(q.Since) {
				delete(seen, id)
			}
		}
		for _, r := range records {
			seen[r.ID] = r.Time
		}
		if err := report(records); err != nil {
			return err
		}
	}
	return nil
}
