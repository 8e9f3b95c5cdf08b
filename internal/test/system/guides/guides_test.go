//go:build system

package guides_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// guideStep is what a block of commands of a guide does.
type guideStep struct {
	begins string // the block
	prints string // a pattern of what it prints
	code   int    // the exit code
	not    string // why no test runs it; then prints is empty
	data   string // the data folder that it works on, of its own, which blocks with the same name share; empty: the gateway's
}

// guideSteps are the blocks of commands of the guides, in their order, but for those of ranElsewhere and those whose
// answers TestREADME compares.
var guideSteps = map[string][]guideStep{
	"agent.md": {
		{begins: "windie agent\n", not: "it is a conversation in a terminal: TestAgentInATerminal"},
		{begins: "windie agent --once", prints: `(?s)model.*"type":"result"`, data: "agent"},
		{begins: "tar ", not: "it installs a release: make test-system PART=dist does"},
		{begins: "windie completion", not: "TestCommandLineGuide runs it"},
	},
	"computer.md": {
		{begins: "windie serve", not: "it clicks on the reader's screen: make test-system PART=desk does on one of its own"},
		{begins: "windie agent", not: "it is a conversation in a terminal, with a coding agent: TestDelegateInATerminal has both"},
		{begins: "npx", not: "it fetches a program, and clicks on the reader's screen"},
	},
	"console.md": {
		{begins: "windie console ", prints: `^http://\S+/console/#code=\S+\n$`},
		{begins: "WINDIE_MODE=hosted WINDIE_PUBLIC_URL", not: "it names a provider of the reader's own: TestConsoleOpenID signs in at one"},
	},
	"deploy.md": {
		{begins: "docker compose up", not: "it takes a container engine: make test-system PART=image runs the files where one is"},
		{begins: "docker compose cp", not: "it takes a container engine: make test-system PART=image runs the files where one is"},
		{begins: "kubectl", not: "it takes a cluster: TestChart renders the chart"},
		{begins: "WINDIE_MODE", not: "it runs until it is stopped: guides are followed at such a gateway"},
		{begins: "curl", prints: `"install_token":\s*"wnd_install_`},
		{begins: "windie user", prints: `(?s)user_.*wnd_install_.*install_.* is revoked.* today: .* is deleted`, data: "hosted"},
	},
	"http-api.md": {
		{begins: "KEY=", prints: `(?s)"prompts":\s*\[.*"decisions":\s*\[`},
		{begins: "curl http://127.0.0.1:8765/api/prompt ", prints: `event: prompt\.completed`},
		{begins: "curl -sN http://127.0.0.1:8765/api/prompt ", not: "TestPromptGuide runs it"},
		{begins: "curl http://127.0.0.1:8765/api/prompts/$PROMPT/approve ", not: "TestPromptGuide runs it"},
		{begins: "curl -sN http://127.0.0.1:8765/api/prompts/$PROMPT/events ", not: "TestPromptGuide runs it"},
		{begins: "curl -X POST http://127.0.0.1:8765/api/tools/conversation.create/invoke ", not: "TestPromptGuide runs it"},
		{begins: "WINDIE_SEARCH_PROVIDER", not: "it asks for a search engine of the reader's own, and runs until it is stopped"},
		{begins: `curl --json '{"text":`, prints: `"embedding":\s*\[`},
		{begins: "windie models fetch", not: "it fetches 91 MB from the network"},
		{begins: "WINDIE_EMBEDDING_SERVICE_API_KEY=… windie embed", not: "it runs until it is stopped, with a key of the reader's own"},
		{begins: `curl --json '{"user_id":`, prints: `(?s)"summary":".*Porto.*"title":".*Porto`},
		{begins: `curl --json '{"model":`, prints: `"object":\s*"chat\.completion"`},
	},
	"mcp.md": {
		{begins: "windie approvals", not: "its ids are those of calls that wait: TestApprovalsByID answers such"},
		{begins: "curl", prints: `"decisions":`},
		{begins: "windie mcp servers", prints: `files\.ocr_read +risky`, data: "servers"},
		{begins: "windie mcp accept", prints: `nothing has changed`, data: "servers"},
	},
	"memory.md": {
		{begins: "windie memory write", prints: `(?s)MEMORY\.md.*invoice of Miller.*MENDED.*local +2 +0 +0`},
		{begins: "export WINDIE_EMBEDDINGS_BACKEND", not: "it asks for a server of models of the reader's own"},
		{begins: "curl --json", prints: `(?s)"path":"memory/.*The invoice of Miller.*tea without sugar`},
	},
	"operate.md": {
		{begins: "windie backup /backups", prints: `(?s)/backups/windie-[0-9-]+\.tar\.zst has .*windie\.tar\.zst has `},
		{begins: "pg_dump", not: "it asks for a database and a bucket of the reader's own"},
		{begins: "systemctl stop windie\nwindie restore", prints: `(?s)restored.*restored`, data: "restored"},
		{begins: "aws", not: "it asks for a database and a bucket of the reader's own"},
		{begins: "systemctl stop windie\nexport", not: "it asks for a database and a bucket of the reader's own: TestMigrate carries to those of tests"},
		{begins: "sqlite3", not: "it is for a database that is damaged"},
		{begins: "windie user delete", prints: ` is deleted, with all tokens`, data: "hosted"},
		{begins: "windie doctor", prints: `(?s)nothing was removed.*nothing was removed`, code: 1},
		{begins: "windie audit     ", prints: `(?s)memory\.search.*"tool":`},
		{begins: "windie audit --tool", not: "it runs until it is stopped"},
	},
	"plugins.md": {
		{begins: "windie tool runtime add", not: "it fetches the runtime from the network, as scripts/deps.sh does for tests"},
		{begins: "skopeo", not: "it asks for a registry of the reader's own: TestArchiveOfSkopeo has one"},
	},
	"runs.md": {{begins: "export", not: "its programs run until they are stopped: TestDocumentedRuns asks for runs as the guide says"}},
	"sdks.md": {{begins: "python3 -m venv", not: "it fetches packages from the network: TestInstallFromClone runs its lines without"}},
	"screens.md": {
		{begins: "WINDIE_VISION_URL", not: "it asks for a vision model of the reader's own"},
		{begins: "bin/windie locate", prints: `^673,32\n792,564\n$`},
		{begins: "bin/windie look", prints: `button  "Check out"`},
	},
}

// ranElsewhere names the tests that run all blocks of a guide, and fail for another number of them.
var ranElsewhere = map[string][]string{
	"plugins.md": {"TestPluginGuide", "TestPluginSharingGuide"},
}

// Every block of commands in docs is run, or says here why it is not.
func TestGuides(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			testkit.Skip(t, program, "your system's package "+program)
		}
	}
	tests := sourcesOfTests(t)
	r := newFollower(t)
	r.prepare(t)
	for _, file := range guideFiles(t) {
		t.Run(file, func(t *testing.T) {
			languages := "sh|bash|shell|console"
			for _, test := range ranElsewhere[file] {
				if !strings.Contains(tests, "func "+test+"(t *testing.T)") {
					t.Errorf("no test is called %s", test)
				}
				languages = "console" // which that test passes over
			}
			steps := guideSteps[file]
			for _, block := range unansweredBlocks(t, file, languages, strings.Contains(tests, `"docs/`+file+`": `)) {
				i := slices.IndexFunc(steps, func(s guideStep) bool { return strings.HasPrefix(block, s.begins) })
				if i < 0 {
					t.Errorf("nothing runs this block: give guideSteps what it prints, or why it is not run\n%s", block)
					continue
				}
				r.follow(t, block, steps[i])
				steps = slices.Delete(slices.Clone(steps), i, i+1)
			}
			for _, s := range steps {
				t.Errorf("the guide has no block that begins with %q", s.begins)
			}
		})
	}
}

// guideFiles lists the pages of docs that have blocks of commands or steps.
func guideFiles(t *testing.T) (files []string) {
	t.Helper()
	root := filepath.Join(testkit.RepoRoot(t), "docs")
	err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(root, name); err == nil && filepath.Ext(name) == ".md" {
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil || len(files) < 10 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	return files
}

// exchangePattern finds a shell block and the JSON that it prints.
var exchangePattern = regexp.MustCompile("```sh\n([^`]*)```\n```json\n([^`]*)```")

// unansweredBlocks lists the blocks of commands of a guide, in languages as "sh|bash", but for those whose answers
// TestREADME compares, if it does.
func unansweredBlocks(t *testing.T, file, languages string, compared bool) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "docs", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	if compared {
		rest = exchangePattern.ReplaceAllString(rest, "")
	}
	for _, m := range regexp.MustCompile("(?ms)^```(?:"+languages+")\n(.*?)^```$").FindAllStringSubmatch(rest, -1) {
		list = append(list, m[1])
	}
	if begun := len(regexp.MustCompile("(?m)^[ \t>]*```(?:"+languages+")$").FindAllString(rest, -1)); begun != len(list) {
		t.Errorf("%d blocks of commands begin, and %d are found: none may be indented", begun, len(list))
	}
	return list
}

// sourcesOfTests returns the tests of this package and of cmd/windie.
func sourcesOfTests(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Glob(filepath.Join(testkit.RepoRoot(t), "cmd", "windie", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, program...)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// follower follows guides in a folder of their own, beside a gateway.
type follower struct {
	dir, url string
	hosted   string // the URL of a gateway in hosted mode, on the data folder "hosted"
	environ  []string
}

func newFollower(t *testing.T) follower {
	t.Helper()
	root, r := testkit.RepoRoot(t), follower{dir: t.TempDir()}
	bin, data := filepath.Join(r.dir, "bin"), filepath.Join(r.dir, "data")
	for name, script := range map[string]string{
		"xdg-open": "#!/bin/sh\necho \"$1\" > \"$HOME/opened\"\n",
		// No gateway works on the folder that is restored.
		"systemctl": "#!/bin/sh\n",
	} {
		if err := os.MkdirAll(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	putProgram(t, bin)
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	models := filepath.Join(root, ".tools", "models")
	if _, err := os.Stat(filepath.Join(models, "all-MiniLM-L6-v2", "model.safetensors")); err != nil {
		testkit.Skip(t, "the weights of all-MiniLM-L6-v2", "make deps")
	}
	for name, target := range map[string]string{"examples": filepath.Join(root, "examples"), ".data": data, "data/models": models} {
		if err := os.Symlink(target, filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	variables := []string{"WINDIE_DATA_DIR=" + data}
	r.url = rig.Serve(t, variables...)
	r.hosted = rig.Serve(t, "WINDIE_DATA_DIR="+filepath.Join(r.dir, "hosted"), "WINDIE_MODE=hosted")
	r.environ = append([]string{"HOME=" + r.dir, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"WINDIE_LISTEN=" + strings.TrimPrefix(r.url, "http://")}, variables...)
	return r
}

// prepare does what guides take it that their reader did before.
func (r follower) prepare(t *testing.T) {
	t.Helper()
	r.follow(t, `windie memory write --kind long_term "Ada drinks tea without sugar."`, guideStep{prints: `MEMORY\.md`})                                        // which memory.md reads again
	r.follow(t, `curl -H 'X-User-Id: local' --json '{"query":"tea"}' http://127.0.0.1:8765/api/tools/memory.search/invoke`, guideStep{prints: "without sugar"}) // which operate.md lists
	servers := filepath.Join(r.dir, "servers")
	err := errors.Join(os.Mkdir(filepath.Join(r.dir, "backups"), 0o700), os.Mkdir(servers, 0o700),
		os.WriteFile(filepath.Join(servers, "mcp.json"), []byte(`{"mcpServers": {"files": {"command": "windie", "args": ["mcp", "--data-dir", "of-files"]}}}`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

// placeholder is what a guide has in the place of an id.
var placeholder = regexp.MustCompile(`\b(USER|INSTALL)\b`)

// filled returns a block with ids of users and installs of its data folder, made for it, in their places.
func (r follower) filled(t *testing.T, block string, environ []string) string {
	t.Helper()
	if !placeholder.MatchString(block) {
		return block
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", `id=$(windie user create) && echo "$id" && windie token create "$id" | sed -n 's/^install *//p'`)
	cmd.Dir, cmd.Env = r.dir, environ
	out, err := cmd.Output()
	ids := strings.Fields(string(out))
	if err != nil || len(ids) != 2 {
		t.Fatalf("%s, %v", out, err)
	}
	return placeholder.ReplaceAllStringFunc(block, func(name string) string { return map[string]string{"USER": ids[0], "INSTALL": ids[1]}[name] })
}

// follow runs a block, which must print what the step says, unless no test runs it.
func (r follower) follow(t *testing.T, block string, s guideStep) {
	t.Helper()
	if (s.not == "") == (s.prints == "") {
		t.Errorf("%q needs what it prints, or a reason why it is not run", s.begins)
	}
	if s.not != "" {
		return
	}
	_ = os.Remove(filepath.Join(r.dir, "marked.png")) // of the block before
	environ := r.environ
	if s.data != "" {
		environ = append(slices.Clone(environ), "WINDIE_DATA_DIR="+filepath.Join(r.dir, s.data))
	}
	script := strings.NewReplacer("http://127.0.0.1:8765", r.url, "https://windie.example", r.hosted, " /backups", " "+filepath.Join(r.dir, "backups")).Replace(block)
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", r.filled(t, script, environ))
	cmd.Dir, cmd.Env = r.dir, environ
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != s.code || !regexp.MustCompile(s.prints).Match(out) || bytes.Contains(out, []byte(`"error"`)) {
		t.Errorf("%s\nprints %s\n%v; want %d and %s", block, out, err, s.code, s.prints)
	}
	r.wantFile(t, block, "--overlay marked.png", "marked.png")
	r.wantFile(t, block, "--open ", "opened")
}

// wantFile checks that a block with some text left a file.
func (r follower) wantFile(t *testing.T, block, text, file string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(r.dir, file)); strings.Contains(block, text) && err != nil {
		t.Errorf("%s\nleft no file: %v", block, err)
	}
}

// fence begins or ends a block of code, with its language.
var fence = regexp.MustCompile("(?m)^[ \t>]*```+(.*)$")

// Every block of every page has a language, so that commands are known as such.
func TestBlocksHaveLanguages(t *testing.T) {
	t.Parallel()
	root, pages := testkit.RepoRoot(t), 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() != "." && strings.HasPrefix(entry.Name(), ".") && name != root) {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".md" || entry.IsDir() {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		pages++
		for i, m := range fence.FindAllStringSubmatch(string(text), -1) {
			if i%2 == 0 && m[1] == "" {
				t.Errorf("%s: block %d has no language: say sh for commands, text for what is no code", strings.TrimPrefix(name, root), i/2+1)
			}
		}
		return nil
	})
	if err != nil || pages < 30 {
		t.Errorf("%d pages, %v", pages, err)
	}
}
