package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/state/retention"
)

// prunable lists the kinds that `windie prune` deletes by age.
var prunable = []string{"artifacts", "conversations", "prompts", "responses", "runs", "sessions", "decisions", "audit"}

// pruneCommand returns `windie prune`. If the person declines, it prints the counts and the exit
// code is 1.
func pruneCommand(load loader) *cobra.Command {
	ages := map[string]*time.Duration{}
	var dry, yes bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete old data and free its disk space",
		Long: "The command counts the data to delete, prints the counts and asks for confirmation. It does not\n" +
			"delete artifacts that are marked to be kept. If you give no age, the command deletes nothing and\n" +
			"only frees disk space. The age of an item is the time since it was stored or last used. DURATION\n" +
			"must be at least one hour, and longer than a turn can take.",
		Example: "  windie prune --conversations 2160h --dry-run\n  windie prune --artifacts 720h --yes",
		Args:    cobra.NoArgs,
	}
	for _, kind := range prunable {
		ages[kind] = cmd.Flags().Duration(kind, 0, kind+": delete items older than `DURATION`, for example 720h")
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only print the counts")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	answer := printed(cmd)
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, _ []string) error {
		var wrong argumentError
		for _, kind := range prunable {
			wrong.add(*ages[kind] != 0 && *ages[kind] < minRetention, "--%s: must be at least %v", kind, minRetention)
		}
		if err := wrong.orNil(); err != nil {
			return err
		}
		kept, err := openState(cmd.Context(), c, slog.New(slog.DiscardHandler), asBeside)
		if err != nil {
			return plain.Explain(err)
		}
		defer kept.close()
		ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "counting")
		found, err := c.pruneEach(ctx, kept.retention, ages, nil)
		shown()
		if err != nil {
			return plain.Explain(err)
		}
		if dry {
			return answer(found)
		}
		if !yes && !agreed(cmd, found) {
			return cmp.Or(answer(found), error(silentError(exitFailed)))
		}
		ctx, shown = progress.Show(cmd.Context(), cmd.ErrOrStderr(), "removing")
		defer shown()
		done, err := c.pruneEach(ctx, kept.retention, ages, found.Kinds)
		if err == nil {
			done.Removed = true
			progress.Report(ctx, "giving room back to the disk", 0, 0)
			done.Bytes, err = freed(ctx, kept)
		}
		shown()
		if err != nil {
			return plain.Explain(err)
		}
		return answer(done)
	})
	return cmd
}

// pruned is the output of prune.
type pruned struct {
	Removed bool             `json:"removed"` // deleted, not only counted
	Kinds   map[string]int64 `json:"kinds"`
	Bytes   int64            `json:"bytes"` // freed on the database's disk
}

// print prints the count of each kind that had an age, then the freed space.
func (p pruned) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, kind := range prunable {
		if n, asked := p.Kinds[kind]; asked {
			fmt.Fprintf(table, "%s\t%d\n", kind, n)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	what := "nothing was removed"
	if p.Removed {
		what = "removed; the database gave " + amount(max(p.Bytes, 0)) + " back to the disk"
	}
	_, err := fmt.Fprintln(w, what)
	return err
}

// pruneEach deletes data older than the ages, or counts it if found is nil. On a terminal it shows
// the progress relative to found.
func (c *config) pruneEach(ctx context.Context, from *retention.Store, ages map[string]*time.Duration, found map[string]int64) (pruned, error) {
	done, dry, doing := pruned{Kinds: map[string]int64{}}, found == nil, "removing "
	if dry {
		doing = "counting "
	}
	for _, kind := range prunable {
		if *ages[kind] == 0 {
			continue
		}
		progress.Report(ctx, doing+kind, 0, found[kind])
		each := progress.To(ctx, func(s progress.Step) { progress.Report(ctx, doing+kind, s.Done, found[kind]) })
		n, _, err := from.Prune(each, kind, c.afterTurns(*ages[kind]), dry)
		if err != nil {
			return done, err
		}
		done.Kinds[kind] = n
	}
	return done, nil
}

// agreed shows what would be deleted, and asks for confirmation. The end of input counts as no.
func agreed(cmd *cobra.Command, found pruned) bool {
	var all []string
	for _, kind := range prunable {
		if n, asked := found.Kinds[kind]; asked {
			all = append(all, fmt.Sprintf("%d %s", n, kind))
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "This removes %s, for good, and writes the database anew. Go on? [y/N] ", cmp.Or(strings.Join(all, ", "), "nothing"))
	line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

// freed returns the space of deleted data to the disk. The result is the number of bytes by which
// the database has shrunk, and may be negative while a gateway writes.
func freed(ctx context.Context, kept *state) (int64, error) {
	before, err := kept.db.Size(ctx)
	if err == nil {
		err = kept.db.Compact(ctx)
	}
	if err != nil {
		return 0, err
	}
	after, err := kept.db.Size(ctx)
	return before - after, err
}
