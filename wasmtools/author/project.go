package author

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools"
)

// Project is a folder with the source of a plugin.
type Project struct {
	language
	dir, plugin string
	Debug       bool // true: the build includes the names of functions, which a trace shows
}

// ProjectIn returns the project in the folder dir.
func ProjectIn(dir string) (*Project, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	name, err := wasmtools.NameOf(filepath.Base(dir), wasmtools.Manifest{})
	if err != nil || name != filepath.Base(dir) {
		return nil, fmt.Errorf("the name of the folder %s is not a valid name for a plugin; expected a lower case letter, then up to 31 letters, digits and _", filepath.Base(dir))
	}
	for _, l := range languages {
		for _, mark := range l.marks {
			if _, err := os.Stat(filepath.Join(dir, named(mark, name))); err == nil {
				return &Project{language: l, dir: dir, plugin: name}, nil
			}
		}
	}
	return nil, fmt.Errorf("%s has nothing to build: expected go.mod, Cargo.toml, package.json, %[2]s.c, %[2]s.js or %[2]s.wasm", dir, name)
}

// named replaces NAME in text with a plugin's name.
func named(text, name string) string { return strings.ReplaceAll(text, "NAME", name) }

// Language returns the name of the language that the plugin is written in.
func (p *Project) Language() string { return p.name }

// file returns the path of the file that a gateway loads.
func (p *Project) file() string {
	if p.command == "" && p.name != program {
		return filepath.Join(p.dir, p.plugin+".js")
	}
	return filepath.Join(p.dir, p.plugin+".wasm")
}

// Build compiles the project, opens the compiled plugin in w, and returns the report on the plugin.
// log gets the messages of the compiler.
func (p *Project) Build(ctx context.Context, w *Workshop, environ []string, log io.Writer) (*wasmtools.Admission, error) {
	if err := p.compile(ctx, environ, log); err != nil {
		return nil, err
	}
	src, err := wasmtools.ReadSource(p.file(), w.cfg.ModuleBytes)
	if err != nil {
		return nil, err
	}
	open, err := w.open(ctx, src, wasmtools.Grant{})
	if err != nil {
		return nil, err
	}
	defer open.Close()
	return &open.Admission, nil
}

// compile runs the language's build command, and writes its output to w.
func (p *Project) compile(ctx context.Context, environ []string, w io.Writer) error {
	if p.command == "" {
		return nil
	}
	if err := p.lacks(ctx, p.dir, environ); err != nil {
		return err
	}
	line := named(p.command, p.plugin)
	if p.Debug {
		line = named(p.debug, p.plugin)
	}
	fmt.Fprintln(w, "+", line)
	build := exec.CommandContext(ctx, "sh", "-c", line)
	build.Dir, build.Env, build.Stdout, build.Stderr = p.dir, environ, w, w
	if err := build.Run(); err != nil {
		return fmt.Errorf("the build failed: %w", err)
	}
	return nil
}

// Summarize prints the result of a build to w.
func (p *Project) Summarize(w io.Writer, a *wasmtools.Admission) {
	fmt.Fprintf(w, "%s: %s, %s, %s\n", p.file(), size(int64(a.Bytes)), a.ABI, a.Isolation)
	for _, warning := range a.Warnings {
		fmt.Fprintln(w, "warning:", plain.Text(warning))
	}
	for _, d := range a.Denied {
		fmt.Fprintf(w, "asks for %s %s\n", d.Permission, plain.Text(string(d.Wish)))
	}
}

// size formats a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
