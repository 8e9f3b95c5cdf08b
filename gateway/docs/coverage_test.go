package docs_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// coveragePage is the page whose table, under the heading Routes, this test writes.
const coveragePage = "docs/sdks.md"

// goName returns how programs call a method of the Go client.
func goName(t *testing.T, operation string) string {
	t.Helper()
	method, known := goMethods[operation]
	if !known {
		t.Errorf("the Go client has no method for %s", operation)
		return ""
	}
	name := runtime.FuncForPC(reflect.ValueOf(method).Pointer()).Name()
	return strings.NewReplacer("(*", "", ")", "").Replace(name[strings.LastIndex(name, "/sdk.")+len("/sdk."):])
}

// scriptName returns how programs call a method of the TypeScript client.
func scriptName(operation string) string {
	group, name, grouped := strings.Cut(operation, ".")
	switch {
	case operation == "wakeUp":
		return "AgentClient.wakeUp"
	case !grouped:
		return "windie." + operation
	case group == "screen":
		return "screen." + name
	}
	return "windie." + operation
}

// coverageTable is the table of routes by clients.
func coverageTable(t *testing.T, doc map[string]any) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("## Routes\n\n| route | Go | TypeScript |\n| --- | --- | --- |\n")
	paths, _ := doc["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, _ := paths[path].(map[string]any)
		for _, method := range []string{"get", "head", "post", "put", "delete"} {
			name, _ := doorstest.Field(item[method], "x-sdk").(string)
			if item[method] == nil || strings.HasPrefix(path, "/openai/") {
				continue
			}
			fmt.Fprintf(&out, "| `%s %s` | `%s` | `%s` |\n", strings.ToUpper(method), path, goName(t, name), scriptName(name))
		}
	}
	return out.String()
}

// The table of routes is that of the API document; -update writes it anew. That the clients for TypeScript and
// Python have the methods, their own tests check by the same document.
func TestCoverageIsCurrent(t *testing.T) {
	t.Parallel()
	_, doc := doorstest.DocumentOf(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_HOSTED")+"/openapi.json")
	at := filepath.Join(testkit.RepoRoot(t), coveragePage)
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "## Routes\n")
	table := coverageTable(t, doc)
	want := head + table
	if strings.Contains(table, "``") {
		t.Error("a row has a gap")
	}
	if want == string(text) {
		return
	}
	if !*doorstest.Update {
		t.Fatalf("%s is not what the API document says; run go test -run '^TestCoverageIsCurrent$' ./gateway/docs -update", coveragePage)
	}
	if err := os.WriteFile(at, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}
