package author

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/windieos/windie/wasmtools"
)

// component is one component of a plugin, in the format of CycloneDX.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl"`
}

// newComponent returns a library. kind is the type of its package URL, for example "golang".
// version may be empty.
func newComponent(kind, name, version string) component {
	purl := "pkg:" + kind + "/" + strings.ReplaceAll(url.PathEscape(name), "%2F", "/")
	if version != "" {
		purl += "@" + version
	}
	return component{"library", purl, name, version, purl}
}

// SBOM returns the list of the plugin's components in CycloneDX 1.6. It takes the components from
// the output of the language's tools. For a language without such tools it returns nil. The same
// project always gives the same bytes.
func (p *Project) SBOM(ctx context.Context, name, version string, environ []string) ([]byte, error) {
	lists := map[string]func(context.Context, []string) ([]component, error){"go": p.goModules, "rust": p.crates, "assemblyscript": p.npmPackages}
	list := lists[p.name]
	if list == nil {
		return nil, nil
	}
	found, err := list(ctx, environ)
	if err != nil {
		return nil, fmt.Errorf("cannot list the dependencies of %s: %w; give a list with --sbom, or use --sbom none", name, err)
	}
	slices.SortFunc(found, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	found = slices.CompactFunc(found, func(a, b component) bool { return a.Ref == b.Ref })
	raw, err := json.MarshalIndent(map[string]any{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": map[string]string{"type": "application", "bom-ref": name, "name": name, "version": version}},
		"components": append([]component{}, found...),
	}, "", "  ")
	return append(raw, '\n'), err
}

// tool runs a program of the language in the project's folder, and returns its output.
func (p *Project) tool(ctx context.Context, environ []string, program string, args ...string) ([]byte, error) {
	path := FindProgram(environ, program)
	if path == "" {
		return nil, fmt.Errorf("%s is not installed", program)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = p.dir, environ
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %.300s", err, exit.Stderr)
	}
	return out, err
}

// goModules lists the modules of the linked packages.
func (p *Project) goModules(ctx context.Context, environ []string) ([]component, error) {
	environ = append(slices.Clone(environ), "GOOS=wasip1", "GOARCH=wasm")
	out, err := p.tool(ctx, environ, "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", ".")
	if err != nil {
		return nil, err
	}
	std, err := p.tool(ctx, environ, "go", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	found := []component{newComponent("golang", "std", strings.TrimPrefix(strings.TrimSpace(string(std)), "go"))}
	for line := range strings.Lines(string(out)) {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok || path != "" {
			found = append(found, newComponent("golang", path, version))
		}
	}
	return found, nil
}

// crates lists the linked crates.
func (p *Project) crates(ctx context.Context, environ []string) ([]component, error) {
	out, err := p.tool(ctx, environ, "cargo", "metadata", "--format-version", "1", "--filter-platform", "wasm32-unknown-unknown")
	if err != nil {
		return nil, err
	}
	var meta struct {
		Packages []struct{ ID, Name, Version string }
		Resolve  struct{ Root string }
	}
	if err := json.Unmarshal(out, &meta); err != nil {
		return nil, err
	}
	var found []component
	for _, c := range meta.Packages {
		if c.ID != meta.Resolve.Root {
			found = append(found, newComponent("cargo", c.Name, c.Version))
		}
	}
	return found, nil
}

// maxPackageLock limits a package-lock.json, in bytes.
const maxPackageLock = 8 << 20

// npmPackages lists the packages of package-lock.json.
func (p *Project) npmPackages(context.Context, []string) ([]component, error) {
	raw, err := wasmtools.ReadFile(filepath.Join(p.dir, "package-lock.json"), maxPackageLock)
	if err != nil {
		return nil, fmt.Errorf("%w (run npm install to create this file)", err)
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, err
	}
	var found []component
	for at, of := range lock.Packages {
		if i := strings.LastIndex(at, "node_modules/"); i >= 0 {
			found = append(found, newComponent("npm", at[i+len("node_modules/"):], of.Version))
		}
	}
	return found, nil
}
