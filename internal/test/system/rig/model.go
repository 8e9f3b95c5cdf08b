package rig

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/models/modelstest"
)

// ModelThatSays returns a server of a model that answers with reply, and the variables that have a gateway ask it.
func ModelThatSays(t testing.TB, reply modelstest.Reply) (server *modelstest.Server, variables []string) {
	t.Helper()
	server = modelstest.Serve(t, modelstest.OpenAI, reply)
	file := filepath.Join(t.TempDir(), "models.yaml")
	catalogue := fmt.Sprintf("providers:\n  - {id: here, kind: openai, local: true, base_url: %q}\nmodels:\n  - {id: slow, provider: here}\n", server.URL)
	if err := os.WriteFile(file, []byte(catalogue), 0o600); err != nil {
		t.Fatal(err)
	}
	return server, []string{"WINDIE_MODELS=" + file, "WINDIE_MODEL=slow"}
}
