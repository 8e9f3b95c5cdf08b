package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/retention"
)

// usageQueries return the count, the size in bytes and the oldest time of each kind in the
// database.
var usageQueries = map[string]string{
	"artifacts":     "SELECT count(*), coalesce(sum(size), 0), coalesce(min(created), 0) FROM artifacts WHERE stored",
	"conversations": usageOfStreams("(s.name LIKE 'session/api/%/conv\\_%' ESCAPE '\\' OR s.name >= 'session/ws/' AND s.name < 'session/ws0' OR s.name >= 'session/host/' AND s.name < 'session/host0')"),
	"prompts":       usageOfStreams("s.name LIKE 'session/api/%/prompt\\_%' ESCAPE '\\'"),
	"sessions":      usageOfStreams("s.name >= 'session/v1/' AND s.name < 'session/v10'"),
	"decisions":     "SELECT count(*), coalesce(sum(length(request) + length(value)), 0), coalesce(min(created), 0) FROM decisions",
	"responses":     "SELECT count(*), coalesce(sum(size), 0), coalesce(min(used), 0) FROM responses",
	"keys":          "SELECT count(*), coalesce(sum(size), 0), coalesce(min(created), 0) FROM once",
	"audit":         "SELECT count(*), coalesce(sum(length(records)), 0), coalesce(min(time), 0) FROM audit",
}

// largestUsers is the maximum number of users in the answer of userQueries.
const largestUsers = 5

// userQueries return the users with the most bytes of a kind, with count and size.
var userQueries = map[string]string{
	"artifacts": "SELECT owner, count(*) AS count, coalesce(sum(size), 0) AS bytes FROM artifacts WHERE stored AND owner <> '' GROUP BY owner ORDER BY bytes DESC, owner LIMIT ?",
}

// usageOfStreams returns the query for the journal's streams that satisfy an SQL condition on s,
// the table streams.
func usageOfStreams(condition string) string {
	return "SELECT count(DISTINCT s.id), coalesce(sum(length(e.data)), 0), coalesce(min(e.time), 0) FROM streams AS s JOIN events AS e ON e.stream_id = s.id WHERE " + condition
}

// usageOf returns a function that measures a kind, or nil if the kind is not measured.
func (s *state) usageOf(kind string) func(ctx context.Context) (retention.Usage, error) {
	switch {
	case kind == "memory":
		return func(ctx context.Context) (retention.Usage, error) {
			used, err := s.memory.Usage(ctx)
			return retention.Usage{Items: used.Files, Bytes: used.Bytes, Oldest: used.Oldest}, err
		}
	case usageQueries[kind] == "":
		return nil
	}
	return func(ctx context.Context) (used retention.Usage, err error) {
		var oldest int64
		err = s.db.Ask(ctx, "retention.usage", func(ctx context.Context, db *bun.DB) error {
			err := db.NewRaw(usageQueries[kind]).Scan(ctx, &used.Items, &used.Bytes, &oldest)
			if err != nil || userQueries[kind] == "" {
				return err
			}
			var users []struct {
				Owner        string
				Count, Bytes int64
			}
			err = db.NewRaw(userQueries[kind], largestUsers).Scan(ctx, &users)
			used.Largest = make([]retention.OfUser, len(users))
			for i, u := range users {
				used.Largest[i] = retention.OfUser{User: u.Owner, Items: u.Count, Bytes: u.Bytes}
			}
			return err
		})
		if oldest > 0 {
			used.Oldest = database.Time(oldest)
		}
		return used, err
	}
}

// kept returns the metrics of stored data.
func (s *state) kept() []metrics.Kept {
	counts, usage := s.retention.Counts(), s.retention.Usage()
	var list []metrics.Kept
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		c, u := counts[kind], usage[kind]
		list = append(list, metrics.Kept{Kind: kind, Items: u.Items, Bytes: u.Bytes, Aged: c.Aged, Erased: c.Erased, Failed: c.Failed})
	}
	return list
}

// checkKept reports the size and age of stored data for the doctor. It fails if deletions of users
// are unfinished. It does not change a database of another version.
func (c *config) checkKept(ctx context.Context) (string, error) {
	in, err := database.Inspect(ctx, c.databaseConfig())
	switch {
	case err != nil:
		return "", err
	case !in.Exists:
		return "no data yet", nil
	case in.Version != in.Newest:
		return "available after a gateway of this version has used the database", nil
	}
	kept, err := openState(ctx, c, slog.New(slog.DiscardHandler), asBeside)
	if err != nil {
		return "", err
	}
	defer kept.close()
	size, err := kept.db.Size(ctx)
	if err != nil {
		return "", err
	}
	usage, err := kept.retention.Measure(ctx)
	if err != nil {
		return "", err
	}
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(usage)) {
		if u := usage[kind]; u.Items > 0 {
			words = append(words, fmt.Sprintf("%s: %d (%s, oldest %s)", kind, u.Items, amount(u.Bytes), u.Oldest.Format(time.DateOnly)))
		}
	}
	pending, oldest, err := kept.retention.Pending(ctx)
	if err == nil && pending > 0 {
		err = fmt.Errorf("%d deletions of users are unfinished, the oldest since %s: start a gateway to finish them, or run `windie user delete` again", pending, oldest.Format(time.RFC3339))
	}
	return strings.Join(append([]string{"the database uses " + amount(size)}, words...), "; ") + "; `windie prune` deletes old data", err
}

// amount formats a number of bytes with a fitting unit.
func amount(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
