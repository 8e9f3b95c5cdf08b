package minilm

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// weights returns the folder with the files of the model, which are not in the repository.
func weights(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(testkit.RepoRoot(t), ".tools", "models", "all-MiniLM-L6-v2")
	for _, name := range []string{weightsFile, vocabularyFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			testkit.Skip(t, "the weights of all-MiniLM-L6-v2", "make deps")
		}
	}
	return dir
}

// shared opens the model once for all tests.
var shared struct {
	once  sync.Once
	model *Model
	err   error
}

// opened returns the model.
func opened(t testing.TB) *Model {
	t.Helper()
	dir := weights(t)
	shared.once.Do(func() { shared.model, shared.err = Open(dir) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.model
}
