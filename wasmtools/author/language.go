package author

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// language is a programming language of plugins. NAME in its texts is replaced by the plugin's
// name.
type language struct {
	name    string   // name for `windie tool new`
	title   string   // name for people
	marks   []string // files that mark a folder as this language
	setup   string   // command that an author runs once; empty for none
	ci      string   // command that prepares a fresh CI runner in the folder; empty for none
	command string   // command that builds NAME.wasm in the folder; empty for a script
	debug   string   // command that builds it with function names
	needs   []string // required programs
	advice  string   // how to install the required programs
	kit     string   // folder of the kit in sdk/plugin; empty for none
	kitInto string   // folder to copy the kit to
	besides [][2]string
	// reports why the language cannot be built although its programs are installed
	unusable func(ctx context.Context, dir string, environ []string) error
}

// languages are all languages, in the order in which ProjectIn tries them.
var languages = []language{
	{
		name: "go", title: "Go", marks: []string{"go.mod", "main.go"},
		setup:   "go get github.com/windieos/windie@latest",
		command: "GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o NAME.wasm .",
		debug:   "GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o NAME.wasm .",
		needs:   []string{"go"}, advice: "install Go 1.26 or newer, from https://go.dev/dl",
		besides: [][2]string{{"main.go", "the tool"}, {"main_test.go", "its tests, for `go test`"}},
	},
	{
		name: "rust", title: "Rust", marks: []string{"Cargo.toml"},
		ci:      "rustup target add wasm32-unknown-unknown",
		command: "cargo build --release --target wasm32-unknown-unknown --target-dir target && cp target/wasm32-unknown-unknown/release/NAME.wasm .",
		debug:   "CARGO_PROFILE_RELEASE_STRIP=none cargo build --release --target wasm32-unknown-unknown --target-dir target && cp target/wasm32-unknown-unknown/release/NAME.wasm .",
		needs:   []string{"cargo", "rustc"}, advice: "install Rust, from https://rustup.rs, or the packages rustc, cargo and libstd-rust-dev-wasm32 (Debian)",
		kit: "rust", kitInto: "windie-plugin",
		besides:  [][2]string{{"src/lib.rs", "the tool, with its tests, for `cargo test`"}, {"windie-plugin/", "the kit"}},
		unusable: lacksRustTarget,
	},
	{
		name: "assemblyscript", title: "AssemblyScript", marks: []string{"package.json", "NAME.ts"},
		setup:   "npm install",
		ci:      "npm install",
		command: "npx asc NAME.ts -O --exportStart _initialize --use abort=windie/index/abort -o NAME.wasm",
		debug:   "npx asc NAME.ts -O --debug --exportStart _initialize --use abort=windie/index/abort -o NAME.wasm",
		needs:   []string{"node", "npx"}, advice: "install Node.js 20 or newer, from https://nodejs.org",
		kit: "assemblyscript", kitInto: "windie",
		besides:  [][2]string{{"NAME.ts", "the tool"}, {"windie/", "the kit"}},
		unusable: lacksModules,
	},
	{
		name: "c", title: "C", marks: []string{"NAME.c"},
		ci:      "sudo apt-get update && sudo apt-get install --yes clang lld",
		command: "clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry,--stack-first,--strip-all -o NAME.wasm NAME.c",
		debug:   "clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry,--stack-first -o NAME.wasm NAME.c",
		needs:   []string{"clang", "wasm-ld"}, advice: "install the packages clang and lld",
		kit: "c", kitInto: ".",
		besides: [][2]string{{"NAME.c", "the tool"}, {"windie.h", "the kit"}},
	},
	{
		name: "js", title: "JavaScript", marks: []string{"NAME.js"},
		ci:      "windie tool runtime add",
		besides: [][2]string{{"NAME.js", "the tool"}},
	},
	{name: program, title: "a program", marks: []string{"NAME.wasm"}}, // prebuilt, with a manifest beside it
}

// program names the entry for a prebuilt module, which needs no language.
const program = "program"

// Languages returns the names of the languages for a message, with commas between them.
func Languages() string {
	var names []string
	for _, l := range languages {
		if l.name != program {
			names = append(names, l.name)
		}
	}
	return strings.Join(names, ", ")
}

// languageNamed returns a language by its name. An unknown name is an error, and so is program,
// which is no language.
func languageNamed(name string) (language, error) {
	i := slices.IndexFunc(languages, func(l language) bool { return l.name == name })
	if i < 0 || name == program {
		return language{}, fmt.Errorf("unknown language %.40q; choose one of: %s", name, Languages())
	}
	return languages[i], nil
}

// Lacks returns an error if the build of a plugin in dir needs tools that are missing. The error
// names the missing tools. name is the language of the plugin. environ is the environment of the
// build.
func Lacks(ctx context.Context, name, dir string, environ []string) error {
	l, err := languageNamed(name)
	if err != nil {
		return err
	}
	return l.lacks(ctx, dir, environ)
}

// lacks does the same as Lacks. It looks for the required programs before it calls unusable.
func (l language) lacks(ctx context.Context, dir string, environ []string) error {
	for _, program := range l.needs {
		if FindProgram(environ, program) == "" {
			return fmt.Errorf("building this plugin requires %s, and %s is not installed: %s", l.title, program, l.advice)
		}
	}
	if l.unusable != nil {
		return l.unusable(ctx, dir, environ)
	}
	return nil
}

// FindProgram searches for a program in the folders of the variable PATH in environ, and returns the
// program's path. It returns "" if the program is missing.
func FindProgram(environ []string, program string) string {
	for _, variable := range slices.Backward(environ) { // the last one wins
		path, found := strings.CutPrefix(variable, "PATH=")
		if !found {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			file := filepath.Join(dir, program)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file
			}
		}
		break
	}
	return ""
}

// lacksRustTarget returns an error if Rust's library for WebAssembly is missing.
func lacksRustTarget(ctx context.Context, dir string, environ []string) error {
	cmd := exec.CommandContext(ctx, FindProgram(environ, "rustc"), "--print", "target-libdir", "--target", "wasm32-unknown-unknown")
	cmd.Dir, cmd.Env = dir, environ
	out, err := cmd.Output()
	if err == nil {
		_, err = os.Stat(strings.TrimSpace(string(out)))
	}
	if err != nil {
		return fmt.Errorf("this Rust lacks the WebAssembly target; run rustup target add wasm32-unknown-unknown, or install the package libstd-rust-dev-wasm32 (Debian): %w", err)
	}
	return nil
}

// lacksModules returns an error if the compiler is not installed in dir.
func lacksModules(_ context.Context, dir string, _ []string) error {
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".bin", "asc")); err != nil {
		return fmt.Errorf("the AssemblyScript compiler is not installed; run npm install in %s", dir)
	}
	return nil
}
