package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
)

// What a new plugin is made of; that it builds and works is tested with the
// guide that says so.
func TestToolNew(t *testing.T) {
	t.Parallel()
	a, root := newWriter(t), testkit.RepoRoot(t)
	for language, files := range map[string][]string{
		"go":             {"go.mod", "main.go", "main_test.go"},
		"rust":           {"Cargo.toml", "src/lib.rs", "windie-plugin/Cargo.toml", "windie-plugin/src/lib.rs"},
		"assemblyscript": {"package.json", "notes.ts", "windie/index.ts", "windie/json.ts"},
		"c":              {"notes.c", "windie.h"},
		"js":             {"notes.js"},
	} {
		t.Run(language, func(t *testing.T) {
			dir := filepath.Join(a.dir, language, "notes")
			a.want(0, []string{"cd " + dir, " tool build"}, "new", language, dir)
			for _, file := range append(files, "README.md", "notes.json", "notes.test.json", ".gitignore", "ci.sh", ".github/workflows/plugin.yml") {
				text, err := os.ReadFile(filepath.Join(dir, file))
				kit := strings.HasPrefix(file, "windie")
				if err != nil || !kit && (strings.Contains(string(text), "{{") || strings.Contains(string(text), "NAME")) {
					t.Errorf("%s: %s: %v\n%s", language, file, err, text)
				}
			}
			manifest, err := os.ReadFile(filepath.Join(dir, "notes.json"))
			if err != nil {
				t.Fatal(err)
			}
			if m, err := wasmtools.ParseManifest(manifest); err != nil || m.Name != "notes" {
				t.Errorf("%s: %+v, %v", language, m, err)
			}
			if p, err := author.ProjectIn(dir); err != nil || p.Language() != language {
				t.Errorf("what was made for %s is taken for %+v, %v", language, p, err)
			}
		})
	}
	dir := filepath.Join(a.dir, "notes")
	a.want(0, nil, "new", "go", dir, "--kit", root)
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if want := "replace github.com/windieos/windie => " + root + "\n"; err != nil || !strings.HasSuffix(string(mod), want) {
		t.Errorf("%v, go.mod is %s", err, mod)
	}
}

func TestToolNewRefuses(t *testing.T) {
	t.Parallel()
	a := newWriter(t)
	a.put("there/mine.txt", "mine")
	name := func(s string) string { return filepath.Join(a.dir, s) }
	for _, tt := range []struct {
		args []string
		text string
	}{
		{[]string{"cobol", name("notes")}, "choose one of: go, rust, assemblyscript, c, js"},
		{[]string{"js", name("there")}, "already exists"},
		{[]string{"js", name("Notes")}, `invalid plugin name "Notes"`},
		{[]string{"js", name("my-notes")}, `invalid plugin name "my-notes"`},
		{[]string{"js", name("2d")}, `invalid plugin name "2d"`},
		{[]string{"js", name(strings.Repeat("n", 33))}, "invalid plugin name"},
		{[]string{"js", name("a b;c")}, "invalid plugin name"},
		{[]string{"js", ".."}, "invalid plugin name"},
		{[]string{"js", name("notes"), "--kit", "."}, "--kit is only for go"},
		{[]string{"go", name("notes"), "--kit", a.dir}, "is not a copy of Windie's repository"},
		{[]string{"js", name("there/mine.txt/notes")}, "not a directory"},
	} {
		a.want(exitFailed, []string{tt.text}, append([]string{"new"}, tt.args...)...)
	}
	a.want(exitUsage, []string{"missing NAME"}, "new", "js")
	if entries, err := os.ReadDir(a.dir); err != nil || len(entries) != 1 {
		t.Errorf("what was refused left %v, %v", entries, err)
	}
}

// A build reports what it lacks, and what to do about it.
func TestToolBuildLacks(t *testing.T) {
	t.Parallel()
	a := newWriter(t)
	for _, tt := range []struct{ language, programs, text string }{
		{"go", "", "and go is not installed: install Go"},
		{"rust", "cargo", "and rustc is not installed: install Rust"},
		{"rust", "cargo rustc", "run rustup target add wasm32-unknown-unknown"},
		{"assemblyscript", "node", "and npx is not installed: install Node.js"},
		{"assemblyscript", "node npx", "run npm install in "},
		{"c", "clang", "and wasm-ld is not installed: install the packages clang and lld"},
	} {
		bin := filepath.Join(a.dir, tt.language+" "+tt.programs)
		for program := range strings.FieldsSeq(tt.programs) {
			a.put(filepath.Join(filepath.Base(bin), program), "#!/bin/sh\necho /not/there\n")
		}
		b := a
		b.environ = append(b.environ[:1:1], "PATH="+bin)
		dir := filepath.Join(a.dir, tt.language)
		if tt.programs == "" || !strings.Contains(tt.programs, " ") {
			dir = filepath.Join(dir, "one")
		} else {
			dir = filepath.Join(dir, "two")
		}
		b.want(0, nil, "new", tt.language, dir)
		b.want(exitFailed, []string{tt.text}, "build", dir)
	}
}

func TestToolBuildFails(t *testing.T) {
	t.Parallel()
	a := newWriter(t, "PATH="+filepath.Dir(newWriter(t).put("bin/clang", "#!/bin/sh\necho 'notes.c:1: nonsense' >&2; exit 1\n"))+":/usr/bin:/bin")
	a.want(exitFailed, []string{"has nothing to build: expected go.mod, Cargo.toml, package.json, data.c, data.js or data.wasm"}, "build", filepath.Dir(a.put("data/x.txt", "")))
	a.want(exitFailed, []string{"no such file"}, "build", filepath.Join(a.dir, "none"))
	a.want(exitFailed, []string{"is not a valid name for a plugin"}, "build", filepath.Dir(a.put("My Notes/go.mod", "")))
	dir := filepath.Dir(a.put("notes/notes.c", "nonsense"))
	linker := a.put("bin/wasm-ld", "#!/bin/sh\n")
	a.environ[len(a.environ)-1] += ":" + filepath.Dir(linker)
	a.want(exitFailed, []string{"+ clang --target=wasm32", "notes.c:1: nonsense", "the build failed: exit status 1"}, "build", dir)
	a.want(exitFailed, []string{"JavaScript, and its runtime is not installed", "windie tool runtime add"}, "build", filepath.Dir(a.put("script/script.js", sample)))
}

func TestToolRuntime(t *testing.T) {
	t.Parallel()
	a, runtime := newWriter(t), quickjs(t)
	a.want(exitFailed, []string{"JavaScript plugins cannot run", "windie tool runtime add"}, "runtime")
	a.want(exitFailed, []string{"the file is not the quickjs.wasm of quickjs-wasi 3.6.2"}, "runtime", "add", "--file", a.put("other.wasm", "another"))
	a.want(exitFailed, []string{"no such file"}, "runtime", "add", "--file", "none.wasm")
	a.want(exitFailed, []string{"JavaScript plugins cannot run"}, "runtime")
	a.want(0, []string{"JavaScript plugins run with " + filepath.Join(a.dir, "data", "runtime", "quickjs.wasm")}, "runtime", "add", "--file", runtime)
	a.want(0, []string{"JavaScript plugins run"}, "runtime")
	var out, complaint output
	run(t.Context(), []string{"doctor"}, a.environ, nil, &out, &complaint)
	if !strings.Contains(out.String(), "ok    scripts    JavaScript plugins run with ") {
		t.Errorf("doctor says\n%s%s", out.String(), complaint.String())
	}
}

// Npm is asked for one version, and only the archive that is meant is taken.
func TestToolRuntimeIsFetched(t *testing.T) {
	t.Parallel()
	a := newWriter(t)
	a.environ = a.environ[:1]
	a.want(exitFailed, []string{"npm, which downloads the runtime, is not installed", "--file"}, "runtime", "add")
	bin := filepath.Dir(a.put("bin/npm", "#!/bin/sh\necho broken: \"$@\" >&2\nexit 7\n"))
	a.environ = append(a.environ, "PATH="+bin+":/usr/bin:/bin")
	a.want(exitFailed, []string{"npm pack quickjs-wasi@3.6.2: exit status 7", "broken: pack --loglevel=error --pack-destination /"}, "runtime", "add")
	a.put("bin/npm", "#!/bin/sh\necho another >\"$4/quickjs-wasi-3.6.2.tgz\"\n")
	a.want(exitFailed, []string{"npm's quickjs-wasi 3.6.2 has an unexpected checksum"}, "runtime", "add")
	if _, err := os.Stat(filepath.Join(a.dir, "data", "runtime")); err == nil {
		t.Error("what was refused was put in place")
	}
}

// The steps that are printed call this program by a path that works from the new folder, and take the kit for Go from the checkout
// that this is.
func TestToolNewSteps(t *testing.T) {
	t.Parallel()
	root, program := testkit.RepoRoot(t), ownProgram(t)
	onPath, another := t.TempDir(), t.TempDir()
	if err := os.Symlink(program, filepath.Join(onPath, "windie")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(another, "windie"), []byte("another program"), 0o700); err != nil {
		t.Fatal(err)
	}
	quickjs := filepath.Join(onPath, "quickjs.wasm")
	if err := os.WriteFile(quickjs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		language, path, runtime string
		want, lacking           string
	}{
		"on PATH":                 {"c", onPath, "", "\n  windie tool build\n  windie tool test\n", "runtime"},
		"not on PATH":             {"rust", "", "", "\n  " + program + " tool build\n  " + program + " tool test\n", "\n  windie"},
		"another program on PATH": {"assemblyscript", another, "", "\n  npm install\n  " + program + " tool build\n", "\n  windie"},
		"Go in a checkout":        {"go", onPath, "", " takes the kit from " + root, "go get"},
		"JavaScript":              {"js", onPath, "", "\n  windie tool runtime add\n  windie tool build\n", ""},
		"JavaScript with runtime": {"js", onPath, quickjs, "\n  windie tool build\n", "runtime add"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newWriter(t, "PATH="+tt.path, "WINDIE_SCRIPT_RUNTIME="+tt.runtime)
			dir := filepath.Join(a.dir, "my plugins", "notes")
			out := a.want(0, []string{"\n  cd '" + dir + "'\n", tt.want}, "new", tt.language, dir)
			if tt.lacking != "" && strings.Contains(out, tt.lacking) {
				t.Errorf("it says %q:\n%s", tt.lacking, out)
			}
			if mod, err := os.ReadFile(filepath.Join(dir, "go.mod")); tt.language == "go" && (err != nil || !strings.Contains(string(mod), "=> "+root+"\n")) {
				t.Errorf("%v, go.mod is %s", err, mod)
			}
		})
	}
}

// ownProgram returns the path of the program that runs.
func ownProgram(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// A copy of the repository is found from folders in it; a folder of another module is not a copy.
func TestCheckout(t *testing.T) {
	t.Parallel()
	root, outside := testkit.RepoRoot(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "go.mod"), []byte("module example.com/other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		folders []string
		want    string
	}{
		"the repository":    {[]string{root}, root},
		"in it":             {[]string{filepath.Join(root, "docs")}, root},
		"the second folder": {[]string{outside, filepath.Join(root, "bin")}, root},
		"elsewhere":         {[]string{outside}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := author.Checkout(tt.folders...); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Without a copy of the repository, the module is fetched once a release is published, and before that a copy is named.
func TestToolNewKits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ version, step string }{
		"a release":        {"v1.2.0", "go get github.com/windieos/windie@latest"},
		"an early release": {"v1.2.0-3-g1234567", "go mod edit"},
		"a commit":         {"a288316f", "go mod edit"},
		"no version":       {"dev", "go mod edit"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "notes")
			s, err := author.NewStarter("go", dir, author.Kit{Published: isRelease(tt.version)})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Make(); err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			s.Greet(&said, "windie")
			readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
			if err != nil || !strings.Contains(said.String(), "\n  "+tt.step) || !strings.Contains(string(readme), "\n"+tt.step) {
				t.Errorf("%v\n%s\n%s", err, said.String(), readme)
			}
		})
	}
}
