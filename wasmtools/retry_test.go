package wasmtools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// A plugin whose folder is mounted after the gateway started opens then, and is broken until then: also one
// whose tools are known from before.
func TestFailedPluginIsTriedAgain(t *testing.T) {
	t.Parallel()
	dir, cache, data := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "mounted-later")
	put(t, dir, ".grants.json", fmt.Appendf(nil, `{"guest":{"permissions":{"fs":[{"path":%q,"at":"/data"}]}}}`, data))
	put(t, dir, "guest.wasm", wasmtest.Echo())
	for _, start := range []string{"the first start", "a start that knows its tools"} {
		t.Run(start, func(t *testing.T) {
			s := serve(t, wasmtools.Config{CacheDir: cache}, dir)
			s.until("what is missing", "guest", func(st wasmtools.Status) bool {
				return st.State == wasmtools.Broken && strings.Contains(st.Problem, data) && len(st.Tools) == 0
			})
			_, err := s.invoke("guest.echo", `{"text":"x"}`)
			wantCode(t, err, sdkapi.ToolNotFound, "")
			if err := os.Mkdir(data, 0o700); err != nil {
				t.Fatal(err)
			}
			s.until("the plugin with its folder", "guest", func(st wasmtools.Status) bool { return ready(st) && st.Problem == "" })
			if _, err := s.invoke("guest.echo", `{"text":"x"}`); err != nil {
				t.Error(err)
			}
			if err := os.Remove(data); err != nil {
				t.Fatal(err)
			}
		})
	}
}
