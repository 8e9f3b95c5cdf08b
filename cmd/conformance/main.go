// Command conformance checks clients of the API against the recorded dialogues, and against broken
// connections. It starts each driver: a program that reads one call per line, in JSON, makes the
// call with a client, and writes the outcome. It compares the client's requests with the dialogues
// of the gateway's own tests. The clients also run against a real gateway with a scripted model,
// while conformance breaks their connections. cmd/conformance/README.md describes the protocol.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/windieos/windie/gateway/testdata"
	"github.com/windieos/windie/internal/test/conformance"
	"github.com/windieos/windie/internal/test/conformance/stage"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
)

const usage = `Usage: go run ./cmd/conformance [FLAGS] DRIVER [ARGUMENTS...] [-- DRIVER [ARGUMENTS...]]...

A number in the table is that of steps that passed. Steps that no typed client can send are left out.

Flags:
`

// errFailed means that a step failed. The report names the step.
var errFailed = errors.New("at least one step failed")

// main exits with 1 if a step failed or if conformance could not run.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errFailed):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// run runs the cases that args select against their drivers, and writes a report to out.
func run(ctx context.Context, args []string, out, help io.Writer) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(help)
	flags.Usage = func() { fmt.Fprint(help, usage); flags.PrintDefaults() }
	asJSON := flags.Bool("json", false, "print JSON")
	only := flags.String("only", "", "run the dialogues and faults whose names match a `PATTERN`, as prompt-*")
	skipped := flags.String("skips", "", "`FILE` that lists what is known not to pass: LANGUAGE | CASE | STEP | REASON; default: what Windie's own clients do not")
	url := flags.String("url", "", "play the dialogues that ask no model against the gateway at `URL`, on a data folder that may be thrown away")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return errors.New("the command that starts the driver is missing; give it after the flags")
	}
	runner, err := newRunner(*only, *skipped, strings.TrimRight(*url, "/"))
	if err != nil {
		return err
	}
	defer func() {
		for _, driver := range runner.Drivers {
			driver.Close()
		}
	}()
	for _, command := range commands(flags.Args()) {
		driver, err := conformance.Start(ctx, command)
		if err != nil {
			return err
		}
		runner.Drivers = append(runner.Drivers, driver)
	}
	cases, err := runner.Run(ctx)
	if err != nil {
		return err
	}
	report := conformance.NewReport(cases, runner.Skips, false)
	if *asJSON {
		err = json.NewEncoder(out).Encode(report)
	} else {
		err = report.Print(out)
	}
	if err == nil && !report.Passed() {
		return errFailed
	}
	return err
}

// newRunner returns a runner of the cases that match only, against its own gateway or the one at
// url.
func newRunner(only, skipped, url string) (*conformance.Runner, error) {
	skips, err := skipsOf(skipped)
	if err != nil {
		return nil, err
	}
	dialogues, err := conformance.ReadDialogues(testdata.Dialogues, only)
	if err != nil {
		return nil, err
	}
	runner := &conformance.Runner{Dialogues: conformance.Plain(dialogues), Faults: conformance.OwnFaults(only), Files: testdata.File, Skips: skips}
	if url != "" {
		runner.Stage, runner.Dialogues, runner.Faults = conformance.Running(url), conformance.WithoutModel(runner.Dialogues), nil
		return runner, nil
	}
	scenes := perception.NewScenes(reader.New(reader.Config{}), perception.Options{})
	runner.Stage = &stage.Stage{Model: commander.Model{}, Scenes: scenes}
	return runner, nil
}

// skipsOf reads a list of skips, or returns that of Windie's own clients if file is empty.
func skipsOf(file string) (conformance.Skips, error) {
	if file == "" {
		return conformance.OwnSkips()
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("-skips: %w", err)
	}
	return conformance.ParseSkips(string(text))
}

// commands splits args at "--".
func commands(args []string) (list [][]string) {
	for len(args) > 0 {
		end := slices.Index(append(args, "--"), "--")
		if end > 0 {
			list = append(list, args[:end])
		}
		args = args[min(end+1, len(args)):]
	}
	return list
}
