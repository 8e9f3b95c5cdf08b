//go:build system

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools/author"
)

// What a plugin is built from is listed by the tools of its language.
func TestPluginSBOM(t *testing.T) {
	t.Parallel()
	root := testkit.RepoRoot(t)
	for name, tt := range map[string]struct{ folder, file, want string }{
		"go":             {"units", "main.go", "pkg:golang/std@"},
		"rust":           {"colours", "Cargo.toml", "pkg:cargo/windie-plugin@"},
		"assemblyscript": {"table", "package.json", "pkg:npm/assemblyscript@"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("cargo"); name == "rust" && err != nil {
				testkit.Skip(t, "the program cargo", "make deps-system")
			}
			p, err := author.ProjectIn(filepath.Join(root, "examples", "plugins", tt.folder))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := p.SBOM(t.Context(), tt.folder, "1.0.0", append(os.Environ(), "GOPROXY=off", "CARGO_NET_OFFLINE=true"))
			if err != nil {
				t.Fatal(err)
			}
			var bom struct {
				BomFormat  string
				Components []struct{ PURL string }
			}
			if err := json.Unmarshal(raw, &bom); err != nil || bom.BomFormat != "CycloneDX" || !strings.Contains(string(raw), tt.want) {
				t.Errorf("%v, without %s: %s", err, tt.want, raw)
			}
		})
	}
}
