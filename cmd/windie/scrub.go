package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/artifacts/scrub"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/state/database"
)

// scrubRate is how many bytes per second a gateway reads to check all artifacts.
const scrubRate = 8 << 20

// scrubbed is the output of `windie scrub`.
type scrubbed struct {
	Checked int64    `json:"checked"`
	Bytes   int64    `json:"bytes"`
	Damaged int64    `json:"damaged"`
	Missing int64    `json:"missing"`
	IDs     []string `json:"artifact_ids"` // the first damaged and the first missing artifacts
}

// scrubbedOf returns a result for the output. IDs has the damaged artifacts first, then the missing
// ones.
func scrubbedOf(f scrub.Found) scrubbed {
	return scrubbed{f.Checked, f.Bytes, f.Damaged, f.Missing, append(append([]string{}, f.DamagedIDs...), f.MissingIDs...)}
}

// print prints the counts, and a line for each listed id. It drops errors of w.
func (s scrubbed) print(w io.Writer) error {
	fmt.Fprintf(w, "%d artifacts of %s were looked at: %d are damaged, %d are missing\n", s.Checked, amount(s.Bytes), s.Damaged, s.Missing)
	for _, id := range s.IDs {
		fmt.Fprintln(w, " ", id)
	}
	return nil
}

// scrubCommand returns `windie scrub`. The exit code is 1 if an artifact is damaged or missing.
func scrubCommand(load loader) *cobra.Command {
	var limit int64
	cmd := &cobra.Command{
		Use:   "scrub",
		Short: "Check all artifacts for damage",
		Long: "The command compares every artifact with its SHA-256, and checks that every artifact in the\n" +
			"database has content. It also works while a gateway runs. A gateway makes the same check itself,\n" +
			"slowly, once a week. The exit code is 1 if an artifact is damaged or missing.",
		Example: "  windie scrub\n  windie scrub --rate 10000000",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().Int64Var(&limit, "rate", 0, "read at most `BYTES` per second (default no limit)")
	answer := printed(cmd)
	cmd.RunE = load.withDatabase(func(cmd *cobra.Command, c *config, db *database.DB, _ []string) error {
		if limit != 0 && limit < minScrubRate {
			return wrongArgument("--rate: must be 0, or at least %d", minScrubRate)
		}
		ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "opening the store")
		found, err := c.scrub(ctx, db, limit, cmd.ErrOrStderr())
		shown()
		if err != nil {
			return plain.Explain(err)
		}
		if err := answer(scrubbedOf(found)); err != nil || found.Damaged+found.Missing == 0 {
			return err
		}
		return silentError(exitFailed)
	})
	return cmd
}

// scrubReported is the interval of progress reports of a scrub.
const scrubReported = 5 * time.Second

// scrub checks all artifacts once, reading at most limit bytes per second; 0 means no limit. It
// reports progress to w unless ctx has a progress bar.
func (c *config) scrub(ctx context.Context, db *database.DB, limit int64, w io.Writer) (scrub.Found, error) {
	store, err := openStore(ctx, c)
	if err != nil {
		return scrub.Found{}, err
	}
	if closer, ok := store.(io.Closer); ok {
		defer closer.Close()
	}
	reported := time.Now()
	return scrub.Open(store, db, scrub.Options{Rate: limit}).Round(ctx, func(p scrub.Progress) {
		progress.Bytes(ctx, fmt.Sprintf("%d artifacts", p.Checked), p.Bytes, 0)
		if !progress.IsTaken(ctx) && time.Since(reported) > scrubReported {
			reported = time.Now()
			fmt.Fprintf(w, "%d artifacts, %s\n", p.Checked, amount(p.Bytes))
		}
	})
}

// checkDamage reports the damage that scrubs have found. It changes nothing, so it also leaves a
// database of an older version as it is.
func (c *config) checkDamage(ctx context.Context) (string, error) {
	if current, err := database.IsCurrent(ctx, c.databaseConfig()); err != nil || !current {
		return "artifacts were not checked yet", nil // the check of the state reports errors
	}
	db, err := database.Open(ctx, c.databaseConfig())
	if err != nil {
		return "", err
	}
	defer db.Close()
	found, err := scrub.Look(ctx, db)
	switch {
	case err != nil:
		return "", err
	case found.Damaged+found.Missing > 0:
		ids := scrubbedOf(found).IDs
		return "", fmt.Errorf("%d artifacts are damaged and %d are missing, for example %s: restore them from a backup or delete them, then run windie scrub",
			found.Damaged, found.Missing, strings.Join(ids[:min(3, len(ids))], ", "))
	case found.Ended.IsZero():
		return "artifacts were not checked yet; the gateway checks them every week, windie scrub checks them now", nil
	}
	return fmt.Sprintf("no damage; the last check of all artifacts ended at %s UTC", found.Ended.Format("2006-01-02 15:04")), nil
}
