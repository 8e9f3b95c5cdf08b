package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/identity"
	"github.com/windieos/windie/internal/plain"
)

func userCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "user",
		Short: "List, make and delete the users of a hosted gateway",
		Long: "These commands work on the database of the settings, whether a gateway runs or not. One that runs knows of a change with\n" +
			"the next request, and ends within a second what a user who is deleted has open. Clients that register by themselves make users too.",
	}
	cmd.AddCommand(userListCommand(load), userCreateCommand(load), userDeleteCommand(load))
	return cmd
}

// identityCommand returns a command on the users and installs in the database
// of the settings. What work returns is printed by itself, or as JSON where that
// is asked for.
func identityCommand(load loader, use, short string, args cobra.PositionalArgs,
	work func(ctx context.Context, ids *identity.Identity, args []string) (printable, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  args,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			db, err := openDatabase(cmd.Context(), c)
			if err != nil {
				return plain.Explain(err)
			}
			defer db.Close()
			done, err := work(cmd.Context(), identity.Open(db), args)
			if err != nil {
				return plain.Explain(err)
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(done)
			}
			return done.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printable is what a command has to say, to programs as JSON.
type printable interface{ print(io.Writer) error }

// userInfo is a user as the commands tell it.
type userInfo struct {
	UserID   string    `json:"user_id"`
	Created  time.Time `json:"created"`
	Installs int       `json:"installs"` // that are let in
}

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

// stamp is a time as lists show it.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// note is what a command has done.
type note struct {
	Done string `json:"done"`
	text string
}

func (n note) print(w io.Writer) error {
	_, err := fmt.Fprintln(w, n.text)
	return err
}

func userListCommand(load loader) *cobra.Command {
	return identityCommand(load, "list", "List the users, the oldest first", cobra.NoArgs,
		func(ctx context.Context, ids *identity.Identity, _ []string) (printable, error) {
			users, err := collect(ids.Users(ctx), func(u identity.User) userInfo { return userInfo{u.ID, u.Created, u.Installs} })
			return userInfos{users}, err
		})
}

// collect returns what a list holds, in the form that commands tell it.
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

func userCreateCommand(load loader) *cobra.Command {
	return identityCommand(load, "create", "Make a user, and print the id; `windie token create` makes tokens for them", cobra.NoArgs,
		func(ctx context.Context, ids *identity.Identity, _ []string) (printable, error) {
			u, err := ids.CreateUser(ctx)
			return userInfo{u.ID, u.Created, u.Installs}, err
		})
}

func userDeleteCommand(load loader) *cobra.Command {
	return identityCommand(load, "delete USER", "Delete a user with all tokens, which let nobody in any more", cobra.ExactArgs(1),
		func(ctx context.Context, ids *identity.Identity, args []string) (printable, error) {
			return note{"deleted", args[0] + " is deleted, with all tokens"}, ids.DeleteUser(ctx, args[0])
		})
}
