package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
)

// guideStep is what a block of commands of a guide does.
type guideStep struct {
	begins string // the block
	prints string // a pattern of what it prints
	not    string // why no test runs it; then prints is empty
}

// guideSteps are the blocks of commands of the guides, in their order, but for those of ranElsewhere and those whose
// answers TestREADME compares.
var guideSteps = map[string][]guideStep{
	"console.md": {{begins: "windie console ", prints: `^http://\S+/console/#code=\S+\n$`}},
	"embeddings.md": {
		{begins: "curl --json", prints: `"embedding":\s*\[`},
		{begins: "windie models fetch", not: "it fetches 91 MB from the network"},
		{begins: "WINDIE_EMBEDDING_SERVICE_API_KEY=… windie embed", not: "it runs until it is stopped, with a key of the reader's own"},
	},
	"general.md": {{begins: "curl --json", prints: `(?s)"path":"memory/.*The invoice of Miller.*tea without sugar`}},
	"lists.md": {
		{begins: "KEY=", prints: `(?s)"prompts":\s*\[.*"decisions":\s*\[`},
		{begins: "curl http://127.0.0.1:8765/api/prompt ", prints: `event: prompt\.completed`},
	},
	"memory.md": {
		{begins: "windie memory write", prints: `(?s)MEMORY\.md.*invoice of Miller.*MENDED.*local +2 +0 +0`},
		{begins: "export WINDIE_MEMORY_EMBED_URL", not: "it asks for a server of models of the reader's own"},
	},
	"openai.md":   {{begins: "curl --json", prints: `"object":\s*"chat\.completion"`}},
	"semantic.md": {{begins: "curl --json", prints: `(?s)"summary":".*Porto.*"title":".*Porto`}},
	"tools.md": {
		{begins: "WINDIE_SEARCH_PROVIDER", not: "it asks for a search engine of the reader's own, and runs until it is stopped"},
	},
	"vision.md": {
		{begins: "WINDIE_VISION_URL", not: "it asks for a vision model of the reader's own"},
		{begins: "bin/windie locate", prints: `^673,32\n792,564\n$`},
		{begins: "bin/windie look", prints: `button  "Check out"`},
	},
}

// ranElsewhere names the tests that run all blocks of a guide, and fail for another number of them.
var ranElsewhere = map[string]string{
	"command-line.md":   "TestCommandLineGuide",
	"plugin-sharing.md": "TestPluginSharingGuide",
	"plugins.md":        "TestPluginGuide",
	"prompts.md":        "TestPromptGuide",
}

// Every block of commands in docs is run, or says here why it is not.
func TestGuides(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			testkit.Skip(t, program, "your system's package "+program)
		}
	}
	tests := sourcesOfTests(t)
	r := newFollower(t)
	r.follow(t, `windie memory write --kind long_term "Ada drinks tea without sugar."`, guideStep{prints: `MEMORY\.md`}) // which general.md reads again
	for _, file := range guideFiles(t) {
		t.Run(file, func(t *testing.T) {
			if test := ranElsewhere[file]; test != "" {
				if !strings.Contains(tests, "func "+test+"(t *testing.T)") {
					t.Errorf("no test is called %s", test)
				}
				return
			}
			steps := guideSteps[file]
			for _, block := range unansweredBlocks(t, file) {
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
	if err != nil || len(files) < 30 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	return files
}

// unansweredBlocks lists the blocks of commands of a guide that TestREADME does not run.
func unansweredBlocks(t *testing.T, file string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "docs", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	if answeredRequests["docs/"+file] > 0 {
		rest = exchangePattern.ReplaceAllString(rest, "")
	}
	for _, m := range regexp.MustCompile("(?ms)^```(?:sh|bash|shell|console)\n(.*?)^```$").FindAllStringSubmatch(rest, -1) {
		list = append(list, m[1])
	}
	if begun := len(regexp.MustCompile("(?m)^[ \t>]*```(?:sh|bash|shell|console)").FindAllString(rest, -1)); begun != len(list) {
		t.Errorf("%d blocks of commands begin, and %d are found: none may be indented", begun, len(list))
	}
	return list
}

// sourcesOfTests returns the tests of this package.
func sourcesOfTests(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
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
	environ  []string
}

func newFollower(t *testing.T) follower {
	t.Helper()
	root, r := testkit.RepoRoot(t), follower{dir: t.TempDir()}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, data := filepath.Join(r.dir, "bin"), filepath.Join(r.dir, "data")
	for name, script := range map[string]string{
		"windie":   fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", commandEnv, program),
		"xdg-open": "#!/bin/sh\necho \"$1\" > \"$HOME/opened\"\n",
	} {
		if err := os.MkdirAll(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(r.dir, "examples")); err != nil {
		t.Fatal(err)
	}
	variables := []string{"WINDIE_DATA_DIR=" + data, "WINDIE_EMBEDDINGS_DIR=" + filepath.Join(root, ".tools", "models", "all-MiniLM-L6-v2")}
	r.url = serveForTest(t, variables...)
	r.environ = append([]string{"HOME=" + r.dir, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}, variables...)
	return r
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
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", strings.ReplaceAll(block, "http://127.0.0.1:8765", r.url))
	cmd.Dir, cmd.Env = r.dir, r.environ
	out, err := cmd.Output()
	if err != nil || !regexp.MustCompile(s.prints).Match(out) || bytes.Contains(out, []byte(`"error"`)) {
		t.Errorf("%s\nprints %s\n%v; want %s", block, out, err, s.prints)
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
