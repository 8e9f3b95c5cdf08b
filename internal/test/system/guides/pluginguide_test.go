//go:build system

package guides_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
	"github.com/windieos/windie/wasmtools/sign"
)

// pupil is who follows the guide, from a folder of their own.
type pupil struct {
	t                       *testing.T
	dir, root, url, plugins string
	environ                 []string
}

func newPupil(t *testing.T) pupil {
	t.Helper()
	for _, program := range []string{"bash", "curl", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			testkit.Skip(t, program, "your system's package "+program)
		}
	}
	runtime := rig.ScriptRuntime(t)
	r := pupil{t: t, dir: t.TempDir(), root: testkit.RepoRoot(t)}
	data := filepath.Join(r.dir, "data")
	r.plugins = filepath.Join(data, "plugins")
	variables := []string{"WINDIE_DATA_DIR=" + data, "WINDIE_SCRIPT_RUNTIME=" + runtime}
	r.url = rig.Serve(t, variables...)
	bin := filepath.Join(r.dir, "bin")
	r.environ = append(os.Environ(), append(variables, "GOPROXY=off", "GOFLAGS=", "GOWORK=off",
		"CARGO_NET_OFFLINE=true", "PATH="+bin+string(os.PathListSeparator)+rustFirst()+os.Getenv("PATH"))...)
	putProgram(t, bin)
	return r
}

// put writes a file of the pupil's folder, and returns its path.
func (r pupil) put(name, content string) string {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o700)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return path
}

// rustFirst is what goes before the path where the system's Rust compiles to
// WebAssembly and the first on the path does not.
func rustFirst() string {
	if author.Lacks(context.Background(), "rust", ".", os.Environ()) != nil && author.Lacks(context.Background(), "rust", ".", []string{"PATH=/usr/bin"}) == nil {
		return "/usr/bin" + string(os.PathListSeparator)
	}
	return ""
}

// run runs a script, which must not fail.
func (r pupil) run(dir, script string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "bash", "-euc", script)
	cmd.Dir, cmd.Env = dir, r.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// follow runs a block of the guide. What would need the network is done by
// what is here.
func (r pupil) follow(b guideBlock) {
	r.t.Helper()
	script := strings.NewReplacer(
		"http://127.0.0.1:8765", r.url, "127.0.0.1:8765", strings.TrimPrefix(r.url, "http://"),
		"tool new go words_go", "tool new go words_go --kit "+r.root,
		"go get github.com/windieos/windie@latest\n", "",
		"npm install\n", "ln -s "+filepath.Join(r.root, ".tools", "assemblyscript", "node_modules")+" node_modules\n",
	).Replace(b.text)
	r.run(r.dir, script)
}

// need skips a part of the guide whose language cannot be built here.
func (r pupil) need(t *testing.T, heading string) {
	t.Helper()
	missing := func(programs ...string) bool {
		for _, program := range programs {
			if author.FindProgram(r.environ[len(r.environ)-1:], program) == "" {
				return true
			}
		}
		return false
	}
	_, err := os.Stat(filepath.Join(r.root, ".tools", "assemblyscript", "node_modules", ".bin", "asc"))
	switch {
	case heading == "Rust" && (missing("cargo", "rustc") || author.Lacks(t.Context(), "rust", r.dir, r.environ) != nil),
		heading == "AssemblyScript" && (missing("node", "npx") || err != nil),
		(heading == "C" || heading == "Serving plugins") && missing("clang", "wasm-ld"):
		testkit.Skip(t, "what builds plugins in "+heading, "make deps-system")
	}
}

// pluginBlocks returns the blocks of the guide on plugins before its part on plugins of others, and those of that part.
func pluginBlocks(t *testing.T) (own, others []guideBlock) {
	t.Helper()
	blocks := guideBlocks(t, "plugins.md")
	i := slices.IndexFunc(blocks, func(b guideBlock) bool { return b.heading == "Adding a plugin" })
	if i < 0 {
		t.Fatal("the guide has no part on adding a plugin")
	}
	return blocks[:i], blocks[i:]
}

// All commands of the guide on plugins work, in its order, up to its part on plugins of others.
func TestPluginGuide(t *testing.T) {
	t.Parallel()
	r := newPupil(t)
	ran := 0
	own, _ := pluginBlocks(t)
	for _, b := range own {
		if b.language == "console" { // needs the network
			continue
		}
		ran++
		t.Run(b.heading, func(t *testing.T) {
			r := r
			r.t = t
			r.need(t, b.heading)
			switch b.language {
			case "sh":
				r.follow(b)
			case "json":
				r.readJSON(b)
			case "js":
				r.put("page/page.js", b.text)
				r.run(r.dir, `windie tool call page/page.js count '{"text": "one two"}' | grep '"words": 2'`)
			case "go":
				r.put("words_go/main.go", "package main\n\nimport (\n\t\"strings\"\n\n\t\"github.com/windieos/windie/sdk/plugin/go\"\n)\n\n"+b.text)
				r.run(filepath.Join(r.dir, "words_go"), "rm main_test.go; test -z \"$(gofmt -l .)\"; go build -o /dev/null .")
			default:
				t.Errorf("nothing checks a block of %s", b.language)
			}
		})
	}
	if ran != 14 {
		t.Errorf("%d blocks were checked; the guide has another number, or its blocks are not found", ran)
	}
	r.wantServed()
}

// readJSON checks a file that the guide shows.
func (r pupil) readJSON(b guideBlock) {
	r.t.Helper()
	var err error
	switch b.label {
	case "`grants.json`:":
		_, err = wasmtools.ParseGrants([]byte(b.text))
	case "`weather.json`:":
		_, err = wasmtools.ParseManifest([]byte(b.text))
	default:
		if !json.Valid([]byte(b.text)) {
			r.t.Fatalf("no JSON: %s", b.text)
		}
		r.put("words/words.test.json", b.text)
		r.run(r.dir, "windie tool test words | grep '2 of 2 passed'")
	}
	if err != nil {
		r.t.Errorf("%s: %v", b.text, err)
	}
}

// wantServed waits until the plugin that the guide copies into the folder can
// be called.
func (r pupil) wantServed() {
	r.t.Helper()
	testkit.Eventually(r.t, "the plugin in the folder is served", func() (string, bool) {
		req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+"/api/tools/words.count/invoke", strings.NewReader(`{"text":"one two"}`))
		if err != nil {
			r.t.Fatal(err)
		}
		req.Header.Set("X-User-Id", "ada")
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			r.t.Fatal(err)
		}
		resp.Body.Close()
		return resp.Status, resp.StatusCode == http.StatusOK
	})
}

// All commands of the part on plugins of others work, in its order.
func TestPluginSharingGuide(t *testing.T) {
	t.Parallel()
	r := newPupil(t)
	host := rig.Registry(t)
	r.environ = append(r.environ, "WINDIE_PLUGIN_PRIVATE_HOSTS=http://"+host, "DOCKER_CONFIG="+filepath.Join(r.dir, "docker"))
	r.run(r.dir, "windie tool new js words")
	ran := 0
	_, others := pluginBlocks(t)
	for _, b := range others {
		if b.language == "console" { // needs the network
			continue
		}
		ran++
		t.Run(b.heading, func(t *testing.T) {
			r := r
			r.t = t
			switch {
			case b.language == "sh":
				b.text = strings.ReplaceAll(b.text, "registry.example", host)
				r.follow(b)
			case b.label == "`plugin-trust.json`:":
				if _, err := sign.ReadPolicy(r.put("trust.json", b.text)); err != nil {
					t.Error(err)
				}
			default:
				t.Errorf("nothing checks a block of %s", b.language)
			}
		})
	}
	if ran != 5 {
		t.Errorf("%d blocks were checked; the guide has another number, or its blocks are not found", ran)
	}
	r.wantServed() // words.js, which was added from a reference
}
