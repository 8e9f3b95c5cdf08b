package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/wasmtools/author"
)

func toolBuildCommand(load loader, environ []string) *cobra.Command {
	return &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build the plugin in a folder",
		Long: "Builds the plugin whose source is in DIR (default: here) to DIR/NAME.wasm, NAME being the name of the folder, and checks\n" +
			"that a gateway would take it. The language is told by go.mod, Cargo.toml, package.json, NAME.c or NAME.js.",
		Args: cobra.MaximumNArgs(1),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			p, err := author.ProjectIn(orHere(args))
			if err != nil {
				return err
			}
			built, err := p.Build(cmd.Context(), w, environ, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			p.Summarize(cmd.OutOrStdout(), built)
			return nil
		}),
	}
}
