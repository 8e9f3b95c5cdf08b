package docs_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// coveragePage is the page whose tables, from the heading Routes on, this test writes.
const coveragePage = "docs/sdks.md"

// ownMessages are the methods for messages of /ws that clients have besides the one for all messages: in Go, TypeScript
// and Python.
var ownMessages = map[string][3]string{
	sdkapi.WSHandshakeType:    {"Client.WakeUp", "AgentClient.wakeUp", "AgentSdkClient.wake_up"},
	sdkapi.WSQuery:            {"WokenAgent.Ask", "agent.ask", "agent.ask"},
	sdkapi.WSToolResult:       {"WakeTool.Run", "tool", "Tool"},
	sdkapi.WSToolBundleResult: {"WakeTool.Run", "tool", "Tool"},
	sdkapi.WSApprovalDecision: {"WakeOptions.Approve", "onApproval", "on_approval"},
}

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

// scriptName returns how programs call a method of the TypeScript client, and by snake of the Python client.
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

// snakeName returns how programs call that of the Python client.
func snakeName(script string) string {
	holder, name, _ := strings.Cut(strings.Replace(script, "AgentClient", "AgentSdkClient", 1), ".")
	return holder + "." + upperLetter.ReplaceAllStringFunc(name, func(letter string) string { return "_" + strings.ToLower(letter) })
}

var upperLetter = regexp.MustCompile("[A-Z]")

// coverageTables are the tables of routes, and of the messages of /ws, by clients.
func coverageTables(t *testing.T, doc map[string]any) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("## Routes\n\n| route | Go | TypeScript | Python |\n| --- | --- | --- | --- |\n")
	paths, _ := doc["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, _ := paths[path].(map[string]any)
		for _, method := range []string{"get", "head", "post", "put", "delete"} {
			name, _ := doorstest.Field(item[method], "x-sdk").(string)
			if item[method] == nil || strings.HasPrefix(path, "/openai/") {
				continue
			}
			script := scriptName(name)
			fmt.Fprintf(&out, "| `%s %s` | `%s` | `%s` | `%s` |\n", strings.ToUpper(method), path, goName(t, name), script, snakeName(script))
		}
	}
	for _, side := range []struct{ heading, union, inGo, script, python string }{
		{"What a client sends at `/ws`", "WSClientMessage", "WokenAgent.Send", "agent.session.send", "agent.send"},
		{"What a client hears at `/ws`", "WSServerMessage", "WakeOptions.Heard", "agent.session.on", "agent.on"},
	} {
		fmt.Fprintf(&out, "\n## %s\n\n| message | Go | TypeScript | Python |\n| --- | --- | --- | --- |\n", side.heading)
		mapping, _ := doorstest.Field(doc, "components", "schemas", side.union, "discriminator", "mapping").(map[string]any)
		if len(mapping) < 10 {
			t.Errorf("%s has %d messages", side.union, len(mapping))
		}
		for _, kind := range slices.Sorted(maps.Keys(mapping)) {
			names := [3]string{side.inGo, side.script, side.python}
			if own, ok := ownMessages[kind]; ok {
				names = own
			}
			fmt.Fprintf(&out, "| `%s` | `%s` | `%s` | `%s` |\n", kind, names[0], names[1], names[2])
		}
	}
	return out.String()
}

// The tables of clients are those of the API document; -update writes them anew. That the clients for TypeScript and
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
	tables := coverageTables(t, doc)
	want := head + tables
	if strings.Contains(tables, "``") {
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
