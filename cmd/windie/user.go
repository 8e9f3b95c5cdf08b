package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// userCommand returns `windie user`, which only groups its subcommands.
func userCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "user",
		Short: "List, create and delete the users of a hosted gateway",
		Long: "These commands change the gateway's database, so they also work while no gateway runs. A running\n" +
			"gateway applies a change from the next request on. It closes the connections of a deleted user\n" +
			"within a second. Clients that register themselves also create users.",
		Example: "  windie user create\n  windie user list",
	}
	cmd.AddCommand(
		identityCommand(load, "list", "List the users, oldest first", "windie user list", cobra.NoArgs,
			func(ctx context.Context, ids *identity.Identity, _ []string) (printable, error) {
				users, err := collect(ids.Users(ctx), userInfoOf)
				return userInfos{users}, err
			}),
		identityCommand(load, "create", "Create a user, and print the ID for `windie token create`", "windie user create", cobra.NoArgs,
			func(ctx context.Context, ids *identity.Identity, _ []string) (printable, error) {
				u, err := ids.CreateUser(ctx)
				return userInfoOf(u), err
			}),
		userDeleteCommand(load),
		userBudgetCommand(load),
	)
	return cmd
}

// userDeleteCommand returns `windie user delete`. It fails if no data of the user exists.
func userDeleteCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete USER",
		Short: "Delete a user, the user's tokens and all stored data",
		Long: "The command deletes the user's conversations, prompts, sessions, decisions, settings, artifacts\n" +
			"and memory, and removes the user from the audit log. It prints how much it deleted. If it is\n" +
			"interrupted, a gateway finishes the deletion. Backups do not change. In local mode, USER is the\n" +
			"name that the client sent.",
		Example: "  windie user delete USER",
		Args:    cobra.ExactArgs(1),
	}
	answer := printed(cmd)
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, args []string) error {
		kept, err := openState(cmd.Context(), c, slog.New(slog.DiscardHandler), asBeside)
		if err != nil {
			return plain.Explain(err)
		}
		defer kept.close()
		removed, err := kept.retention.Erase(cmd.Context(), args[0])
		if err != nil {
			return plain.Explain(err)
		}
		done := erased{"deleted", args[0], removed}
		if done.empty() {
			return plain.Explain(fault.New("user.delete", sdkapi.NotFound, "there is no user %q", args[0]))
		}
		return answer(done)
	})
	return cmd
}

// erased is the deleted data of a user.
type erased struct {
	Done    string           `json:"done"`
	UserID  string           `json:"user_id"`
	Removed map[string]int64 `json:"removed"` // by kind
}

// empty reports whether nothing was deleted, so the user was unknown.
func (e erased) empty() bool {
	for _, n := range e.Removed {
		if n > 0 {
			return false
		}
	}
	return true
}

// print prints the number of deleted items of each kind that had some.
func (e erased) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s is deleted, with all tokens; removed were:\n", e.UserID)
	for _, kind := range slices.Sorted(maps.Keys(e.Removed)) {
		if n := e.Removed[kind]; n > 0 && kind != "users" {
			fmt.Fprintf(table, "  %s\t%d\n", kind, n)
		}
	}
	fmt.Fprintln(table, "Backups still have what they had.")
	return table.Flush()
}

// identityCommand returns a command on users and installs that prints the result of work.
func identityCommand(load loader, use, short, example string, args cobra.PositionalArgs,
	work func(ctx context.Context, ids *identity.Identity, args []string) (printable, error)) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Example: "  " + example, Args: args}
	answer := printed(cmd)
	cmd.RunE = load.withDatabase(func(cmd *cobra.Command, _ *config, db *database.DB, args []string) error {
		done, err := work(cmd.Context(), identity.Open(db), args)
		if err != nil {
			return err
		}
		return answer(done)
	})
	return cmd
}

// userInfo is a user, in the output of commands.
type userInfo struct {
	UserID   string    `json:"user_id"`
	Created  time.Time `json:"created"`
	Installs int       `json:"installs"` // installs that are not revoked
}

// userInfoOf returns a user in the form of the output.
func userInfoOf(u identity.User) userInfo { return userInfo{u.ID, u.Created, u.Installs} }

// print prints only the ID, so that a script can pass it to `windie token create`.
func (u userInfo) print(w io.Writer) error {
	_, err := fmt.Fprintln(w, u.UserID)
	return err
}

type userInfos struct {
	Users []userInfo `json:"users"`
}

// print prints a table with the times in UTC.
func (l userInfos) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "USER\tCREATED\tTOKENS")
	for _, u := range l.Users {
		fmt.Fprintf(table, "%s\t%s\t%d\n", u.UserID, stamp(u.Created), u.Installs)
	}
	return table.Flush()
}

// stamp formats a time in UTC, to a minute. The zero time is "-".
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// note is the output of a command that only reports what it did.
type note struct {
	Done string `json:"done"`
	text string
}

// print prints the text on one line.
func (n note) print(w io.Writer) error {
	_, err := fmt.Fprintln(w, n.text)
	return err
}

// collect converts the items of a list for the output.
func collect[From, To any](list iter.Seq2[From, error], to func(From) To) ([]To, error) {
	all := []To{} // so that JSON has an empty list instead of null
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, to(item))
	}
	return all, nil
}
