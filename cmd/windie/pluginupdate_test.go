package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each kind of change that an update brings is shown before it is taken. What asks for more than
// before is taken with --accept alone, and until then the version before stays.
func TestPluginUpdateShows(t *testing.T) {
	t.Parallel()
	const manifest = `{"name":"sample","version":"1.1.0","permissions":{"env":["LANG"],"kv":{"bytes":1000}}}`
	for _, tt := range []struct {
		name     string
		manifest [2]string // of it, and in its place
		script   [2]string
		shows    []string
		grows    bool
	}{
		{name: "a tool was added", script: [2]string{`{ name: "word"`, `{ name: "extra", description: "More.", call: () => "x" }, { name: "word"`}, shows: []string{"tool sample.extra: new, risky: More."}},
		{name: "a tool was removed", script: [2]string{`{ name: "word", call: () => "a <word>\n" },`, ``}, shows: []string{"tool sample.word: gone"}},
		{
			name: "a field became required", shows: []string{"tool sample.say: takes loud: a new field", "tool sample.say: takes loud: it is required now"},
			script: [2]string{`text: { type: "string" } }, required: ["text"]`, `text: { type: "string" }, loud: { type: "boolean" } }, required: ["text", "loud"]`},
		},
		{name: "a type changed", script: [2]string{`text: { type: "string" }`, `text: { type: "integer" }`}, shows: []string{`tool sample.say: takes text: type "integer", was "string"`}},
		{name: "the answer's schema changed", script: [2]string{`outputSchema: { type: "object", required: ["truth"] }`, `outputSchema: { type: "object" }`}, shows: []string{"tool sample.lie: gives truth: it is no longer required"}},
		{name: "a permission grew", manifest: [2]string{`"bytes":1000`, `"bytes":2000`}, shows: []string{`it requests kv {"bytes":2000}`, `no longer asks for kv {"bytes":1000}`}, grows: true},
		{name: "a permission is new", manifest: [2]string{`["LANG"]`, `["LANG","HOME"]`}, shows: []string{`it requests env "HOME"`}, grows: true},
		{name: "a permission shrank", manifest: [2]string{`"env":["LANG"],`, ``}, shows: []string{`permissions: it no longer asks for env "LANG"`}},
		{name: "a tool says that it only reads now", script: [2]string{`{ name: "word",`, `{ name: "word", annotations: { readOnlyHint: true },`}, shows: []string{"digest: sha256:"}},
		{name: "the version went down", manifest: [2]string{`1.1.0`, `1.0.9`}, shows: []string{"the version 1.0.9 is older than 1.1.0"}, grows: true},
		{name: "only the content changed", script: [2]string{`a <word>`, `another <word>`}, shows: []string{"digest: sha256:", "version: 1.1.0 again, with other content"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newWriter(t, "WINDIE_SCRIPT_RUNTIME="+quickjs(t))
			a.put("sample.json", manifest)
			a.plugin(0, []string{"pinned to"}, "add", a.put("sample.js", sample))
			a.put("data/grants.json", fmt.Sprintf(`{"sample":{"source":%q,"permissions":{"tools":["ocr.read"]}}}`, "file://"+filepath.Join(a.dir, "sample.js")))
			before := a.installed()
			a.put("sample.json", strings.Replace(manifest, tt.manifest[0], tt.manifest[1], 1))
			a.put("sample.js", strings.Replace(sample, tt.script[0], tt.script[1], 1))

			a.plugin(exitUsage, append(tt.shows, "add --yes"), "update", "sample")
			if tt.grows {
				a.plugin(exitFailed, append(tt.shows, "needs your consent", "add --accept"), "update", "sample", "--yes")
			}
			if now := a.installed(); now != before {
				t.Errorf("without a consent the plugin became\n%s", now)
			}
			flags := []string{"update", "sample", "--yes"}
			if tt.grows {
				flags = append(flags, "--accept")
			}
			a.plugin(0, append(tt.shows, "pinned to"), flags...)
			if a.installed() == before {
				t.Error("with a consent the plugin stayed")
			}
		})
	}
}

// installed returns the plugin's files in the gateway's folder.
func (a writer) installed() (all string) {
	a.t.Helper()
	for _, name := range []string{"sample.js", "sample.json"} {
		content, err := os.ReadFile(filepath.Join(a.dir, "data", "plugins", "sample", name))
		if err != nil {
			a.t.Fatal(err)
		}
		all += string(content)
	}
	return all
}

// An update says that there is a newer version under another tag, and what it prints takes that.
func TestPluginUpdateNamesAnotherTag(t *testing.T) {
	t.Parallel()
	a, file := newSharer(t)
	host := plainRegistry(t)
	a.environ = append(a.environ, "WINDIE_PLUGIN_PRIVATE_HOSTS=http://"+host, "DOCKER_CONFIG="+a.dir)
	first := "oci://" + host + "/tools/sample:1.0.0"
	a.plugin(0, nil, "push", file, first, "--readme", "none")
	a.plugin(0, nil, "add", first, "--as", "mine")
	if out := a.plugin(0, []string{"nothing changed"}, "update"); strings.Contains(out, "is there too") {
		t.Errorf("nothing is there:\n%s", out)
	}
	a.put("sample.json", `{"name":"sample","version":"1.1.0"}`)
	next := "oci://" + host + "/tools/sample:1.1.0"
	a.plugin(0, nil, "push", file, next, "--readme", "none")
	out := a.plugin(0, []string{"nothing changed", "1.1.0 is there too"}, "update")
	_, command, _ := strings.Cut(strings.TrimSpace(out), "take it with: windie plugin ")
	a.plugin(0, []string{"version: 1.1.0, was 1.0.0", "pinned to"}, append(strings.Fields(command), "--yes")...)
	if out := a.plugin(0, []string{"nothing changed"}, "update"); strings.Contains(out, "is there too") {
		t.Errorf("the newest is here:\n%s", out)
	}
	a.plugin(exitFailed, []string{`has no version "latest"; it has: "1.0.0", "1.1.0"`}, "inspect", "oci://"+host+"/tools/sample")
}
