package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools/author"
)

func toolInspectCommand(load loader) *cobra.Command {
	var grants author.Grants
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Tell what a plugin is, asks for and would get",
		Long: "Prints how FILE talks, what it imports and asks for, what it was not granted with the JSON that would grant it, its\n" +
			"limits, and its tools. To learn of these it is opened, and may do nothing but describe itself. It exits with 1 when the\n" +
			"gateway could not serve it.",
		Args: cobra.ExactArgs(1),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			found, err := w.Inspect(cmd.Context(), args[0], grants)
			if err != nil {
				return err
			}
			if asJSON {
				err = plain.JSON(cmd.OutOrStdout(), found)
			} else {
				err = found.Print(cmd.OutOrStdout())
			}
			if err == nil && found.Problem != "" {
				return silentError(exitFailed)
			}
			return err
		}),
	}
	grantFlags(cmd, &grants)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
