//go:build system

package clients_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// OpenAI's own clients make all their calls.
func TestOpenAIClients(t *testing.T) {
	t.Parallel()
	installed := filepath.Join(testkit.RepoRoot(t), ".tools", "openai")
	if _, err := os.Stat(filepath.Join(installed, "stamp")); err != nil {
		testkit.Skip(t, "OpenAI's clients", "make deps-system")
	}
	calls := map[string]string{"python3": "53 calls\n", "node": "43 calls\n"}
	for _, language := range []string{"python3", "node"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			url, dir := doorstest.OpenaiGateway(t), t.TempDir()
			picture := filepath.Join(dir, "card.png")
			if err := os.WriteFile(picture, gatewaytest.Card(), 0o600); err != nil {
				t.Fatal(err)
			}
			shot := doorstest.Upload(t, url)
			script := map[string]string{"python3": "client.py", "node": "client.mjs"}[language]
			source, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "gateway", "testdata", "openai", script))
			if err == nil { // node looks for modules beside the script
				err = errors.Join(os.WriteFile(filepath.Join(dir, script), source, 0o600), os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")))
			}
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, language, script, url+sdkapi.OpenAIPath, shot, picture)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONPATH="+filepath.Join(installed, "python"), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), calls[language]) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// Programs that get typed answers from a model get them by each way that they have.
func TestStructuredAnswers(t *testing.T) {
	t.Parallel()
	installed := filepath.Join(testkit.RepoRoot(t), ".tools", "openai")
	if _, err := os.Stat(filepath.Join(installed, "stamp")); err != nil {
		testkit.Skip(t, "OpenAI's clients", "make deps-system")
	}
	source := filepath.Join(testkit.RepoRoot(t), "gateway", "testdata", "openai", "structured")
	for script, answers := range map[string]string{
		"instructor-client.py": "4 answers\n", "langchain-client.py": "6 answers\n", "pydantic-ai-client.py": "6 answers\n",
		"openai-agents-client.py": "8 answers\n", "vercel.mjs": "12 answers\n",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			url, dir := doorstest.OpenaiGateway(t), t.TempDir()
			if err := errors.Join(os.CopyFS(dir, os.DirFS(source)), os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules"))); err != nil {
				t.Fatal(err)
			}
			name, isPython := strings.CutSuffix(script, ".py")
			language := map[bool]string{true: "python3", false: "node"}[isPython]
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, language, script, url+sdkapi.OpenAIPath)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONPATH="+filepath.Join(installed, name), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), answers) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
