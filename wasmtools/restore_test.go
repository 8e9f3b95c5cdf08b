package wasmtools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// A version that is restored while a newer one is being opened stays: the gateway gives up the newer one.
func TestRestoredVersionStays(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{CacheDir: t.TempDir()}, t.TempDir())
	s.put("guest.json", []byte(`{"version":"0"}`))
	s.put("guest.wasm", wasmtest.Echo())
	s.until("a version whose description is stored", "guest", ready)
	if err := os.Remove(filepath.Join(s.dir, "guest.wasm")); err != nil {
		t.Fatal(err)
	}
	s.until("no plugin", "guest", func(st wasmtools.Status) bool { return st.Name == "" })
	release := wasmtools.HoldOpening(s.Plugins)
	defer release()
	s.put("guest.json", []byte(`{"version":"1"}`))
	s.put("guest.wasm", wasmtest.Echo())
	s.until("a newer version that is being opened", "guest", func(st wasmtools.Status) bool { return st.State == wasmtools.Starting })
	s.put("guest.json", []byte(`{"version":"0"}`))
	s.until("the restored version", "guest", ready)
	if wasmtools.IsOpening(s.Plugins, "guest") {
		t.Error("the newer version is still being opened, and replaces the restored one")
	}
}

// A plugin that is deleted while it is being opened is unknown, and no longer starting.
func TestDeletedWhileStarting(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{CacheDir: t.TempDir()}, t.TempDir()) // another test's description would make it ready
	release := wasmtools.HoldOpening(s.Plugins)
	defer release()
	s.put("guest.wasm", wasmtest.Echo())
	s.until("a plugin that is being opened", "guest", func(st wasmtools.Status) bool { return st.State == wasmtools.Starting })
	_, err := s.invoke("guest.echo", `{}`)
	wantCode(t, err, sdkapi.ToolStarting, "")
	if err := os.Remove(filepath.Join(s.dir, "guest.wasm")); err != nil {
		t.Fatal(err)
	}
	s.until("no plugin", "guest", func(st wasmtools.Status) bool { return st.Name == "" })
	_, err = s.invoke("guest.echo", `{}`)
	wantCode(t, err, sdkapi.ToolNotFound, "")
}
