package author

import (
	"context"
	"fmt"
	"io"
	"os/exec"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools"
)

// Build compiles the project and opens the plugin that comes of it, as a gateway
// would. What the compiler says goes to progress.
func (p *Project) Build(ctx context.Context, w *Workshop, environ []string, progress io.Writer) (*wasmtools.Admission, error) {
	if err := p.compile(ctx, environ, progress); err != nil {
		return nil, err
	}
	src, err := wasmtools.ReadSource(p.file())
	if err != nil {
		return nil, err
	}
	open, err := w.open(ctx, src, wasmtools.Grant{}, nil)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	return &open.Admission, nil
}

// compile runs the language's command, whose output goes to w.
func (p *Project) compile(ctx context.Context, environ []string, w io.Writer) error {
	if p.command == "" {
		return nil
	}
	if err := p.lacks(ctx, p.dir, environ); err != nil {
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

// Summarize prints what was built.
func (p *Project) Summarize(w io.Writer, a *wasmtools.Admission) {
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
