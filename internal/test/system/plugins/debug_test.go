//go:build system

package plugins_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
)

// TestDebugBuilds has a new plugin of each language crash where it would refuse a text: where that was has a name after a build
// with --debug, and a number without.
func TestDebugBuilds(t *testing.T) {
	t.Parallel()
	named, numbered := regexp.MustCompile(`(?m)^  [A-Za-z_]`), regexp.MustCompile(`(?m)^  \$\d+\(`)
	for _, tt := range []struct {
		language, file, refusal, crash string
		with                           toolchain
	}{
		{"c", "notes.c", `return windie_tool_error(`, `__builtin_trap(); return windie_tool_error(`, cTools},
		{"rust", "src/lib.rs", `return Err(`, `panic!("boom"); return Err(`, rust},
		{"assemblyscript", "notes.ts", `return Answer.fail(`, `unreachable(); return Answer.fail(`, script},
	} {
		t.Run(tt.language, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "notes")
			run := func(environ []string, args ...string) string {
				t.Helper()
				var out rig.Output
				rig.Run(t.Context(), append([]string{"tool"}, args...), append(environ, "WINDIE_DATA_DIR="+t.TempDir()), nil, &out, &out)
				return out.String()
			}
			said := run(nil, "new", tt.language, dir)
			file := filepath.Join(dir, tt.file)
			text, err := os.ReadFile(file)
			if err != nil || !bytes.Contains(text, []byte(tt.refusal)) {
				t.Fatalf("%v: %s\n%s", err, said, text)
			}
			if err := os.WriteFile(file, bytes.Replace(text, []byte(tt.refusal), []byte(tt.crash), 1), 0o600); err != nil {
				t.Fatal(err)
			}
			environ := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, tt.with.ready(t, dir)...)
			for debug, want := range map[string]*regexp.Regexp{"--debug": named, "--debug=false": numbered} {
				built := run(environ, "build", debug, dir)
				if got := run(nil, "call", filepath.Join(dir, "notes.wasm"), "count", `{"text":"\u0000"}`); !want.MatchString(got) {
					t.Errorf("%s:\n%s\n%s", debug, built, got)
				}
			}
		})
	}
}
