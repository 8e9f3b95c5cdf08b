package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/gateway/tools"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/state/database"
)

// auditAsked holds the flags of `windie audit`.
type auditAsked struct {
	audit.Query
	since          time.Duration
	asJSON, follow bool
}

// auditCommand returns `windie audit`. It refuses a limit below 1 before it opens the database.
func auditCommand(load loader) *cobra.Command {
	var asked auditAsked
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List tool calls with user, source, approval and result",
		Long: "The oldest call comes first. The audit log does not contain arguments. The command reads the\n" +
			"database that is configured in the settings. It also works while no gateway runs.",
		Example: "  windie audit --since 24h\n  windie audit --tool shell.exec --follow",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error {
			var wrong argumentError
			wrong.add(asked.Limit < 1, "--limit: must be at least 1")
			wrong.add(asked.since < 0, "--since: must be 0 or more")
			return wrong.orNil()
		},
		RunE: load.withDatabase(func(cmd *cobra.Command, _ *config, db *database.DB, _ []string) error {
			return asked.run(cmd.Context(), db, cmd.OutOrStdout())
		}),
	}
	cmd.Flags().StringVar(&asked.User, "user", "", "only calls of `USER`")
	cmd.Flags().StringVar(&asked.Tool, "tool", "", "only calls of `TOOL`, for example ocr.read")
	cmd.Flags().DurationVar(&asked.since, "since", 0, "only calls in the last `DURATION`, for example 24h (default all)")
	cmd.Flags().IntVar(&asked.Limit, "limit", audit.DefaultLimit, "list at most the last `N` calls")
	cmd.Flags().BoolVar(&asked.asJSON, "json", false, "print a line of JSON for each call")
	cmd.Flags().BoolVar(&asked.follow, "follow", false, "continue with new calls, until Ctrl-C")
	return cmd
}

// run prints the last calls, oldest first. With --follow, it also prints new calls until ctx ends.
func (a auditAsked) run(ctx context.Context, db *database.DB, w io.Writer) error {
	if a.since > 0 {
		a.Since = time.Now().Add(-a.since)
	}
	records, err := audit.Last(ctx, db, a.Query)
	if err == nil && !a.asJSON {
		_, err = fmt.Fprintf(w, auditLine, "TIME", "USER", "TOOL", "BY", "DECISION", "OUTCOME", "MS")
	}
	if err == nil {
		err = a.print(w, records)
	}
	if err != nil || !a.follow {
		return err
	}
	return audit.Follow(ctx, db, a.Query, records, func(more []audit.Record) error { return a.print(w, more) })
}

// auditLine is the format of a line of the list. The columns fit most times and users.
const auditLine = "%-19s  %-20s  %-24s  %-6s  %-9s  %-28s  %s\n"

// print prints a line for each record, without the header. Times are in UTC and durations in
// milliseconds.
func (a auditAsked) print(w io.Writer, records []audit.Record) error {
	out := json.NewEncoder(w)
	for _, r := range records {
		var err error
		if a.asJSON {
			err = out.Encode(tools.AuditRecord(r))
		} else {
			took := fmt.Sprintf("%.1f", float64(r.Duration.Microseconds())/1000)
			_, err = fmt.Fprintf(w, auditLine, r.Time.UTC().Format(time.DateTime), cmp.Or(plain.Text(r.User), "-"), cmp.Or(plain.Text(r.Tool), "-"), cmp.Or(r.Protocol, "-"),
				string(r.Decision), strings.TrimSpace(string(r.Outcome)+" "+r.Code), took)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
