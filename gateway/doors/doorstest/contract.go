package doorstest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ValueOf returns the value of the environment variable name in env, or empty if it is not set. If env has several
// entries for it, the last entry counts.
func ValueOf(env []string, name string) string {
	for _, v := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// DocumentOf fetches a gateway's API document. It returns the document, and a file with its text.
func DocumentOf(t *testing.T, url string) (file string, doc map[string]any) {
	t.Helper()
	_, body := Get(t, url)
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, doc
}
