package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/testkit"
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
			a.want(0, []string{"cd " + dir, "windie tool build"}, "new", language, dir)
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
		{[]string{"js", name("there")}, "is there already"},
		{[]string{"js", name("Notes")}, `"Notes" is no name for a plugin`},
		{[]string{"js", name("my-notes")}, `"my-notes" is no name`},
		{[]string{"js", name("2d")}, `"2d" is no name`},
		{[]string{"js", name(strings.Repeat("n", 33))}, "is no name"},
		{[]string{"js", name("a b;c")}, "is no name"},
		{[]string{"js", ".."}, "is no name"},
		{[]string{"js", name("notes"), "--kit", "."}, "--kit is for go"},
		{[]string{"go", name("notes"), "--kit", a.dir}, "is no copy of Windie's repository"},
		{[]string{"js", name("there/mine.txt/notes")}, "not a directory"},
	} {
		a.want(exitFailed, []string{tt.text}, append([]string{"new"}, tt.args...)...)
	}
	a.want(exitUsage, []string{"accepts 2 arg(s)"}, "new", "js")
	if entries, err := os.ReadDir(a.dir); err != nil || len(entries) != 1 {
		t.Errorf("what was refused left %v, %v", entries, err)
	}
}

// A build reports what it lacks, and what to do about it.
func TestToolBuildLacks(t *testing.T) {
	t.Parallel()
	a := newWriter(t)
	for _, tt := range []struct{ language, programs, text string }{
		{"go", "", "and go is not here: install Go"},
		{"rust", "cargo", "and rustc is not here: install Rust"},
		{"rust", "cargo rustc", "run rustup target add wasm32-unknown-unknown"},
		{"assemblyscript", "node", "and npx is not here: install Node.js"},
		{"assemblyscript", "node npx", "run npm install in "},
		{"c", "clang", "and wasm-ld is not here: install the packages clang and lld"},
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
	a.want(exitFailed, []string{"gives no name for a plugin"}, "build", filepath.Dir(a.put("My Notes/go.mod", "")))
	dir := filepath.Dir(a.put("notes/notes.c", "nonsense"))
	linker := a.put("bin/wasm-ld", "#!/bin/sh\n")
	a.environ[len(a.environ)-1] += ":" + filepath.Dir(linker)
	a.want(exitFailed, []string{"+ clang --target=wasm32", "notes.c:1: nonsense", "the build failed: exit status 1"}, "build", dir)
	a.want(exitFailed, []string{"JavaScript, and the runtime for that is not here", "windie tool runtime add"}, "build", filepath.Dir(a.put("script/script.js", sample)))
}

func TestToolRuntime(t *testing.T) {
	t.Parallel()
	a, runtime := newWriter(t), quickjs(t)
	a.want(exitFailed, []string{"plugins in JavaScript do not run here", "windie tool runtime add"}, "runtime")
	a.want(exitFailed, []string{"this is not the quickjs.wasm of quickjs-wasi 3.6.2"}, "runtime", "add", "--file", a.put("other.wasm", "another"))
	a.want(exitFailed, []string{"no such file"}, "runtime", "add", "--file", "none.wasm")
	a.want(exitFailed, []string{"plugins in JavaScript do not run"}, "runtime")
	a.want(0, []string{"plugins in JavaScript run, by " + filepath.Join(a.dir, "data", "runtime", "quickjs.wasm")}, "runtime", "add", "--file", runtime)
	a.want(0, []string{"plugins in JavaScript run"}, "runtime")
	var out, complaint output
	run(t.Context(), []string{"doctor"}, a.environ, nil, &out, &complaint)
	if !strings.Contains(out.String(), "ok    scripts    plugins in JavaScript run, by ") {
		t.Errorf("doctor says\n%s%s", out.String(), complaint.String())
	}
}

// Npm is asked for one version, and only the archive that is meant is taken.
func TestToolRuntimeIsFetched(t *testing.T) {
	t.Parallel()
	a := newWriter(t)
	a.environ = a.environ[:1]
	a.want(exitFailed, []string{"npm is not here", "--file"}, "runtime", "add")
	bin := filepath.Dir(a.put("bin/npm", "#!/bin/sh\necho broken: \"$@\" >&2\nexit 7\n"))
	a.environ = append(a.environ, "PATH="+bin+":/usr/bin:/bin")
	a.want(exitFailed, []string{"npm pack quickjs-wasi@3.6.2: exit status 7", "broken: pack --loglevel=error --pack-destination /"}, "runtime", "add")
	a.put("bin/npm", "#!/bin/sh\necho another >\"$4/quickjs-wasi-3.6.2.tgz\"\n")
	a.want(exitFailed, []string{"npm's quickjs-wasi 3.6.2 is not the one this program knows"}, "runtime", "add")
	if _, err := os.Stat(filepath.Join(a.dir, "data", "runtime")); err == nil {
		t.Error("what was refused was put in place")
	}
}
