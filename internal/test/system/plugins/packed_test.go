//go:build system

package plugins_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gomod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/windieos/windie/internal/test/testkit"
)

// packedVersion is that of the kits that are packed here, and published as its tag names it.
const packedVersion, published = "1.2.3-rc.4", "v1.2.3-rc.4"

// pack packs a kit as it is published, and returns its file.
func pack(t *testing.T, env []string, kit, ending string) string {
	t.Helper()
	out := t.TempDir()
	shell(t, testkit.RepoRoot(t), env, "scripts/packages.sh "+published+" "+out+" "+kit)
	return filepath.Join(out, "windie-plugin-"+packedVersion+ending)
}

// goProxy returns a module proxy that has this repository as a published version, besides what the machine has of others.
func goProxy(t *testing.T) string {
	t.Helper()
	root, dir := testkit.RepoRoot(t), filepath.Join(t.TempDir(), "github.com", "windieos", "windie", "@v")
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		testkit.Skip(t, "git, and the repository's clone", "git clone")
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			files = append(files, file{root, name})
		}
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, gomod.Version{Path: "github.com/windieos/windie", Version: published}, files); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"list": []byte(published + "\n"), published + ".info": []byte(`{"Version":"` + published + `"}`), published + ".mod": mod, published + ".zip": archive.Bytes()} {
		lay(t, filepath.Join(dir, name), content)
	}
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(dir)))) + ",file://" + filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")
}

// file is a file of the repository in a module's archive.
type file struct{ root, name string }

func (f file) Path() string                 { return filepath.ToSlash(f.name) }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(f.root, f.name)) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.root, f.name)) }

func lay(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// goPacked makes a project that fetches the kit from a module proxy. The project has caches of its own for modules.
func goPacked(t *testing.T, _ string) (env []string, build string) {
	return []string{"GOWORK=off", "GOFLAGS=-modcacherw", "GOPROXY=" + goProxy(t), "GONOSUMDB=*", "GOMODCACHE=" + t.TempDir()},
		"go mod init units && go get github.com/windieos/windie/sdk/plugin/go@" + published + "\nGOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o units.wasm ."
}

// rustPacked makes a project whose crates come from a folder that is laid out as a registry's, with the kit's crate alone.
func rustPacked(t *testing.T, dir string) (env []string, build string) {
	env = needRust(t, dir)
	crate := pack(t, env, "rust", ".crate")
	raw, err := os.ReadFile(crate)
	if err != nil {
		t.Fatal(err)
	}
	shell(t, dir, nil, "mkdir -p crates && tar xzf "+crate+" -C crates")
	sum, _ := json.Marshal(map[string]any{"files": struct{}{}, "package": fmt.Sprintf("%x", sha256.Sum256(raw))})
	lay(t, filepath.Join(dir, "crates", "windie-plugin-"+packedVersion, ".cargo-checksum.json"), sum)
	lay(t, filepath.Join(dir, ".cargo", "config.toml"), []byte("[source.crates-io]\nreplace-with = \"packed\"\n[source.packed]\ndirectory = \"crates\"\n"))
	lay(t, filepath.Join(dir, "Cargo.toml"), []byte("[package]\nname = \"units\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\n"+
		"[dependencies]\nwindie-plugin = \"="+packedVersion+"\"\n[profile.release]\npanic = \"abort\"\n"))
	return env, "cargo build --release --target wasm32-unknown-unknown\ncp target/wasm32-unknown-unknown/release/units.wasm ."
}

// assemblyScriptPacked makes a project into which npm installs the kit's tarball.
func assemblyScriptPacked(t *testing.T, dir string) (env []string, build string) {
	modules := filepath.Join(testkit.RepoRoot(t), ".tools", "assemblyscript", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, ".bin", "asc")); err != nil {
		testkit.Skip(t, "AssemblyScript", howToGet)
	}
	tarball := pack(t, nil, "assemblyscript", ".tgz")
	return []string{"npm_config_offline=true"}, "npm init --yes >/dev/null && npm install --legacy-peer-deps --no-audit --no-fund " + tarball + "\n" +
		"for name in assemblyscript binaryen long; do ln -s " + modules + "/$name node_modules/; done\n" +
		`sed -i 's|"./windie"|"windie-plugin"|' units.ts` + "\n" +
		"node node_modules/assemblyscript/bin/asc.js units.ts -O --exportStart _initialize --use abort=~lib/windie-plugin/index/abort -o units.wasm"
}

// Each kit that a registry publishes builds a plugin that works in an empty project, from its package alone: the program is
// that of the kit's README.
func TestPackedKits(t *testing.T) {
	t.Parallel()
	for name, project := range map[string]func(*testing.T, string) ([]string, string){"go": goPacked, "rust": rustPacked, "assemblyscript": assemblyScriptPacked} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var k kit
			for _, known := range kits {
				if known.name == name {
					k = known
				}
			}
			dir := filepath.Join(t.TempDir(), "units")
			lay(t, filepath.Join(dir, k.file), []byte(block(t, filepath.Join("sdk", "plugin", name, "README.md"), k.language)))
			env, build := project(t, dir)
			shell(t, dir, env, build)
			wasm, err := os.ReadFile(filepath.Join(dir, "units.wasm"))
			if err != nil {
				t.Fatal(err)
			}
			convertsMetres(t, wasm)
		})
	}
}
