package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools/author"
)

func toolCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Write, build, inspect, call and test plugins, without a gateway",
		Long: "A plugin is a WebAssembly module, or a script, that brings tools. These commands are for who writes one or is to\n" +
			"judge one. A FILE is a plugin's .wasm or .js, with its manifest NAME.json beside it if it has one.",
	}
	cmd.AddCommand(
		toolNewCommand(),
		toolBuildCommand(load, environ),
		toolInspectCommand(load),
		toolCallCommand(load),
		toolTestCommand(load, environ),
		toolBenchCommand(load),
		toolRuntimeCommand(load, environ),
	)
	return cmd
}

// inWorkshop returns a RunE that opens a workshop with the settings for work.
func inWorkshop(load loader, work func(cmd *cobra.Command, w *author.Workshop, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := load()
		if err != nil {
			return err
		}
		w := author.NewWorkshop(c.pluginHost(newLog(cmd.ErrOrStderr(), c)))
		defer w.Close()
		return plain.Explain(work(cmd, w, args))
	}
}

// grantFlags adds the flags that say what a plugin is granted for the time of a
// command.
func grantFlags(cmd *cobra.Command, g *author.Grants) {
	cmd.Flags().StringVar(&g.File, "grants", "", "operator's `FILE` of grants, of which the plugin gets its own")
	cmd.Flags().StringArrayVar(&g.More, "grant", nil, "grant as `JSON` or @FILE, added to the others; may be repeated")
}

// orHere returns the folder that args name, or this one.
func orHere(args []string) string { return append(args, ".")[0] }

// orEmpty returns the arguments behind FILE and TOOL, or an empty object.
func orEmpty(args []string) string { return append(args, "{}")[2] }
