package wasmtools_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
)

func TestPluginsAreManaged(t *testing.T) {
	t.Parallel()
	var forgotten []string
	forget := func(plugin string) error { forgotten = append(forgotten, plugin); return nil }
	s := serve(t, wasmtools.Config{Forget: forget}, t.TempDir())
	st, err := s.Add(t.Context(), wasmtools.Upload{Name: "Guest.wasm", Module: module(t), Manifest: []byte(`{"version":"1"}`)})
	if err != nil || st.Name != "guest" || !ready(st) || st.File != filepath.Join("guest", "guest.wasm") {
		t.Fatalf("%+v, %v", st, err)
	}
	if a, err := s.invoke("guest.echo", `{"text":"x"}`); err != nil || a.Text != "x" {
		t.Errorf("%+v, %v", a, err)
	}

	st, err = s.Disable(t.Context(), "guest")
	if err != nil || st.State != wasmtools.Disabled {
		t.Errorf("%+v, %v", st, err)
	}
	_, err = s.invoke("guest.echo", `{}`)
	wantCode(t, err, sdkapi.ToolNotFound, "")
	if st, err = s.Enable(t.Context(), "guest"); err != nil || !ready(st) {
		t.Errorf("%+v, %v", st, err)
	}

	grant := wasmtools.Grant{Config: map[string]string{"greeting": "granted"}, Risk: map[string]agent.Risk{"echo": agent.Forbidden}}
	if st, err = s.Grant(t.Context(), "guest", grant); err != nil || !ready(st) {
		t.Errorf("%+v, %v", st, err)
	}
	_, err = s.invoke("guest.echo", `{}`)
	wantCode(t, err, sdkapi.ToolForbidden, "")
	if a, err := s.invoke("guest.config", `{"text":"greeting"}`); err != nil || a.Text != "granted" {
		t.Errorf("%+v, %v", a, err)
	}

	_, err = s.Add(t.Context(), wasmtools.Upload{Name: "guest.wasm", Module: []byte("broken")})
	wantCode(t, err, sdkapi.ValidationError, "no WebAssembly module")
	st, err = s.Add(t.Context(), wasmtools.Upload{Name: "guest.wasm", Module: module(t), Manifest: []byte(`{"version":"2"}`)})
	if err != nil || st.Admission.Version != "2" {
		t.Errorf("%+v, %v", st, err)
	}

	if err := s.Remove("guest"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("guest"); fault.CodeOf(err) != sdkapi.NotFound {
		t.Errorf("still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "guest")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
	if len(forgotten) != 1 || forgotten[0] != "guest" {
		t.Errorf("forgotten is what %q stored", forgotten)
	}
	raw, err := os.ReadFile(filepath.Join(s.dir, ".grants.json"))
	if err != nil || strings.Contains(string(raw), "guest") {
		t.Errorf("its grant is still there: %s, %v", raw, err)
	}
}

func TestManagingRefuses(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{}, t.TempDir())
	s.put("file.wasm", module(t))
	s.until("a plugin", "file", ready)
	for _, tt := range []struct {
		name   string
		upload wasmtools.Upload
		text   string
	}{
		{"a name that climbs", wasmtools.Upload{Name: "../../etc/9"}, "gives no name"},
		{"a manifest that is none", wasmtools.Upload{Name: "a", Manifest: []byte("{")}, "manifest"},
		{"the name of a file", wasmtools.Upload{Name: "file", Module: module(t)}, "file.wasm"},
	} {
		_, err := s.Add(t.Context(), tt.upload)
		wantCode(t, err, sdkapi.ValidationError, tt.text)
	}
	_, err := s.Grant(t.Context(), "nobody", wasmtools.Grant{})
	wantCode(t, err, sdkapi.NotFound, "nobody")
	_, err = s.Grant(t.Context(), "file", wasmtools.Grant{Limits: wasmtools.Limits{Fuel: -1}})
	wantCode(t, err, sdkapi.ValidationError, "grant")
	if entries, err := os.ReadDir(s.dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}
