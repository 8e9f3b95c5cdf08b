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

// OpenAI's own clients make forty calls each.
func TestOpenAIClients(t *testing.T) {
	t.Parallel()
	installed := filepath.Join(testkit.RepoRoot(t), ".tools", "openai")
	if _, err := os.Stat(filepath.Join(installed, "stamp")); err != nil {
		testkit.Skip(t, "OpenAI's clients", "make deps-system")
	}
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
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "40 calls\n") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
