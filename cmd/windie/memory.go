package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/state/database"
)

// recallBytes is the maximum part of MEMORY.md that models get at the start of a turn, in bytes. See
// memory.Memory.Recall.
const recallBytes = 64 << 10

// recall returns a function that returns a user's memory for the start of a turn.
func recall(notes *memory.Memory) func(ctx context.Context, user string) (string, error) {
	return func(ctx context.Context, user string) (string, error) { return notes.Recall(ctx, user, recallBytes) }
}

// openMemory opens the memory of the settings. The caller closes it.
func (c *config) openMemory(db *database.DB, texts *embeddings.Service, log *slog.Logger) (*memory.Memory, error) {
	opts := memory.Options{Dir: filepath.Join(c.sharedDir(), "memory"), MaxBytes: c.Quota.memory(), Log: log}
	if texts.Installed() {
		opts.Embedder, opts.Space = texts, texts.Name()
	}
	return memory.Open(db, opts)
}

// checkMemory reports how memory is searched. A missing embedding model is no failure.
func (c *config) checkMemory(context.Context) (string, error) {
	texts, err := c.newEmbeddings(nil)
	if err != nil || !texts.Installed() {
		return "search by words only", err
	}
	return "search by meaning with " + texts.Name(), nil
}

// memoryUser is the user of the memory commands without --user.
const memoryUser = "local"

// memoryCommand returns `windie memory`, which only groups its subcommands.
func memoryCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Write, search and check the memory of agents",
		Long: "Memory is a folder of Markdown files, which you may also edit. The commands also work while a\n" +
			"gateway runs. Each user has a folder. The folder has the user's name, if the name is valid for a\n" +
			"folder.",
		Example: "  windie memory write \"The invoice of Miller was paid.\"\n  windie memory search invoices",
	}
	cmd.AddCommand(memoryWriteCommand(load), memorySearchCommand(load), memoryCheckCommand(load))
	return cmd
}

// onMemory makes cmd open the memory of the settings, and print the result of work.
func onMemory(cmd *cobra.Command, load loader, work func(ctx context.Context, m *memory.Memory, args []string) (printable, error)) *cobra.Command {
	answer := printed(cmd)
	cmd.RunE = load.withDatabase(func(cmd *cobra.Command, c *config, db *database.DB, args []string) error {
		log := newLog(cmd.ErrOrStderr(), c)
		texts, err := c.newEmbeddings(c.openLedger(db, log))
		if err != nil {
			return err
		}
		m, err := c.openMemory(db, texts, log)
		if err != nil {
			return err
		}
		defer m.Close()
		done, err := work(cmd.Context(), m, args)
		if err != nil {
			return err
		}
		return answer(done)
	})
	return cmd
}

// memoryWritten is the output of write.
type memoryWritten struct {
	Path    string `json:"path"`
	Warning string `json:"warning,omitempty"`
}

// print prints the path of the file, and the warning if there is one.
func (w memoryWritten) print(out io.Writer) error {
	fmt.Fprintln(out, w.Path)
	if w.Warning != "" {
		fmt.Fprintln(out, "warning:", plain.Text(w.Warning))
	}
	return nil
}

// memoryWriteCommand returns `windie memory write`. It reads at most memory.MaxEntry+1 bytes of
// standard input, so that Write refuses a longer entry.
func memoryWriteCommand(load loader) *cobra.Command {
	var user, kind, source string
	cmd := &cobra.Command{
		Use:     "write TEXT",
		Short:   "Add an entry to memory, and print the path of its file",
		Long:    "If TEXT is -, the command reads the entry from standard input.",
		Example: "  windie memory write \"The invoice of Miller was paid.\"\n  windie memory write --kind long_term \"Ada drinks tea without sugar.\"",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&user, "user", memoryUser, "write to the memory of this `USER`")
	cmd.Flags().StringVar(&kind, "kind", string(memory.Daily), "`KIND` of entry: daily, or long_term for lasting facts")
	cmd.Flags().StringVar(&source, "source", "command line", "`SOURCE` of the entry")
	return onMemory(cmd, load, func(ctx context.Context, m *memory.Memory, args []string) (printable, error) {
		text := args[0]
		if text == "-" {
			read, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), memory.MaxEntry+1))
			if err != nil {
				return nil, err
			}
			text = string(read)
		}
		wrote, err := m.Write(ctx, user, memory.Entry{Kind: memory.Kind(kind), Text: text, Source: source})
		return memoryWritten(wrote), err
	})
}

// memoryResults is the output of search.
type memoryResults memory.SearchAnswer

// print prints each result as PATH:FIRST-LAST with the lines below it.
func (l memoryResults) print(out io.Writer) error {
	if l.Fallback != nil {
		fmt.Fprintf(out, "warning: searched by words alone: %s\n", plain.Text(l.Fallback.Message))
	}
	if len(l.Results) == 0 {
		fmt.Fprintln(out, "Nothing that is remembered has these words.")
	}
	for i, r := range l.Results {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s:%d-%d\n", plain.Text(r.Path), r.LineStart, r.LineEnd)
		for line := range strings.Lines(r.Excerpt) {
			fmt.Fprintf(out, "  %s\n", plain.Text(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")))
		}
	}
	return nil
}

// memorySearchCommand returns `windie memory search`. The exit code is 0 even if there is no
// result.
func memorySearchCommand(load loader) *cobra.Command {
	var user, kind string
	var limit int
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Search memory by words, phrases and prefixes",
		Long: "A word also matches its other forms, for example walk and walked. Quotes mark a phrase, for example \"green tea\". A star marks a prefix,\n" +
			"for example invoi*.",
		Example: "  windie memory search invoices\n  windie memory search 'invoi*' --kind daily",
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.Flags().StringVar(&user, "user", memoryUser, "search the memory of this `USER`")
	cmd.Flags().StringVar(&kind, "kind", "", "`KIND` of files to search: long_term, daily or other (default all)")
	cmd.Flags().IntVar(&limit, "limit", memory.DefaultResults, "print at most `N` results")
	return onMemory(cmd, load, func(ctx context.Context, m *memory.Memory, args []string) (printable, error) {
		found, err := m.Search(ctx, user, memory.Search{Query: strings.Join(args, " "), Kind: memory.Kind(kind), Limit: limit})
		return memoryResults(found.Wire()), err
	})
}

// memoryChecked is the output of check.
type memoryChecked struct {
	Users []memory.Checked `json:"users"`
}

// print prints a table with a row for each user's folder, then the files that are too large and the
// warnings.
func (l memoryChecked) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FOLDER\tFILES\tMENDED\tREMOVED")
	for _, u := range l.Users {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\n", u.Folder, u.Files, u.Mended, u.Removed)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, u := range l.Users {
		for _, name := range u.TooLarge {
			fmt.Fprintf(out, "%s/%s is too large to be searched: split it\n", u.Folder, plain.Text(name))
		}
		if u.Warning != "" {
			fmt.Fprintf(out, "%s/%s\n", u.Folder, plain.Text(u.Warning))
		}
	}
	return nil
}

// memoryCheckCommand returns `windie memory check`. It changes only the index, not the files.
func memoryCheckCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "Compare the memory files with the search index, and repair the index",
		Example: "  windie memory check\n  windie memory check --rebuild",
		Args:    cobra.NoArgs,
	}
	rebuild := cmd.Flags().Bool("rebuild", false, "rebuild the whole index")
	return onMemory(cmd, load, func(ctx context.Context, m *memory.Memory, _ []string) (printable, error) {
		users, err := m.Check(ctx, *rebuild)
		return memoryChecked{users}, err
	})
}
