package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/wasmtools/author"
)

func toolBenchCommand(load loader) *cobra.Command {
	var grants author.Grants
	var n int
	cmd := &cobra.Command{
		Use:   "bench FILE TOOL [ARGUMENTS]",
		Short: "Measure calls of a tool, in each isolation",
		Long: "Calls the tool one time after the other, checks and all, and prints how many calls there were, how many a second, the\n" +
			"median and the 99th percentile of their times, and the fuel and memory of one.",
		Args: cobra.RangeArgs(2, 3),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			return w.Bench(cmd.Context(), cmd.OutOrStdout(), args[0], args[1], orEmpty(args), grants, n)
		}),
	}
	grantFlags(cmd, &grants)
	cmd.Flags().IntVarP(&n, "calls", "n", 1000, "calls in each isolation, in five seconds at most")
	return cmd
}
