//go:build system

package guides_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// The commands of the section "Prompts" of docs/http-api.md do what it says of them, with plain commands in place of a
// language model.
func TestPromptGuide(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			testkit.Skip(t, program, "your system's package "+program)
		}
	}
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "docs", "http-api.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, begun := strings.Cut(string(text), "\n## Prompts\n")
	section, _, ended := strings.Cut(section, "\n## Tools\n")
	if !begun || !ended {
		t.Fatal("the page has no section \"Prompts\" before \"Tools\"")
	}
	url := rig.Serve(t)
	found := regexp.MustCompile("```sh\n([^`]*)```").FindAllStringSubmatch(section, -1)
	tells := []string{"event: prompt.completed", "DECISION_NOT_FOUND", "event: prompt.completed", `"id":"conv_`}
	if len(found) != len(tells) {
		t.Fatalf("%d blocks of commands, want %d", len(found), len(tells))
	}
	prompt := ""
	for i, block := range found {
		cmd := exec.CommandContext(t.Context(), "bash", "-euc", strings.ReplaceAll(block[1], "http://127.0.0.1:8765", url))
		cmd.Env = append(os.Environ(), "PROMPT="+prompt)
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), tells[i]) {
			t.Errorf("%s\nprints %s, %v; want %s", block[1], out, err, tells[i])
		}
		if id := regexp.MustCompile(`prompt_[a-z2-7]{26}\.\d+`).FindString(string(out)); id != "" {
			prompt = id
		}
	}
}
