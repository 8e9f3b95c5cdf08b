package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/identity"
	"github.com/windieos/windie/internal/database"
)

func userCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "user",
		Short: "List, make and delete the users of a hosted gateway",
		Long: "These commands work on the database of the settings, whether a gateway runs or not. One that runs knows of a change with\n" +
			"the next request, and ends within a second what a user who is deleted has open. Clients that register by themselves make users too.",
	}
	cmd.AddCommand(
		identityCommand(load, "list", "List the users, the oldest first", cobra.NoArgs,
			func(ctx context.Context, ids *identity.Identity, _ []string) (printable, error) {
				users, err := collect(ids.Users(ctx), userInfoOf)
				return userInfos{users}, err
			}),
		identityCommand(load, "create", "Make a user, and print the id; `windie token create` makes tokens for them", cobra.NoArgs,
			func(ctx context.Context, ids *identity.Identity, _ []string) (printable, error) {
				u, err := ids.CreateUser(ctx)
				return userInfoOf(u), err
			}),
		identityCommand(load, "delete USER", "Delete a user with all tokens, which let nobody in any more", cobra.ExactArgs(1),
			func(ctx context.Context, ids *identity.Identity, args []string) (printable, error) {
				return note{"deleted", args[0] + " is deleted, with all tokens"}, ids.DeleteUser(ctx, args[0])
			}),
	)
	return cmd
}

// identityCommand returns a command on users and installs that prints work's answer.
func identityCommand(load loader, use, short string, args cobra.PositionalArgs,
	work func(ctx context.Context, ids *identity.Identity, args []string) (printable, error)) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: args}
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

// userInfo is a user in the answers of commands.
type userInfo struct {
	UserID   string    `json:"user_id"`
	Created  time.Time `json:"created"`
	Installs int       `json:"installs"` // that are let in
}

func userInfoOf(u identity.User) userInfo { return userInfo{u.ID, u.Created, u.Installs} }

func (u userInfo) print(w io.Writer) error {
	_, err := fmt.Fprintln(w, u.UserID)
	return err
}

type userInfos struct {
	Users []userInfo `json:"users"`
}

func (l userInfos) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "USER\tCREATED\tTOKENS")
	for _, u := range l.Users {
		fmt.Fprintf(table, "%s\t%s\t%d\n", u.UserID, stamp(u.Created), u.Installs)
	}
	return table.Flush()
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// note says what a command has done.
type note struct {
	Done string `json:"done"`
	text string
}

func (n note) print(w io.Writer) error {
	_, err := fmt.Fprintln(w, n.text)
	return err
}

// collect returns the items of a list in the form of an answer.
func collect[From, To any](list iter.Seq2[From, error], to func(From) To) ([]To, error) {
	all := []To{} // JSON has an empty list, and not null
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, to(item))
	}
	return all, nil
}
