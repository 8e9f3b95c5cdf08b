package wasmtools_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// A file of grants that was named and vanishes takes nothing with it: what it disabled stays disabled, and
// no other file takes its place.
func TestNamedGrantsThatVanish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := wasmtools.Folder{Dir: dir, Grants: filepath.Join(dir, ".grants.json"), Named: true}
	open := func() (*wasmtools.Plugins, error) {
		return wasmtools.NewPlugins(newEngine(t, wasmtools.Config{}), agent.NewRegistry(), folder)
	}
	_, err := open()
	wantCode(t, err, sdkapi.StorageUnavailable, "restore the file, or write {} into it to grant nothing")
	put(t, dir, ".grants.json", []byte(`{}`))
	p, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err = p.Add(t.Context(), wasmtools.Upload{Name: "echo.wasm", Module: w.Echo()}); err == nil {
		_, err = p.Disable(t.Context(), "echo")
	}
	if err := errors.Join(err, os.Remove(folder.Grants)); err != nil {
		t.Fatal(err)
	}
	_, err = p.Grant(t.Context(), "echo", wasmtools.Grant{})
	wantCode(t, err, sdkapi.StorageUnavailable, "is missing")
	wantCode(t, p.Remove(t.Context(), "echo"), sdkapi.StorageUnavailable, "is missing")
	if st, err := p.Get("echo"); err != nil || st.State != wasmtools.Disabled || !p.GrantOf("echo").Disabled {
		t.Errorf("it is %+v, %v", st, err)
	}
	if _, err := os.Stat(folder.Grants); err == nil {
		t.Error("a file was made")
	}
}

// A file that contains null is invalid: no grants are {}.
func TestGrantsAreAnObject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, ".grants.json", []byte("null\n"))
	err := wasmtools.ChangeGrant(t.Context(), filepath.Join(dir, ".grants.json"), "echo", func(g wasmtools.Grant, _ bool) (wasmtools.Grant, bool) {
		g.Disabled = true
		return g, true
	})
	wantCode(t, err, sdkapi.ValidationError, "expected a JSON object")
	_, err = wasmtools.ParseManifest([]byte("null"))
	wantCode(t, err, sdkapi.ValidationError, "expected a JSON object")
}

// A gateway without a file of grants removes plugins too.
func TestRemoveWithoutGrants(t *testing.T) {
	t.Parallel()
	p, err := wasmtools.NewPlugins(newEngine(t, wasmtools.Config{}), agent.NewRegistry(), wasmtools.Folder{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err = p.Add(t.Context(), wasmtools.Upload{Name: "echo.wasm", Module: w.Echo()}); err == nil {
		err = p.Remove(t.Context(), "echo")
	}
	if err != nil {
		t.Error(err)
	}
}

// A problem that comes back after it was solved is logged again.
func TestProblemsAreLoggedAgain(t *testing.T) {
	t.Parallel()
	log := &lines{}
	s := serve(t, wasmtools.Config{Log: slog.New(slog.NewTextHandler(log, nil))}, t.TempDir())
	s.put("guest.wasm", w.Echo())
	for n, grants := range []string{`{"guest":{"disabled":true}}`, `{}`} {
		s.put(".grants.json", []byte("{"))
		testkit.Eventually(t, "the problem in the log", func() (int, bool) {
			got := strings.Count(log.String(), "cannot scan for plugins")
			return got, got == n+1
		})
		s.put(".grants.json", []byte(grants))
		s.until("the file is read", "guest", func(st wasmtools.Status) bool {
			return n == 0 && st.State == wasmtools.Disabled || n == 1 && st.State == wasmtools.Ready
		})
	}
}
