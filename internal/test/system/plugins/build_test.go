//go:build system

package plugins_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// workshop is a copy of what plugins are built of, where it lies in the
// repository: builds leave nothing behind there.
var workshop struct {
	once sync.Once
	dir  string
	err  error
}

// probes is the folder of the kits' probes.
const probes = "internal/test/system/plugins/testdata"

func TestMain(m *testing.M) {
	code := m.Run()
	if workshop.dir != "" {
		_ = os.RemoveAll(workshop.dir)
	}
	os.Exit(code)
}

// bench returns a folder of the workshop, by its path in the repository.
func bench(t testing.TB, folder string) string {
	t.Helper()
	root := testkit.RepoRoot(t)
	workshop.once.Do(func() {
		if workshop.dir, workshop.err = os.MkdirTemp("", "windie-plugins-"); workshop.err != nil {
			return
		}
		for _, name := range []string{"go.mod", "go.sum", "sdk/plugin", "examples/plugins", probes} {
			workshop.err = errors.Join(workshop.err, copyTree(filepath.Join(workshop.dir, name), filepath.Join(root, name)))
		}
	})
	if workshop.err != nil {
		t.Fatal(workshop.err)
	}
	return filepath.Join(workshop.dir, folder)
}

// copyTree copies a file, or a folder without what builds left there.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(name, from))
		switch {
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "target"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case filepath.Ext(name) == ".wasm":
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}

// toolchain is what a language is built with.
type toolchain struct {
	ready func(t testing.TB, folder string) (env []string) // skips the test where it is missing
}

var (
	goTools = toolchain{func(testing.TB, string) []string { return []string{"GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off"} }}
	cTools  = toolchain{needC}
	rust    = toolchain{needRust}
	script  = toolchain{needAssemblyScript}
)

const howToGet = "scripts/deps.sh all"

func needC(t testing.TB, _ string) []string {
	t.Helper()
	for _, program := range []string{"clang", "wasm-ld"} {
		if _, err := exec.LookPath(program); err != nil {
			testkit.Skip(t, program, howToGet)
		}
	}
	return nil
}

// needRust finds a Rust that compiles to WebAssembly: the first on the path,
// or the system's, where that is another one without the target.
func needRust(t testing.TB, _ string) []string {
	t.Helper()
	for _, rustc := range []string{"rustc", "/usr/bin/rustc"} {
		path, err := exec.LookPath(rustc)
		if err != nil {
			continue
		}
		lib, err := exec.CommandContext(t.Context(), path, "--print", "target-libdir", "--target", "wasm32-unknown-unknown").Output()
		if err != nil {
			continue
		}
		if _, err := os.Stat(strings.TrimSpace(string(lib))); err != nil {
			continue
		}
		if _, err := exec.LookPath(filepath.Join(filepath.Dir(path), "cargo")); err != nil {
			continue
		}
		return []string{"PATH=" + filepath.Dir(path) + string(os.PathListSeparator) + os.Getenv("PATH"), "CARGO_NET_OFFLINE=true", "CARGO_TARGET_DIR=target"}
	}
	testkit.Skip(t, "a Rust with the target wasm32-unknown-unknown", howToGet)
	return nil
}

// needAssemblyScript lays the compiler that deps.sh fetched beside the source.
func needAssemblyScript(t testing.TB, folder string) []string {
	t.Helper()
	modules := filepath.Join(testkit.RepoRoot(t), ".tools", "assemblyscript", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, ".bin", "asc")); err != nil {
		testkit.Skip(t, "AssemblyScript", howToGet)
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return []string{"npm_config_offline=true"}
}

// built keeps the modules, by their folder, so that each is built once.
var built sync.Map

type module struct {
	once sync.Once
	wasm []byte
}

// build runs a command in a folder of the workshop and returns the module
// that it made there.
func build(t testing.TB, with toolchain, folder, command, output string) []byte {
	t.Helper()
	dir := bench(t, folder)
	env := with.ready(t, dir)
	kept, _ := built.LoadOrStore(folder, &module{})
	m := kept.(*module)
	m.once.Do(func() {
		shell(t, dir, env, command)
		m.wasm, _ = os.ReadFile(filepath.Join(dir, output)) // its lack is reported below
	})
	if m.wasm == nil {
		t.Fatalf("%s was not built", folder)
	}
	return m.wasm
}

// shell runs a command in a folder.
func shell(t testing.TB, dir string, env []string, command string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", command)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("in %s: %s\n%v\n%s", dir, command, err, said)
	}
}

// example builds the example of that name with the command in its README.
func example(t testing.TB, name string) []byte {
	t.Helper()
	languages := map[string]toolchain{"colours": rust, "table": script, "checksum": cTools}
	with, ok := languages[name]
	if !ok {
		with = goTools
	}
	folder := "examples/plugins/" + name
	return build(t, with, folder, block(t, filepath.Join(folder, "README.md"), "sh"), name+".wasm")
}

// block returns the first block of code of a language in a Markdown file of the repository.
func block(t testing.TB, file, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), file))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no block of %s", file, language)
	}
	return string(found[1])
}
