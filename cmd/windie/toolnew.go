package main

import (
	"github.com/spf13/cobra"

	"github.com/windieos/windie/wasmtools/author"
)

func toolNewCommand() *cobra.Command {
	var kit string
	cmd := &cobra.Command{
		Use:   "new LANGUAGE NAME",
		Short: "Make a folder with a small plugin to start from",
		Long: "Makes a folder NAME with a plugin of one tool, its manifest, its tests and the kit of the language: " + author.Languages() + ".\n" +
			"NAME is a lower case letter, then up to 31 letters, digits and _.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := author.NewStarter(args[0], args[1], kit)
			if err != nil {
				return err
			}
			if err := s.Make(); err != nil {
				return err
			}
			s.Greet(cmd.OutOrStdout())
			return nil
		},
	}
	cmd.Flags().StringVar(&kit, "kit", "", "for go: use the kit in this copy of Windie's repository, `DIR`, in place of a published one")
	return cmd
}
