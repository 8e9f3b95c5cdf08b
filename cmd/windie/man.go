package main

import (
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// manCommand writes manual pages, for packages.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into a folder, one for each command",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // as packages have them
				return err
			}
			header := &doc.GenManHeader{Title: "WINDIE", Section: "1", Source: "Windie " + version, Manual: "Windie"}
			if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil { // https://reproducible-builds.org/specs/source-date-epoch/
				at := time.Unix(seconds, 0).UTC()
				header.Date = &at
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			root.Long = root.Short + ".\n\nA setting is an environment variable or a key in a file, and a flag of every command if it is not a secret: `windie help settings` lists all settings."
			// otherwise each page would list all of them
			root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || isSetting(f) })
			return doc.GenManTree(root, header, args[0])
		},
	}
}
