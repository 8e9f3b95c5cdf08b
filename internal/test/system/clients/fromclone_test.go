//go:build system

package clients_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// installLine finds how a client is installed from a clone, by the program that installs it.
var installLine = regexp.MustCompile(`(?m)^(npm install|pip install|go mod init) .*\.\./windie.*$`)

// installLines are the lines that install the clients, and the pages that have them.
var installLines = map[string]struct {
	line  string
	pages []string
}{
	"typescript": {`npm install "$(npm pack --silent ../windie/sdk/typescript)"`, []string{"README.md", "docs/sdks.md", "examples/clients/README.md", "sdk/typescript/README.md"}},
	"python":     {`pip install ../windie/sdk/python`, []string{"README.md", "docs/sdks.md", "examples/clients/README.md", "sdk/python/README.md"}},
	"go":         {`go mod init hello && go work init . ../windie`, []string{"README.md", "docs/sdks.md"}},
}

// Every page that says how to install a client says it with the lines that TestInstallFromClone runs.
func TestPagesInstallFromClone(t *testing.T) {
	t.Parallel()
	want := map[string][]string{}
	for _, in := range installLines {
		for _, page := range in.pages {
			want[page] = append(want[page], in.line)
		}
	}
	for page, lines := range want {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), page))
			if err != nil {
				t.Fatal(err)
			}
			found := installLine.FindAllString(string(text), -1)
			slices.Sort(found)
			slices.Sort(lines)
			if !slices.Equal(found, lines) {
				t.Errorf("it has the lines %q, want %q", found, lines)
			}
		})
	}
}

// The lines of the pages install the clients in an empty folder beside a clone, and programs there import them. What the
// network would be asked for is taken from what make deps-system has put here.
func TestInstallFromClone(t *testing.T) {
	t.Parallel()
	for language, install := range map[string]func(t *testing.T, line string) string{"typescript": npmFromClone, "python": pipFromClone, "go": goFromClone} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if out := install(t, installLines[language].line); strings.TrimSpace(out) != "imported" {
				t.Errorf("a program that imports the client prints %q, want imported", out)
			}
		})
	}
}

// beside returns a folder of a reader's own, beside what is called windie, the clone.
func beside(t *testing.T) (own, clone string) {
	t.Helper()
	dir := t.TempDir()
	own, clone = filepath.Join(dir, "own"), filepath.Join(dir, "windie")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	return own, clone
}

// npmFromClone takes a copy of the client, as npm builds it where it is.
func npmFromClone(t *testing.T, line string) string {
	own, clone := beside(t)
	bin, node := sdkTools(t), newNode(t)
	client := clonedTypeScript(t, clone)
	if err := os.Symlink(filepath.Dir(bin), filepath.Join(client, "node_modules")); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "npm_config_offline=true", "npm_config_cache="+t.TempDir())
	runIn(t, own, env, "bash", "-euc", line)
	return runIn(t, own, env, node, "--input-type=module", "-e", "import { Windie } from '@windie/sdk'; new Windie(); console.log('imported')")
}

// pipFromClone takes an empty environment, and the wheels of make deps-system.
func pipFromClone(t *testing.T, line string) string {
	own, clone := beside(t)
	bin, _ := pythonTools(t)
	wheels := filepath.Join(filepath.Dir(bin), "wheels")
	if found, _ := filepath.Glob(filepath.Join(wheels, "hatchling-*")); len(found) == 0 {
		testkit.Skip(t, "what builds the Python client", "make deps-system")
	}
	clonedPython(t, clone)
	venv := filepath.Join(own, ".venv")
	runIn(t, own, os.Environ(), filepath.Join(bin, "python"), "-m", "venv", venv)
	env := append(os.Environ(), "PATH="+filepath.Join(venv, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"PIP_NO_INDEX=1", "PIP_FIND_LINKS="+wheels, "PIP_DISABLE_PIP_VERSION_CHECK=1")
	runIn(t, own, env, "bash", "-euc", line)
	return runIn(t, own, env, "bash", "-euc", `python -c "import windie; windie.Windie(); print('imported')"`)
}

// goFromClone takes the repository itself.
func goFromClone(t *testing.T, line string) string {
	own, clone := beside(t)
	if err := os.Symlink(testkit.RepoRoot(t), clone); err != nil {
		t.Fatal(err)
	}
	const program = `package main

import "github.com/windieos/windie/sdk"

func main() {
	if _, err := sdk.New("http://127.0.0.1:8765"); err == nil {
		println("imported")
	}
}
`
	if err := os.WriteFile(filepath.Join(own, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=")
	runIn(t, own, env, "bash", "-euc", line)
	return runIn(t, own, env, "go", "run", ".")
}
