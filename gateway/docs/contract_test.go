package docs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// contractFile is the API document that the clients for TypeScript and Python are built of.
const contractFile = "sdk/openapi.json"

// contractText returns a document of a gateway in the form of contractFile: with one address for all gateways, and a line for
// each value.
func contractText(t *testing.T, doc map[string]any) []byte {
	t.Helper()
	doc["servers"] = []any{map[string]any{"url": "/"}}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(doc); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// The committed document is that of a hosted gateway; -update writes it anew.
func TestContractIsCurrent(t *testing.T) {
	t.Parallel()
	_, doc := doorstest.DocumentOf(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_HOSTED")+"/openapi.json")
	at, want := filepath.Join(testkit.RepoRoot(t), contractFile), contractText(t, doc)
	if have, _ := os.ReadFile(at); bytes.Equal(have, want) {
		return
	}
	if !*doorstest.Update {
		t.Fatalf("%s is not the document of the gateway; run go test -run '^TestContractIsCurrent$' ./gateway/docs -update, then make deps", contractFile)
	}
	if err := os.WriteFile(at, want, 0o600); err != nil {
		t.Fatal(err)
	}
}
