package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

func auditCommand(load loader) *cobra.Command {
	var asked auditAsked
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List the calls of tools: who made them, who let them be made, and what came of them",
		Long: "The oldest comes first. What tools were called with is not kept. This reads the database of the settings, whether a gateway\n" +
			"runs or not.",
		Args: cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error {
			if asked.Limit < 1 || asked.since < 0 {
				return errors.New("--limit must be at least 1, and --since not negative")
			}
			return nil
		},
		RunE: load.withDatabase(func(cmd *cobra.Command, _ *config, db *database.DB, _ []string) error {
			return asked.run(cmd.Context(), db, cmd.OutOrStdout())
		}),
	}
	cmd.Flags().StringVar(&asked.User, "user", "", "those of this user")
	cmd.Flags().StringVar(&asked.Tool, "tool", "", "those of this tool, as `ocr.read`")
	cmd.Flags().DurationVar(&asked.since, "since", 0, "those of the last so long, as `24h`; default: from the first on")
	cmd.Flags().IntVar(&asked.Limit, "limit", audit.DefaultLimit, "how many at most, the last ones")
	cmd.Flags().BoolVar(&asked.asJSON, "json", false, "print JSON, a line for each")
	cmd.Flags().BoolVar(&asked.follow, "follow", false, "go on with those that are made from now on")
	return cmd
}

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
