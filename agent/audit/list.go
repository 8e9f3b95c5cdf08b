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

// Query says which records are asked for. Its zero value asks for the newest ones.
type Query struct {
	User, Tool, Protocol string
	Outcome              Outcome
	Since                time.Time // those that ended then or later; zero: from the first on
	Until                time.Time // those that ended before; zero: up to now
	After                string    // Page.Next of the page before; empty: from the newest on
	Limit                int       // 1 to MaxLimit; 0: DefaultLimit
}

// Bounds of a page.
const (
	DefaultLimit = 100
	MaxLimit     = 500
)

// Page is some records, the newest first.
type Page struct {
	Records []Record
	Next    string // Query.After of the page behind; empty: there is none
}

// List returns the records in db that a query asks for. Records that another gateway has yet to
// write may come in between. It fails with VALIDATION_ERROR for an invalid cursor.
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

// List is List on the database of l.
func (l *Log) List(ctx context.Context, q Query) (Page, error) { return List(ctx, l.db, q) }

// rowsAtOnce is how many rows a search reads at once: some megabytes at most.
const rowsAtOnce = 64

// search reads rows, the newest first, until it has enough of their records.
type search struct {
	db      *database.DB
	query   Query
	before  *Record // where the page before ended
	last    *row    // that was read
	all     bool    // there is no other row
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
			return fault.New(op, sdkapi.Internal, "records of calls cannot be read").Because(err)
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

// where adds to a query of the database which rows may hold what is asked for.
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

func (s *search) wants(r Record) bool {
	return !r.Time.Before(s.query.Since) && (s.query.Until.IsZero() || r.Time.Before(s.query.Until)) &&
		(s.before == nil || newestFirst(*s.before, r) < 0)
}

// sure returns how many of the records no row that is still to be read can come between.
func (s *search) sure() int {
	if s.last == nil {
		return 0
	}
	n, _ := slices.BinarySearchFunc(s.records, s.last.Time, func(r Record, last int64) int {
		return cmp.Compare(last, database.Micros(r.Time))
	})
	return n
}

func newestFirst(a, b Record) int {
	return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(b.ID, a.ID))
}

func cursorOf(r Record) string { return fmt.Sprintf("%d-%d", database.Micros(r.Time), r.ID) }

// parseCursor returns a record with the time and the id of a cursor, nil for an empty one.
func parseCursor(cursor string) (*Record, error) {
	if cursor == "" {
		return nil, nil
	}
	first, second, _ := strings.Cut(cursor, "-")
	micros, err := strconv.ParseInt(first, 10, 64)
	id, bad := strconv.ParseInt(second, 10, 64)
	if err != nil || bad != nil {
		return nil, fault.New("audit.List", sdkapi.ValidationError, "there is no such page; begin again without after").
			At("query.after", "expected what the page before had as next")
	}
	return &Record{Time: database.Time(micros), ID: id}, nil
}

// Last returns the last q.Limit records that q asks for, the oldest first.
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

// How often Follow looks for new records, and for how long a record may be on its
// way: gateways write records in batches, and have clocks of their own.
const (
	followEvery = 500 * time.Millisecond
	followLate  = 10 * time.Second
)

// followMost bounds how many records Follow looks through each time.
const followMost = 100_000

// Follow calls show with the records that q asks for and that come from now on,
// but for those shown already, until ctx ends, which is no error, or show fails.
func Follow(ctx context.Context, db *database.DB, q Query, shown []Record, show func([]Record) error) error {
	began := time.Now().Add(-followLate)
	seen := map[int64]time.Time{} // by id, the times of records that were shown
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
				err = nil // nobody reads on
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
		if err := show(records); err != nil {
			return err
		}
	}
	return nil
}
