package wasmtools_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	w "github.com/windieos/windie/wasmtools/wasmtest"
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
	wantCode(t, err, sdkapi.ValidationError, "not a WebAssembly module")
	st, err = s.Add(t.Context(), wasmtools.Upload{Name: "guest.wasm", Module: module(t), Manifest: []byte(`{"version":"2"}`)})
	if err != nil || st.Admission.Version != "2" {
		t.Errorf("%+v, %v", st, err)
	}

	if err := s.Remove(t.Context(), "guest"); err != nil {
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
		{"a name that climbs", wasmtools.Upload{Name: "../../etc/9"}, "is not a valid plugin name"},
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

// TestWhatCannotBeServedReplacesNothing uploads versions of a plugin that open,
// and whose tools the registry does not take.
func TestWhatCannotBeServedReplacesNothing(t *testing.T) {
	t.Parallel()
	say := func(text string) []byte { return describing(text, w.I32(0), w.I32(len(text)), w.Call(0)) }
	dir := t.TempDir()
	s := serve(t, wasmtools.Config{}, dir)
	if _, err := s.Add(t.Context(), wasmtools.Upload{Name: "echo.wasm", Module: w.Echo(), Manifest: []byte(`{"version":"1"}`)}); err != nil {
		t.Fatal(err)
	}
	taken := registered{name: "echo.taken"} // of another plugin
	if err := s.registry.Register(taken); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for _, tt := range []struct{ name, description, text string }{
		{"a schema that refers to itself", `{"tools":[{"name":"echo","inputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}}]}`, "input"},
		{"a tool twice", `{"tools":[{"name":"a-b"},{"name":"a_b"}]}`, "name"},
		{"a long description", `{"tools":[{"name":"echo","description":"` + strings.Repeat("d", agent.MaxDescriptionLen+1) + `"}]}`, "description"},
		{"a long name", `{"tools":[{"name":"` + strings.Repeat("n", agent.MaxNameLen+1) + `"}]}`, "name"},
		{"a pattern that is none here", `{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"a":{"pattern":"(?<=x)y"}}}}]}`, "input"},
		{"a name that another has", `{"tools":[{"name":"taken"}]}`, "name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Add(t.Context(), wasmtools.Upload{Name: "echo.wasm", Module: say(tt.description)})
			wantCode(t, err, sdkapi.ValidationError, "")
			if f := fault.From(err); len(f.Details.Fields) == 0 || !strings.Contains(f.Details.Fields[0].Path+f.Message, tt.text) {
				t.Errorf("%v: fields %+v, want one about %s", err, f.Details.Fields, tt.text)
			}
			if after := contents(t, dir); !maps.Equal(before, after) {
				t.Errorf("the folder has changed: it holds %q, and held %q", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
			}
			if st, err := s.Get("echo"); err != nil || !ready(st) || st.Problem != "" || st.Admission.Version != "1" {
				t.Errorf("%+v, %v", st, err)
			}
		})
	}
}

// tool returns a tool that is part of the gateway.
func tool(name string) agent.Tool {
	return agent.Func(agent.Descriptor{Name: name, Description: "Is there.", Risk: agent.Safe}, func(context.Context, agent.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
}

// contents returns the files of a folder of plugins and what they hold, by
// path, without the lock that its first use leaves.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == wasmtools.FolderLock(dir) {
			return err
		}
		raw, err := os.ReadFile(path)
		files[path] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestWhatChangesItsMindReplacesNothing uploads a plugin that describes itself
// now in one way and now in another, of which the registry takes the first: so
// that what was checked is not always what is opened behind it.
func TestWhatChangesItsMindReplacesNothing(t *testing.T) {
	t.Parallel()
	const good, bad, dice = `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"b-c"},{"name":"b_c"}]}`, 1000
	write := func(at, size int) []byte { return w.Seq(w.I32(at), w.I32(size), w.Call(0)) }
	module := w.Module().
		ImportFunc("windie", "output_write", "ii", "").
		ImportFunc(wasiModule, "random_get", "ii", "i").
		Memory(1, 1).Export("memory", 2, 0).Text(0, good).Text(100, bad).
		Fn("describe", "", "",
			w.I32(dice), w.I32(1), w.Call(1), w.Drop,
			w.I32(dice), w.Load8(0), w.I32(128), w.LtU, w.When(write(0, len(good)), w.Return),
			write(100, len(bad))).
		Fn("call", "", "").
		Bytes()
	dir := t.TempDir()
	s := serve(t, wasmtools.Config{}, dir)
	undone := 0
	for n := 0; n < 200 && undone < 3; n++ {
		before := contents(t, dir)
		st, err := s.Add(t.Context(), wasmtools.Upload{Name: "fickle.wasm", Module: module, Manifest: fmt.Appendf(nil, `{"version":"%d"}`, n)})
		if err == nil {
			if !ready(st) || st.Problem != "" {
				t.Fatalf("it was taken, and is %s: %s", st.State, st.Problem)
			}
			continue
		}
		wantCode(t, err, sdkapi.ValidationError, "")
		if strings.Contains(err.Error(), "so the gateway removed it") {
			undone++
		}
		if after := contents(t, dir); !maps.Equal(before, after) {
			t.Fatalf("%v: the folder has changed: it holds %q, and held %q", err, after, before)
		}
	}
	if undone == 0 {
		t.Error("no upload failed behind its check: 200 times the dice fell in one way")
	}
}
