package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/state/database"
)

// run returns a RunE that loads the settings and calls work.
func (load loader) run(work func(cmd *cobra.Command, c *config, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := load()
		if err != nil {
			return err
		}
		return work(cmd, c, args)
	}
}

// withDatabase returns a RunE that also opens the database of the settings.
func (load loader) withDatabase(work func(cmd *cobra.Command, c *config, db *database.DB, args []string) error) func(*cobra.Command, []string) error {
	return load.run(func(cmd *cobra.Command, c *config, args []string) error {
		db, err := openDatabase(cmd.Context(), c)
		if err == nil {
			defer db.Close()
			err = work(cmd, c, db, args)
		}
		return plain.Explain(err)
	})
}

// printable is the output of a command. Programs get it as JSON.
type printable interface{ print(io.Writer) error }

// printed adds the flag --json to cmd, and returns a function that prints the output.
func printed(cmd *cobra.Command) func(answer printable) error {
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	return func(answer printable) error {
		if *asJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(answer)
		}
		return answer.print(cmd.OutOrStdout())
	}
}
