package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
)

func toolCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Write, build, inspect, call and test plugins, without a gateway",
		Long: "A plugin is a WebAssembly module, or a script, that brings tools. These commands are for people who write or judge\n" +
			"one. A FILE is a plugin's .wasm or .js, with its manifest NAME.json beside it if it has one.",
	}
	cmd.AddCommand(
		toolNewCommand(load, environ),
		toolBuildCommand(load, environ),
		toolInspectCommand(load),
		toolCallCommand(load),
		toolTestCommand(load, environ),
		toolBenchCommand(load),
		toolRuntimeCommand(load, environ),
	)
	return cmd
}

// inWorkshop returns a RunE that opens a workshop with the settings and calls work.
func inWorkshop(load loader, work func(cmd *cobra.Command, w *author.Workshop, args []string) error) func(*cobra.Command, []string) error {
	return load.run(func(cmd *cobra.Command, c *config, args []string) error {
		w := author.NewWorkshop(c.pluginHost(newLog(cmd.ErrOrStderr(), c)), storesOf)
		defer w.Close()
		return plain.Explain(work(cmd, w, args))
	})
}

// grantFlags adds the flags for grants that last for the command.
func grantFlags(cmd *cobra.Command, g *author.Grants) {
	cmd.Flags().StringVar(&g.File, "grants", "", "operator's `FILE` of grants, of which the plugin gets its own")
	cmd.Flags().StringArrayVar(&g.More, "grant", nil, "grant as `JSON` or @FILE, added to the others; may be repeated")
}

// dirArg returns the folder in args, or the current one.
func dirArg(args []string) string { return append(args, ".")[0] }

// jsonArg returns the arguments after FILE and TOOL, or an empty object.
func jsonArg(args []string) string { return append(args, "{}")[2] }

func toolNewCommand(load loader, environ []string) *cobra.Command {
	var kit author.Kit
	cmd := &cobra.Command{
		Use:   "new LANGUAGE NAME",
		Short: "Make a folder with a small plugin to start from",
		Long: "Makes a folder NAME with a plugin of one tool, its manifest, its tests and the kit of the language: " + author.Languages() + ".\n" +
			"NAME is a lower case letter, then up to 31 letters, digits and _.",
		Args: cobra.ExactArgs(2),
		RunE: load.run(func(cmd *cobra.Command, c *config, args []string) error {
			kit.Published = isRelease(version)
			if args[0] == "go" && kit.Dir == "" && !kit.Published {
				kit.Dir = author.Checkout(placesOfCheckout()...)
			}
			s, err := author.NewStarter(args[0], args[1], kit)
			if err != nil {
				return err
			}
			if err := s.Make(); err != nil {
				return err
			}
			var first []string
			if _, err := os.Stat(c.scriptRuntime()); err != nil && args[0] == "js" {
				first = []string{"tool runtime add"}
			}
			s.Greet(cmd.OutOrStdout(), howToCall(environ), first...)
			return nil
		}),
	}
	cmd.Flags().StringVar(&kit.Dir, "kit", "", "for go: use the kit in this copy of Windie's repository, `DIR`; default: the published one, or before there is one the copy that you are in")
	return cmd
}

var releasePattern = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// isRelease reports whether a version is a published release.
func isRelease(version string) bool { return releasePattern.MatchString(version) }

// placesOfCheckout lists folders that may be in a copy of the repository: the current one, and that
// of the program.
func placesOfCheckout() (places []string) {
	if here, err := os.Getwd(); err == nil {
		places = append(places, here)
	}
	if program, err := os.Executable(); err == nil {
		places = append(places, filepath.Dir(program))
	}
	return places
}

// howToCall returns how a shell with these variables calls this program from any folder: windie, if
// that runs this program, or else its path.
func howToCall(environ []string) string {
	program, err := os.Executable()
	if err != nil {
		return "windie"
	}
	mine, err := os.Stat(program)
	if err != nil {
		return "windie"
	}
	if found, err := os.Stat(author.FindProgram(environ, "windie")); err == nil && os.SameFile(mine, found) {
		return "windie"
	}
	return author.Quoted(program)
}

func toolBuildCommand(load loader, environ []string) *cobra.Command {
	debug := false
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build the plugin in a folder",
		Long: "Builds the plugin whose source is in DIR (default: here) to DIR/NAME.wasm, NAME being the name of the folder, and checks\n" +
			"that a gateway would take it. The language is that of go.mod, Cargo.toml, package.json, NAME.c or NAME.js.\n" +
			"With --debug it keeps the names of its functions, and windie tool call says in which of them a call failed.",
		Args: cobra.MaximumNArgs(1),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			p, err := author.ProjectIn(dirArg(args))
			if err != nil {
				return err
			}
			p.Debug = debug
			built, err := building(cmd, "building "+plain.Text(dirArg(args)), func(ctx context.Context, said io.Writer) (*wasmtools.Admission, error) {
				return p.Build(ctx, w, environ, said)
			})
			if err != nil {
				return err
			}
			p.Summarize(cmd.OutOrStdout(), built)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&debug, "debug", false, "keep the names of functions: the file is larger")
	return cmd
}

// building shows progress on a terminal, and afterwards the output of the programs. Elsewhere it
// shows the output at once.
func building[T any](cmd *cobra.Command, what string, work func(ctx context.Context, said io.Writer) (T, error)) (T, error) {
	errs := cmd.ErrOrStderr()
	if !plain.IsTerminal(errs) {
		return work(cmd.Context(), errs)
	}
	var said bytes.Buffer
	ctx, shown := progress.Show(cmd.Context(), errs, what)
	made, err := work(ctx, &said)
	shown()
	_, _ = said.WriteTo(errs)
	return made, err
}

func toolInspectCommand(load loader) *cobra.Command {
	var grants author.Grants
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Print what a plugin is, asks for and would get",
		Long: "Prints how FILE talks, what it imports and asks for, what it was not granted with the JSON that would grant it, its\n" +
			"limits, and its tools. To learn of these it is opened, and may do nothing but describe itself. It exits with 1 when the\n" +
			"gateway could not serve it.",
		Args: cobra.ExactArgs(1),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			found, err := w.Inspect(cmd.Context(), args[0], grants)
			if err != nil {
				return err
			}
			if asJSON {
				err = plain.JSON(cmd.OutOrStdout(), found)
			} else {
				err = found.Print(cmd.OutOrStdout())
			}
			if err == nil && found.Problem != "" {
				return silentError(exitFailed)
			}
			return err
		}),
	}
	grantFlags(cmd, &grants)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func toolCallCommand(load loader) *cobra.Command {
	var call author.Calling
	cmd := &cobra.Command{
		Use:   "call FILE TOOL [ARGUMENTS]",
		Short: "Call a tool of a plugin",
		Long: "Opens FILE and calls its tool TOOL with ARGUMENTS, a JSON object or @FILE, as the gateway would. The answer is printed,\n" +
			"and what it took to standard error. It exits with 1 when the tool fails.",
		Args: cobra.RangeArgs(2, 3),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			call.File, call.Tool, call.Arguments = args[0], args[1], jsonArg(args)
			return w.Call(cmd.Context(), call, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	grantFlags(cmd, &call.Grants)
	cmd.Flags().StringVar(&call.User, "user", "", "on whose behalf")
	cmd.Flags().StringVar(&call.Image, "out", "", "write the answer's first image to `FILE`")
	return cmd
}

func toolTestCommand(load loader, environ []string) *cobra.Command {
	how := author.Testing{Environ: environ}
	cmd := &cobra.Command{
		Use:   "test [DIR]",
		Short: "Build the plugin in a folder, and call its tools as its test file says",
		Long: "Builds the plugin in DIR (default: here) and runs the cases of DIR/NAME.test.json, a list of\n\n" +
			`  {"tool": "count", "arguments": {"text": "one two"}, "want": {"words": 2}}` + "\n" +
			`  {"tool": "count", "arguments": {}, "error": "arguments.text"}` + "\n\n" +
			"Want is a part of the structured answer: fields that it does not name may be anything. A text is a part of the answer's\n" +
			"text. Error is a part of what the tool says when it fails.",
		Args: cobra.MaximumNArgs(1),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			p, err := author.ProjectIn(dirArg(args))
			if err != nil {
				return err
			}
			how.Out, how.Progress = cmd.OutOrStdout(), cmd.ErrOrStderr()
			failed, err := p.Test(cmd.Context(), w, how)
			if err == nil && failed > 0 {
				return silentError(exitFailed)
			}
			return err
		}),
	}
	grantFlags(cmd, &how.Grants)
	return cmd
}

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
			ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "opening "+plain.Text(args[0]))
			defer shown()
			return w.Bench(ctx, cmd.OutOrStdout(), args[0], args[1], jsonArg(args), grants, n)
		}),
	}
	grantFlags(cmd, &grants)
	cmd.Flags().IntVarP(&n, "calls", "n", 1000, "calls in each isolation, in five seconds at most")
	return cmd
}

func toolRuntimeCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runtime",
		Short: "Print whether the runtime for plugins in JavaScript is there",
		Args:  cobra.NoArgs,
		RunE: load.run(func(cmd *cobra.Command, c *config, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), author.RuntimeNote(c.scriptRuntime()))
			if _, err := os.Stat(c.scriptRuntime()); err != nil {
				return silentError(exitFailed)
			}
			return nil
		}),
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
		RunE: load.run(func(cmd *cobra.Command, c *config, _ []string) error {
			ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "fetching "+author.RuntimeOrigin)
			err := author.AddRuntime(ctx, c.scriptRuntime(), file, environ)
			shown()
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), author.RuntimeNote(c.scriptRuntime()))
			return nil
		}),
	}
	cmd.Flags().StringVar(&file, "file", "", "take it from `FILE` in place of fetching it")
	return cmd
}
