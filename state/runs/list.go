package runs

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Limits of a page of runs.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// Query selects the runs to list. An empty field does not restrict the runs.
type Query struct {
	WorkspaceID, AgentID, RequestedBy, Status string
	Since                                     time.Time // earliest creation time of the runs; zero: any time

	After string // cursor: the value RunList.Next of the previous page; empty for the first page
	Limit int    // maximum number of runs, up to MaxLimit; 0: DefaultLimit; a higher value becomes MaxLimit
}

// List returns the runs that match a query, newest first. It fails with VALIDATION_ERROR for an
// invalid After.
func (p *Plane) List(ctx context.Context, q Query) (sdkapi.RunList, error) {
	limit := cmp.Or(min(max(q.Limit, 0), MaxLimit), DefaultLimit)
	created, id, err := parseCursor(q.After)
	if err != nil {
		return sdkapi.RunList{}, err
	}
	var rows []row
	err = p.db.Ask(ctx, "runs.List", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		of := db.NewSelect().Model(&rows)
		for column, value := range map[string]string{"workspace_id": q.WorkspaceID, "agent_id": q.AgentID, "requested_by": q.RequestedBy, "status": q.Status} {
			if value != "" {
				of = of.Where("? = ?", bun.Ident(column), value)
			}
		}
		if !q.Since.IsZero() {
			of = of.Where("created >= ?", database.Micros(q.Since))
		}
		if q.After != "" {
			of = of.Where("(created, id) < (?, ?)", created, id)
		}
		return of.OrderExpr("created DESC, id DESC").Limit(int64(limit + 1)).Scan(ctx)
	})
	if err != nil {
		return sdkapi.RunList{}, err
	}
	page := sdkapi.RunList{Runs: []sdkapi.Run{}}
	if len(rows) > limit {
		rows = rows[:limit]
		page.Next = fmt.Sprintf("%d-%s", rows[limit-1].Created, rows[limit-1].ID)
	}
	for _, kept := range rows {
		r, err := kept.run()
		if err != nil {
			return sdkapi.RunList{}, err
		}
		page.Runs = append(page.Runs, r.Run)
	}
	return page, nil
}

// parseCursor parses RunList.Next: the creation time in microseconds, a hyphen and the run's id. An
// empty cursor has zero values.
func parseCursor(cursor string) (created int64, id string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	first, id, _ := strings.Cut(cursor, "-")
	created, err = strconv.ParseInt(first, 10, 64)
	if err != nil || id == "" {
		return 0, "", fault.New("runs.List", sdkapi.ValidationError, "invalid page cursor in the query parameter \"after\"; list again without this parameter").
			At("query.after", "expected the field next of the previous page")
	}
	return created, id, nil
}
