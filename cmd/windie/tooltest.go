package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/wasmtools/author"
)

func toolTestCommand(load loader, environ []string) *cobra.Command {
	var grants author.Grants
	cmd := &cobra.Command{
		Use:   "test [DIR]",
		Short: "Build the plugin in a folder, and call its tools as its test file says",
		Long: "Builds the plugin in DIR (default: here) and runs the cases of DIR/NAME.test.json, a list of\n\n" +
			`  {"tool": "count", "arguments": {"text": "one two"}, "want": {"words": 2}}` + "\n" +
			`  {"tool": "count", "arguments": {}, "error": "arguments.text"}` + "\n\n" +
			"Want is a part of the structured answer: fields that it does not name may be anything. A text is a part of the answer's\n" +
			"text. Error is a part of what the tool says when it fails. With \"replay\" the plugin is answered from that recording,\n" +
			"which `windie tool call --record` makes, and needs no grant.",
		Args: cobra.MaximumNArgs(1),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			p, err := author.ProjectIn(orHere(args))
			if err != nil {
				return err
			}
			failed, err := p.Test(cmd.Context(), w, grants, environ, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if err == nil && failed > 0 {
				return silentError(exitFailed)
			}
			return err
		}),
	}
	grantFlags(cmd, &grants)
	return cmd
}
