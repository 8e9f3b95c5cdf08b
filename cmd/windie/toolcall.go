package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/wasmtools/author"
)

func toolCallCommand(load loader) *cobra.Command {
	var call author.Calling
	cmd := &cobra.Command{
		Use:   "call FILE TOOL [ARGUMENTS]",
		Short: "Call a tool of a plugin",
		Long: "Opens FILE and calls its tool TOOL with ARGUMENTS, a JSON object or @FILE, as the gateway would. The answer is printed,\n" +
			"and what it took to standard error. It exits with 1 when the tool fails.\n" +
			"--record writes down all that the plugin asked for outside and what it got; --replay answers it from there.",
		Args: cobra.RangeArgs(2, 3),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			call.File, call.Tool, call.Arguments = args[0], args[1], orEmpty(args)
			return w.Call(cmd.Context(), call, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	grantFlags(cmd, &call.Grants)
	cmd.Flags().StringVar(&call.Record, "record", "", "write what the plugin asks for and gets to `FILE`")
	cmd.Flags().StringVar(&call.Replay, "replay", "", "answer the plugin from the recording in `FILE`, and touch nothing else")
	cmd.Flags().StringVar(&call.User, "user", "", "on whose behalf")
	cmd.Flags().StringVar(&call.Image, "out", "", "write the answer's first image to `FILE`")
	cmd.MarkFlagsMutuallyExclusive("record", "replay")
	return cmd
}
