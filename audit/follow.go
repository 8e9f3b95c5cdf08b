package audit

import (
	"context"
	"slices"
	"time"

	"github.com/windieos/windie/internal/database"
)

// Last returns the last q.Limit records that q asks for, the oldest first, in as
// many pages as that takes.
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
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
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
}
