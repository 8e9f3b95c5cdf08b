package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/state/identity"
)

// tokenCommand returns `windie token`, which only groups its subcommands.
func tokenCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "List, create and revoke the client tokens of a hosted gateway",
		Long: "A token belongs to an install: one copy of a client program. With the token, the program acts for the\n" +
			"user of the install. A token is printed once, when you create it: the database stores only a hash.\n" +
			"These commands use the database that is configured in the settings.",
		Example: "  windie token create USER --system Linux\n  windie token list",
	}
	var system string
	create := identityCommand(load, "create USER", "Create an install for a user, and print its token once", "windie token create USER --system Linux", cobra.ExactArgs(1),
		func(ctx context.Context, ids *identity.Identity, args []string) (printable, error) {
			install, token, err := ids.Create(ctx, args[0], system)
			made := tokenInfoOf(install)
			made.InstallToken = token
			return made, err
		})
	create.Flags().StringVar(&system, "system", "", "operating `SYSTEM` of the client, for example Windows; lists of tokens show it")
	cmd.AddCommand(
		identityCommand(load, "list [USER]", "List the installs that have tokens, for all users or for one user, oldest first", "windie token list", cobra.MaximumNArgs(1),
			func(ctx context.Context, ids *identity.Identity, args []string) (printable, error) {
				installs, err := collect(ids.List(ctx, append(args, "")[0]), tokenInfoOf)
				return tokenInfos{installs}, err
			}),
		create,
		identityCommand(load, "revoke INSTALL", "Revoke an install's token, and close its connections", "windie token revoke INSTALL", cobra.ExactArgs(1),
			func(ctx context.Context, ids *identity.Identity, args []string) (printable, error) {
				return note{"revoked", args[0] + " is revoked"}, ids.Revoke(ctx, args[0])
			}),
	)
	return cmd
}

// tokenInfo is an install, in the output of commands.
type tokenInfo struct {
	InstallID       string    `json:"install_id"`
	UserID          string    `json:"user_id"`
	OperatingSystem string    `json:"operating_system"`
	Created         time.Time `json:"created"`
	LastSeen        time.Time `json:"last_seen,omitzero"`     // absent: never
	Revoked         time.Time `json:"revoked,omitzero"`       // absent: not revoked
	InstallToken    string    `json:"install_token,omitzero"` // only when it is created
}

// tokenInfoOf returns an install without its token, which the database does not have.
func tokenInfoOf(i identity.Install) tokenInfo {
	return tokenInfo{
		InstallID: i.ID, UserID: i.User, OperatingSystem: i.OperatingSystem, Created: i.Created, LastSeen: i.LastSeen, Revoked: i.Revoked,
	}
}

// print prints the user, the install and the new token.
func (t tokenInfo) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "user     %s\ninstall  %s\ntoken    %s\n\nThe token is not shown again.\n", t.UserID, t.InstallID, t.InstallToken)
	return err
}

type tokenInfos struct {
	Installs []tokenInfo `json:"installs"`
}

// print prints a table with the times in UTC.
func (l tokenInfos) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "INSTALL\tUSER\tSYSTEM\tCREATED\tLAST SEEN\tREVOKED")
	for _, t := range l.Installs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", t.InstallID, t.UserID, cmp.Or(t.OperatingSystem, "-"), stamp(t.Created), stamp(t.LastSeen), stamp(t.Revoked))
	}
	return table.Flush()
}
