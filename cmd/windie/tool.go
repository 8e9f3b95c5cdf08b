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

// toolCommand returns `windie tool`, which only groups its subcommands.
func toolCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Write, build, inspect, call and test plugins, without a gateway",
		Long: "A plugin is a WebAssembly module, or a script, with tools. These commands are for people who write\n" +
			"or review plugins. FILE is a plugin's .wasm or .js. If the plugin has a manifest, it is NAME.json\n" +
			"in the same folder.",
		Example: "  windie tool new js hello\n  windie tool test hello",
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
	cmd.Flags().StringVar(&g.File, "grants", "", "`FILE` with the operator's grants; the plugin gets only its own grant")
	cmd.Flags().StringArrayVar(&g.More, "grant", nil, "additional grant, as `JSON` or @FILE; can be repeated")
}

// dirArg returns the folder in args, or the current one.
func dirArg(args []string) string { return append(args, ".")[0] }

// jsonArg returns the arguments after FILE and TOOL, or an empty object.
func jsonArg(args []string) string { return append(args, "{}")[2] }

// toolNewCommand returns `windie tool new`. It fails if the folder NAME exists.
func toolNewCommand(load loader, environ []string) *cobra.Command {
	var kit author.Kit
	cmd := &cobra.Command{
		Use:   "new LANGUAGE NAME",
		Short: "Create a folder with a small plugin",
		Long: "The folder NAME contains a plugin with one tool, its manifest, its tests and the kit of the\n" +
			"language. LANGUAGE is one of: " + author.Languages() + ". NAME is a lower-case letter, followed by at\n" +
			"most 31 lower-case letters, digits or _.",
		Example: "  windie tool new js hello\n  windie tool new go hello --kit ~/windie",
		Args:    cobra.ExactArgs(2),
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
	cmd.Flags().StringVar(&kit.Dir, "kit", "", "for go: use the kit in `DIR`, a clone of Windie's repository (default: the published kit, or, if this windie is not a release, the clone that contains the current folder)")
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

// toolBuildCommand returns `windie tool build`. It prints the output of compilers to standard
// error.
func toolBuildCommand(load loader, environ []string) *cobra.Command {
	debug := false
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build the plugin in a folder",
		Long: "The command builds the source in DIR (default the current folder) and checks that a gateway would\n" +
			"accept the result. The result is DIR/NAME.wasm: NAME is the name of the folder. The command\n" +
			"recognizes the language by go.mod, Cargo.toml, package.json, NAME.c or NAME.js. With --debug, the\n" +
			"file keeps the names of functions, so that `windie tool call` can show in which function a call\n" +
			"failed.",
		Example: "  windie tool build\n  windie tool build hello --debug",
		Args:    cobra.MaximumNArgs(1),
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
	cmd.Flags().BoolVar(&debug, "debug", false, "keep the names of functions in the file, which makes it larger")
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

// toolInspectCommand returns `windie tool inspect`. The exit code is 1 if a gateway could not serve
// the plugin.
func toolInspectCommand(load loader) *cobra.Command {
	var grants author.Grants
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Print a plugin's interface, permissions and tools",
		Long: "The command prints FILE's interface, imports, requested permissions, limits and tools. If\n" +
			"permissions are missing, it also prints a grant as JSON. The command starts the plugin to get its\n" +
			"description, but calls no tool. The exit code is 1 if the gateway could not serve the plugin.",
		Example: "  windie tool inspect hello/hello.js",
		Args:    cobra.ExactArgs(1),
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

// toolCallCommand returns `windie tool call`. It prints the cost of the call to standard error, so
// that standard output has only the answer.
func toolCallCommand(load loader) *cobra.Command {
	var call author.Calling
	cmd := &cobra.Command{
		Use:   "call FILE TOOL [ARGUMENTS]",
		Short: "Call a tool of a plugin",
		Long: "The command opens FILE and calls TOOL as the gateway would. ARGUMENTS is a JSON object or @FILE.\n" +
			"The command prints the answer. It prints the cost of the call to standard error. The exit code is\n" +
			"1 if the tool fails.",
		Example: "  windie tool call words/words.wasm count '{\"text\": \"one two\"}'\n  windie tool call words/words.wasm count @arguments.json",
		Args:    cobra.RangeArgs(2, 3),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			call.File, call.Tool, call.Arguments = args[0], args[1], jsonArg(args)
			return w.Call(cmd.Context(), call, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	grantFlags(cmd, &call.Grants)
	cmd.Flags().StringVar(&call.User, "user", "", "`USER` who calls the tool")
	cmd.Flags().StringVar(&call.Image, "out", "", "write the first image of the answer to `FILE`")
	return cmd
}

// toolTestCommand returns `windie tool test`. The exit code is 1 if a case fails.
func toolTestCommand(load loader, environ []string) *cobra.Command {
	how := author.Testing{Environ: environ}
	cmd := &cobra.Command{
		Use:   "test [DIR]",
		Short: "Build the plugin in a folder, and run its tests",
		Long: "The command builds the plugin in DIR (default the current folder) and runs the cases in\n" +
			"DIR/NAME.test.json, for example:\n\n" +
			"  {\"tool\": \"count\", \"arguments\": {\"text\": \"one two\"}, \"want\": {\"words\": 2}}\n" +
			"  {\"tool\": \"count\", \"arguments\": {}, \"error\": \"arguments.text\"}\n\n" +
			"The file is a JSON list. \"want\" is a part of the structured answer: other fields may have any\n" +
			"value. \"text\" is a part of the answer's text. \"error\" is a part of the tool's error message.",
		Example: "  windie tool test\n  windie tool test words",
		Args:    cobra.MaximumNArgs(1),
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

// toolBenchCommand returns `windie tool bench`. A mode ends after --calls calls or five seconds,
// whichever comes first.
func toolBenchCommand(load loader) *cobra.Command {
	var grants author.Grants
	var n int
	cmd := &cobra.Command{
		Use:   "bench FILE TOOL [ARGUMENTS]",
		Short: "Measure how long the calls of a tool take in each isolation mode",
		Long: "The command makes the calls one after another, with all checks of a gateway. It prints the number\n" +
			"of calls, the calls per second, the median and the 99th percentile of the time, and the fuel and\n" +
			"memory of one call.",
		Example: "  windie tool bench words/words.wasm count '{\"text\": \"one two\"}'",
		Args:    cobra.RangeArgs(2, 3),
		RunE: inWorkshop(load, func(cmd *cobra.Command, w *author.Workshop, args []string) error {
			ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "opening "+plain.Text(args[0]))
			defer shown()
			return w.Bench(ctx, cmd.OutOrStdout(), args[0], args[1], jsonArg(args), grants, n)
		}),
	}
	grantFlags(cmd, &grants)
	cmd.Flags().IntVarP(&n, "calls", "n", 1000, "make `N` calls in each isolation mode, for at most five seconds per mode")
	return cmd
}

// toolRuntimeCommand returns `windie tool runtime`. The exit code is 1 if the runtime is missing.
func toolRuntimeCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "runtime",
		Short:   "Show whether the JavaScript runtime for plugins is installed",
		Example: "  windie tool runtime\n  windie tool runtime add",
		Args:    cobra.NoArgs,
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

// runtimeAddCommand returns `windie tool runtime add`, which replaces an installed runtime.
func runtimeAddCommand(load loader, environ []string) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Install the JavaScript runtime for plugins",
		Long: "The command downloads QuickJS, from npm's package " + author.RuntimeOrigin + ", with `npm pack`. It\n" +
			"stores the runtime at the path of the setting plugins.script_runtime. Without a network, set\n" +
			"--file to the file quickjs.wasm from that package.",
		Example: "  windie tool runtime add\n  windie tool runtime add --file quickjs.wasm",
		Args:    cobra.NoArgs,
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
	cmd.Flags().StringVar(&file, "file", "", "install from `FILE` instead of downloading")
	return cmd
}
