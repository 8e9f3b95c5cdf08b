package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/wasmtools/author"
)

func toolRuntimeCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runtime",
		Short: "Tell whether the runtime for plugins in JavaScript is there",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), author.RuntimeNote(c.scriptRuntime()))
			if _, err := os.Stat(c.scriptRuntime()); err != nil {
				return silentError(exitFailed)
			}
			return nil
		},
	}
	cmd.AddCommand(runtimeAddCommand(load, environ))
	return cmd
}

func runtimeAddCommand(load loader, environ []string) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Put the runtime for plugins in JavaScript in place",
		Long: "Fetches QuickJS, as npm's package " + author.RuntimeOrigin + " has it, with `npm pack`, and puts it where the setting\n" +
			"plugins.script_runtime says. Without a network, give the file quickjs.wasm of that package with --file.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			if err := author.AddRuntime(cmd.Context(), c.scriptRuntime(), file, environ); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), author.RuntimeNote(c.scriptRuntime()))
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "take it from `FILE` in place of fetching it")
	return cmd
}
