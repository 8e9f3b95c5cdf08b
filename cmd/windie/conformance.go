package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/conformance"
	"github.com/windieos/windie/conformance/stage"
	"github.com/windieos/windie/gateway/testdata"
	"github.com/windieos/windie/models/commander"
)

func conformanceCommand(load loader) *cobra.Command {
	var asJSON bool
	var only, skipped, url string
	cmd := &cobra.Command{
		Use:   "conformance DRIVER-COMMAND...",
		Short: "Hold a client of the API to the recorded dialogues, and to what goes wrong on the way",
		Long: "Starts DRIVER-COMMAND, a program that makes calls with a client: it reads a line of JSON for each call and writes what came\n" +
			"of it. Its requests are compared with the dialogues that the gateway's own tests have, against a real gateway whose model\n" +
			"answers by a script, and its connections are broken. Several drivers are separated by an argument \"--\". docs/conformance.md\n" +
			"has the protocol.\n\n" +
			"A number in the table is that of steps that passed. Steps that no typed client can send are left out.",
		Args: cobra.MinimumNArgs(1),
		RunE: load.run(func(cmd *cobra.Command, c *config, args []string) error {
			skips, err := skipsOf(skipped)
			if err != nil {
				return err
			}
			dialogues, err := conformance.ReadDialogues(testdata.Dialogues, only)
			if err != nil {
				return err
			}
			runner := conformance.Runner{Dialogues: conformance.Plain(dialogues), Faults: conformance.OwnFaults(only), Files: testdata.File, Skips: skips}
			if url != "" {
				runner.Stage, runner.Dialogues, runner.Faults = conformance.Running(strings.TrimRight(url, "/")), conformance.WithoutModel(runner.Dialogues), nil
			} else {
				runner.Stage = &stage.Stage{Model: commander.Model{}, Scenes: newScenes(c, nil, pools{})}
			}
			for _, command := range driverCommands(args, cmd.ArgsLenAtDash()) {
				driver, err := conformance.Start(cmd.Context(), command)
				if err != nil {
					return err
				}
				defer driver.Close()
				runner.Drivers = append(runner.Drivers, driver)
			}
			return reportConformance(cmd, &runner, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&only, "only", "", "run the dialogues and faults whose names match a pattern, as prompt-*")
	cmd.Flags().StringVar(&skipped, "skips", "", "file that lists what is known not to pass: LANGUAGE | CASE | STEP | REASON; default: what Windie's own clients do not")
	cmd.Flags().StringVar(&url, "url", "", "play the dialogues that ask no model against a gateway that runs, on a data folder that may be thrown away")
	return cmd
}

// skipsOf reads a list of skips; that of Windie's own clients if there is no file.
func skipsOf(file string) (conformance.Skips, error) {
	if file == "" {
		return conformance.OwnSkips()
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, wrongArgument("--skips: %v", err)
	}
	return conformance.ParseSkips(string(text))
}

// driverCommands splits arguments at "--". The first is left out of args; it stood at dashAt, or nowhere if that is -1.
func driverCommands(args []string, dashAt int) (commands [][]string) {
	var command []string
	all := slices.Clone(args)
	if dashAt > 0 {
		all = slices.Insert(all, dashAt, "--")
	}
	for _, arg := range append(all, "--") {
		if arg != "--" {
			command = append(command, arg)
			continue
		}
		if len(command) > 0 {
			commands = append(commands, command)
		}
		command = nil
	}
	return commands
}

// reportConformance runs the cases and prints what came of them. It fails if one did not pass.
func reportConformance(cmd *cobra.Command, runner *conformance.Runner, asJSON bool) error {
	cases, err := runner.Run(cmd.Context())
	if err != nil {
		return err
	}
	report := conformance.NewReport(cases, runner.Skips, false)
	if asJSON {
		err = writeJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.Print(cmd.OutOrStdout())
	}
	if err == nil && !report.Passed() {
		return silentError(exitFailed)
	}
	return err
}
