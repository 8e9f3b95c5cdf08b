package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/windieos/windie/internal/test/testkit"
)

// plainRegistry starts a registry that speaks plain HTTP, and returns its host.
func plainRegistry(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// What the guide says that the commands and plugins say is said somewhere.
func TestPluginGuideQuotes(t *testing.T) {
	t.Parallel()
	checkQuotes(t, "plugins.md", 9)
}

// plugin runs a plugin command.
func (a writer) plugin(code int, texts []string, args ...string) string {
	a.t.Helper()
	var out, complaint output
	got := run(a.t.Context(), append([]string{"plugin"}, args...), a.environ, nil, &out, &complaint)
	if got != code {
		a.t.Fatalf("%v: %d, want %d\n%s%s", args, got, code, out.String(), complaint.String())
	}
	for _, text := range texts {
		if !strings.Contains(out.String()+complaint.String(), text) {
			a.t.Errorf("%v: without %q:\n%s%s", args, text, out.String(), complaint.String())
		}
	}
	return out.String()
}

func newSharer(t *testing.T) (a writer, file string) {
	t.Helper()
	a = newWriter(t, "WINDIE_SCRIPT_RUNTIME="+quickjs(t))
	a.put("sample.json", `{"name":"sample","version":"1.0.0"}`)
	return a, a.put("sample.js", sample)
}

// Without a terminal nothing is changed unless a flag agrees, and what grew needs a flag of its own.
func TestPluginConsent(t *testing.T) {
	t.Parallel()
	a, file := newSharer(t)
	a.plugin(0, []string{"sample.say (safe)", "nobody signed it", "pinned to sha256:"}, "add", file)
	a.plugin(0, []string{"nothing changed"}, "update")
	a.put("sample.json", `{"name":"sample","version":"1.1.0"}`)
	a.plugin(exitUsage, []string{"version: 1.1.0, was 1.0.0", "add --yes"}, "update")
	a.plugin(0, []string{"1.0.0"}, "list")
	a.plugin(0, []string{"pinned to"}, "update", "sample", "--yes")
	a.put("sample.json", `{"name":"sample","version":"1.2.0","permissions":{"env":["LANG"]}}`)
	a.plugin(exitFailed, []string{`needs your consent it requests env "LANG"`, "add --accept"}, "update", "--yes")
	a.plugin(0, []string{"1.1.0"}, "list")
	a.plugin(0, []string{"pinned to"}, "update", "--yes", "--accept")
	a.plugin(0, []string{"is the version 1.1.0 again"}, "rollback", "sample")
	a.plugin(exitFailed, []string{"no plugin \"other\" was added from a reference"}, "update", "other")

	var rows pluginRows
	if err := json.Unmarshal([]byte(a.plugin(0, nil, "list", "--json")), &rows); err != nil || len(rows.Plugins) != 1 || rows.Plugins[0].Current.Version != "1.1.0" {
		t.Errorf("the list is %+v, %v", rows, err)
	}
	installed := filepath.Join(a.dir, "data", "plugins", "sample", "sample.js")
	if err := os.WriteFile(installed, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.plugin(0, []string{"differ from those that came from"}, "list")
	a.plugin(0, []string{"is removed"}, "remove", "sample")
	a.plugin(0, []string{"no plugin was added from a reference"}, "list")
}

// A file of trust need not be there; one that is must be whole.
func TestPluginTrustFile(t *testing.T) {
	t.Parallel()
	a, file := newSharer(t)
	a.plugin(0, []string{"nobody signed it"}, "add", file)
	for _, rest := range []string{`{"default":"off"}`, "}", "]", "x"} {
		a.put("data/plugin-trust.json", `{"default":"required"}`+rest)
		a.plugin(exitFailed, []string{"the text has data after the JSON object"}, "add", file)
	}
	a.put("data/plugin-trust.json", `{"default":"required"}`+"\n")
	a.plugin(exitFailed, []string{"the policy requires a signature"}, "add", file)
}

// The file of grants in a shared folder must be there with plugins: without it, plugins that it disables would be served.
func TestPluginGrantsFile(t *testing.T) {
	t.Parallel()
	a, file := newSharer(t)
	grants := filepath.Join(a.dir, "shared", "grants.json")
	a.environ = append(a.environ, "WINDIE_SHARED_DIR="+filepath.Dir(grants))
	a.plugin(0, nil, "add", file)
	if err := os.Remove(grants); err != nil {
		t.Fatal(err)
	}
	want := "shared_dir (WINDIE_SHARED_DIR): the file " + grants + " is missing; create it with {} to grant nothing"
	a.plugin(exitUsage, []string{want}, "list")
	var out, complaint output
	if got := run(t.Context(), []string{"serve", "--listen", "127.0.0.1:0"}, a.environ, nil, &out, &complaint); got != exitUsage || !strings.Contains(complaint.String(), want) {
		t.Errorf("a gateway began: %d\n%s", got, complaint.String())
	}
	if _, err := os.Stat(grants); err == nil {
		t.Error("the file was made")
	}
	a.put("shared/grants.json", `{"sample":{"disabled":true}}`)
	a.plugin(0, []string{"sample"}, "list")
}

// Before there are plugins, the file of grants in a shared folder is made.
func TestPluginGrantsBegin(t *testing.T) {
	t.Parallel()
	a, file := newSharer(t)
	grants := filepath.Join(a.dir, "shared", "grants.json")
	a.environ = append(a.environ, "WINDIE_SHARED_DIR="+filepath.Dir(grants))
	a.plugin(0, nil, "add", file)
	if text, err := os.ReadFile(grants); err != nil || string(text) != "{}\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
	a.plugin(0, []string{"sample"}, "list")
}

// The names of the gateway's own tools are not given away.
func TestPluginNamesOfBuiltInTools(t *testing.T) {
	t.Parallel()
	a, file := newSharer(t)
	for _, name := range []string{"memory", "ocr"} {
		a.plugin(exitFailed, []string{"belongs to built-in tools", "--as"}, "add", file, "--as", name)
	}
	a.plugin(exitFailed, []string{"invalid plugin name"}, "add", file, "--as", "No Name")
}

// checkQuotes checks that a guide's table of refusals quotes what the program says.
func checkQuotes(t *testing.T, guide string, least int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "docs", guide))
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "| message | fix |\n")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(part, -1)
	if len(rows) < least {
		t.Fatalf("the guide's table of refusals has %d rows", len(rows))
	}
	sources := sourcesOf(t, "wasmtools", "agent", "internal/egress")
	for _, row := range rows {
		if !strings.Contains(sources, row[1]) {
			t.Errorf("nothing says %q", row[1])
		}
	}
}
