package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools"
)

func toolBuildCommand(load loader, environ []string) *cobra.Command {
	return &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build the plugin in a folder",
		Long: "Builds the plugin whose source is in DIR (default: here) to DIR/NAME.wasm, NAME being the name of the folder, and checks\n" +
			"that a gateway would take it. The language is told by go.mod, Cargo.toml, package.json, NAME.c or NAME.js.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			p, err := projectIn(orHere(args))
			if err != nil {
				return err
			}
			a, err := p.build(cmd, c, environ)
			if err != nil {
				return told(err)
			}
			summarize(cmd.OutOrStdout(), p, a)
			return nil
		},
	}
}

func orHere(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// build builds the project and has a gateway's rules look at the outcome.
func (p *project) build(cmd *cobra.Command, c *config, environ []string) (*wasmtools.Admission, error) {
	ctx := cmd.Context()
	if err := p.compile(ctx, environ, cmd.ErrOrStderr()); err != nil {
		return nil, err
	}
	src, err := wasmtools.ReadSource(p.file())
	if err != nil {
		return nil, err
	}
	w := newWorkshop(cmd, c)
	defer w.close()
	open, err := w.open(ctx, src, wasmtools.Grant{}, nil)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	return &open.Admission, nil
}

// compile runs the language's command. What it says goes to w.
func (p *project) compile(ctx context.Context, environ []string, w io.Writer) error {
	if p.command == "" {
		return nil
	}
	if err := p.check(ctx, environ); err != nil {
		return err
	}
	line := named(p.command, p.plugin)
	fmt.Fprintln(w, "+", line)
	build := exec.CommandContext(ctx, "sh", "-c", line)
	build.Dir, build.Env, build.Stdout, build.Stderr = p.dir, environ, w, w
	if err := build.Run(); err != nil {
		return fmt.Errorf("the build failed: %w", err)
	}
	return nil
}

// summarize tells what was built.
func summarize(w io.Writer, p *project, a *wasmtools.Admission) {
	fmt.Fprintf(w, "%s: %s, %s, %s\n", p.file(), size(int64(a.Bytes)), a.ABI, a.Isolation)
	for _, warning := range a.Warnings {
		fmt.Fprintln(w, "warning:", plain.Text(warning))
	}
	for _, d := range a.Denied {
		fmt.Fprintf(w, "asks for %s %s\n", d.Permission, plain.Text(string(d.Wish)))
	}
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
