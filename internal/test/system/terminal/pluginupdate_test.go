//go:build system

package terminal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
)

// In a terminal a person is asked, and once more about what grew; anything but a yes changes nothing.
func TestPluginUpdateAsks(t *testing.T) {
	t.Parallel()
	runtime, dir, data := rig.ScriptRuntime(t), t.TempDir(), t.TempDir()
	put := func(name, text string) (file string) {
		file = filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	plugin := func(t *testing.T, text string, args ...string) {
		t.Helper()
		args = append([]string{"plugin", "--plugins-script-runtime", runtime}, args...)
		if code, out, complaint := onData(t, data, args...); code != 0 || !strings.Contains(out, text) {
			t.Fatalf("%v: %d, without %q\n%s%s", args, code, text, out, complaint)
		}
	}
	put("sample.json", `{"name":"sample","version":"1.0.0"}`)
	plugin(t, "", "add", put("sample.js", `globalThis.tools = [{ name: "word", call: () => "a word" }];`))
	put("sample.json", `{"name":"sample","version":"1.1.0","permissions":{"env":["LANG"]}}`)
	for _, tt := range []struct {
		name    string
		answers []string
		want    string // of the screen
		version string // afterwards
	}{
		{"no", []string{"n"}, "sample stays as it is", "1.0.0"},
		{"nothing", []string{""}, "sample stays as it is", "1.0.0"},
		{"yes, and no to more", []string{"y", "n"}, "sample stays as it is", "1.0.0"},
		{"yes to both", []string{"y", "yes"}, "pinned to sha256:", "1.1.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := rig.InTerminal(t, dir, data, "plugin", "update", "--plugins-script-runtime", runtime)
			questions := []string{"Take this version of sample? [y/N]", "Take it all the same? [y/N]"}
			for i, answer := range tt.answers {
				x.Shows(questions[i])
				x.Says(answer)
			}
			x.Shows(tt.want, "ended with")
			plugin(t, tt.version, "list")
		})
	}
}
