package shelf_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"
	"go.uber.org/goleak"

	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A plugin is published, added, updated with each kind of change, and put back.
func TestWayOfAPlugin(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	ref := m.push("tools/repeat:1", signed(pkg(`{"name":"repeat","version":"1.0.0","permissions":{"kv":{"bytes":1000}}}`), m.key))
	first := m.mustAdd(shelf.Request{Reference: ref})
	if first.Name != "repeat" || !first.Signed.First || first.Signed.Key != sign.Public(m.key) || first.After.Version != "1.0.0" || first.Before != nil {
		t.Fatalf("it was added as %+v", first)
	}
	again := m.mustAdd(shelf.Request{Reference: ref})
	if !again.Nothing() || again.Signed.First || len(again.Grew)+len(again.Differs) > 0 {
		t.Errorf("the same again: %+v", again)
	}
	m.grant(`{"repeat":{"source":"oci://` + m.host + `/tools/repeat","sha256":"` + first.After.Module + `","permissions":{"kv":{"bytes":1000}}}}`)

	left := filepath.Join(m.dir, ".new-plugins.lock.json-1") // by one that was killed
	if err := os.WriteFile(left, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := pkg(`{"name":"repeat","version":"1.1.0","permissions":{"kv":{"bytes":2000},"env":["LANG"]},"limits":{"wall_ms":60000},"config":{"a":"b"}}`)
	next.Module = append(next.Module, 0, 2, 1, 'x') // a custom section
	m.push("tools/repeat:1", signed(next, m.key))
	second := m.mustAdd(shelf.Request{Reference: ref})
	mustContain(t, strings.Join(second.Grew, "\n"), `kv {"bytes":2000}`, `env "LANG"`, "wall_ms of 60000, was 30000")
	mustContain(t, strings.Join(second.Differs, "\n"), "digest: "+second.After.Digest, "version: 1.1.0, was 1.0.0", `no longer asks for kv {"bytes":1000}`, `setting a: "b"`)
	if grants, err := os.ReadFile(m.cfg.Grants); err != nil || !strings.Contains(string(grants), second.After.Module) {
		t.Errorf("the grant is %s, %v, without the new hash", grants, err)
	}

	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was left beside the lock is still there: %v", err)
	}
	m.registry.Close() // going back needs no network
	s := m.shelf()
	back, err := s.Rollback(t.Context(), "repeat", "")
	if err != nil || back.Digest != first.After.Digest {
		t.Fatalf("back: %+v, %v", back, err)
	}
	list, err := s.List()
	if err != nil || len(list) != 1 || list[0].Problem != "" || list[0].Current.Version != "1.0.0" {
		t.Errorf("the list is %+v, %v", list, err)
	}
	if _, err := s.Rollback(t.Context(), "repeat", ""); err == nil || !strings.Contains(err.Error(), "has no earlier version") {
		t.Errorf("back once more: %v", err)
	}
	if _, err := s.Remove(t.Context(), "repeat"); err != nil {
		t.Fatal(err)
	}
	for name, content := range m.files() {
		if strings.Contains(name, "repeat") || strings.Contains(content, "repeat") {
			t.Errorf("after the removal %s has %s", name, content)
		}
	}
}

// A lock without plugins is empty, in whatever way it says so. A plugin can be added to it.
func TestEmptyLock(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{`{"v":1,"plugins":null}`, `{"v":1,"plugins":{}}`, `{"v":1}`} {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			if err := os.WriteFile(filepath.Clean(m.cfg.Dir)+".lock.json", []byte(lock), 0o600); err != nil {
				t.Fatal(err)
			}
			ref := m.push("tools/repeat:1", signed(pkg(`{"name":"repeat","version":"1.0.0"}`), m.key))
			if added := m.mustAdd(shelf.Request{Reference: ref}); added.Name != "repeat" {
				t.Errorf("got %+v, want repeat", added)
			}
		})
	}
}

// An older version under the same tag needs a consent of its own.
func TestOlderVersionIsTaken(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	ref := m.push("a:1", pkg(`{"name":"repeat","version":"2.0.0"}`))
	m.mustAdd(shelf.Request{Reference: ref})
	m.push("a:1", pkg(`{"name":"repeat","version":"1.9.0"}`))
	c := m.mustAdd(shelf.Request{Reference: ref})
	mustContain(t, strings.Join(c.Grew, "\n"), "the version 1.9.0 is older than 2.0.0")
}

// Other content under the same tag and the same number is shown as that.
func TestSameTagWithOtherContentIsShown(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	ref := m.push("a:1", pkg(`{"name":"repeat","version":"2.0.0"}`))
	first := m.mustAdd(shelf.Request{Reference: ref})
	other := pkg(`{"name":"repeat","version":"2.0.0"}`)
	other.Module = append(other.Module, 0, 2, 1, 'x') // a custom section
	m.push("a:1", other)
	c := m.mustAdd(shelf.Request{Reference: ref})
	mustContain(t, strings.Join(c.Differs, "\n"), "digest: "+c.After.Digest+", was "+first.After.Digest, "version: 2.0.0 again, with other content")
}

// Two plugins of one name from two sources share neither a grant nor what they stored.
func TestEqualNamesShareNothing(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	one := m.push("one/notes:1", pkg(`{"name":"notes"}`))
	two := m.push("two/notes:1", pkg(`{"name":"notes"}`))
	first := m.mustAdd(shelf.Request{Reference: one})
	m.grant(`{"notes":{"source":"` + first.Source + `","permissions":{"env":["LANG"]}}}`)
	if _, err := m.add(shelf.Request{Reference: two}); err == nil || !strings.Contains(err.Error(), "give the new plugin another name with --as") {
		t.Errorf("the other was taken: %v", err)
	}
	other := m.mustAdd(shelf.Request{Reference: two, As: "notes_two"})
	if other.Name != "notes_two" || other.Inspection.Admission.Name != "notes_two" || len(other.Inspection.Admission.Permissions.Env) > 0 {
		t.Errorf("as another: %+v", other)
	}
	if a, b := wasmtools.Identity("notes", first.Source), wasmtools.Identity("notes", other.Source); a == b || a == "notes" {
		t.Errorf("they store under %q and %q", a, b)
	}
	// One that is removed leaves nothing to a later one of its name.
	m.grant(`{"notes":{"source":"` + first.Source + `","permissions":{"env":["LANG"]}}}`)
	var forgotten []string
	m.cfg.Forget = func(identity string) error { forgotten = append(forgotten, identity); return nil }
	if _, err := shelf.New(m.cfg).Remove(t.Context(), "notes"); err != nil || len(forgotten) != 1 || forgotten[0] != wasmtools.Identity("notes", first.Source) {
		t.Errorf("removed: %v, %q", err, forgotten)
	}
	late := m.mustAdd(shelf.Request{Reference: two, As: "notes"})
	if len(late.Inspection.Admission.Permissions.Env) > 0 {
		t.Errorf("the later one has %+v", late.Inspection.Admission.Permissions)
	}
	// A grant that was written for the other is not taken, whoever wrote it.
	m.grant(`{"notes":{"source":"` + first.Source + `","permissions":{"env":["LANG"]}}}`)
	if _, err := m.add(shelf.Request{Reference: two, As: "notes"}); err == nil || !strings.Contains(err.Error(), "its grant is for a plugin from "+first.Source) {
		t.Errorf("with the grant of the other: %v", err)
	}
}

// A key that changed is refused, and taken once the operator names it.
func TestKeyChanges(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	_, other, _ := minisign.GenerateKey(nil)
	ref := m.push("a:1", signed(pkg(`{"name":"repeat","version":"1.0.0"}`), m.key))
	m.mustAdd(shelf.Request{Reference: ref, Key: sign.Public(m.key)})
	m.push("a:1", signed(pkg(`{"name":"repeat","version":"1.1.0"}`), other))
	if _, err := m.add(shelf.Request{Reference: ref}); err == nil || !strings.Contains(err.Error(), "but earlier it was signed by "+sign.Public(m.key)) {
		t.Fatalf("another key: %v", err)
	}
	c := m.mustAdd(shelf.Request{Reference: ref, Key: sign.Public(other)})
	mustContain(t, strings.Join(c.Differs, "\n"), "signed by: "+sign.Public(other))
	if again := m.mustAdd(shelf.Request{Reference: ref}); again.Signed.First {
		t.Error("the new key is not remembered")
	}
}

// Apply refuses what another command has overtaken.
func TestApplyAfterAnother(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	ref := m.push("a:1", pkg(`{"name":"repeat"}`))
	s := m.shelf()
	c, err := s.Plan(t.Context(), shelf.Request{Reference: ref})
	if err != nil {
		t.Fatal(err)
	}
	m.mustAdd(shelf.Request{Reference: ref})
	if err := s.Apply(t.Context(), c); err == nil || !strings.Contains(err.Error(), "has changed meanwhile") {
		t.Errorf("applied: %v", err)
	}
}

// Only MaxPrevious versions are kept.
func TestPreviousVersionsAreBounded(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for i := range shelf.MaxPrevious + 3 {
		manifest, _ := json.Marshal(map[string]any{"name": "repeat", "version": "1.0." + string(rune('0'+i))})
		m.mustAdd(shelf.Request{Reference: m.push("a:1", pkg(string(manifest)))})
	}
	e, err := m.shelf().Get("repeat")
	if err != nil || len(e.Previous) != shelf.MaxPrevious || e.Current.Version != "1.0.7" || e.Previous[0].Version != "1.0.6" {
		t.Fatalf("%+v, %v", e, err)
	}
	kept, err := os.ReadDir(filepath.Join(m.cfg.Dir+".versions", "repeat"))
	if err != nil || len(kept) != shelf.MaxPrevious+1 {
		t.Errorf("%d versions are kept, %v", len(kept), err)
	}
}

// Going back opens the version with the plugin's grant, as a gateway and an update do.
func TestRollbackWithItsGrant(t *testing.T) {
	t.Parallel()
	const tools = `{"tools":[{"name":"f","inputSchema":{"type":"object"}}]}`
	module := wasmtest.Module().
		ImportFunc("windie", "output_write", "ii", "").
		ImportFunc("elsewhere", "f", "", "").
		Memory(1, 1).Export("memory", 2, 0).Text(0, tools).
		Fn("describe", "", "", wasmtest.I32(0), wasmtest.I32(len(tools)), wasmtest.Call(0)).
		Fn("call", "", "", wasmtest.Call(1)).
		Bytes()
	m := newMarket(t)
	ref := m.oci("a:1")
	m.grant(`{"foreign":{"source":"oci://` + m.host + `/a","unmet_imports":"trap"}}`)
	var first *shelf.Change
	for _, version := range []string{"1.0.0", "1.1.0"} {
		m.push("a:1", &source.Package{Module: module, Manifest: []byte(`{"name":"foreign","version":"` + version + `"}`)})
		c := m.mustAdd(shelf.Request{Reference: ref})
		if first == nil {
			first = c
			m.grant(`{"foreign":{"source":"oci://` + m.host + `/a","unmet_imports":"trap","sha256":"` + c.After.Module + `"}}`)
		}
	}
	if back, err := m.shelf().Rollback(t.Context(), "foreign", ""); err != nil || back.Digest != first.After.Digest {
		t.Errorf("back: %+v, %v", back, err)
	}
	m.mustAdd(shelf.Request{Reference: ref})
	m.grant(`{}`)
	if _, err := m.shelf().Rollback(t.Context(), "foreign", ""); err == nil || !strings.Contains(err.Error(), `put "unmet_imports":"trap" into its grant`) {
		t.Errorf("back without the grant: %v", err)
	}
}

// A reference whose path has letters that references give a meaning is noted so that an update finds it,
// and one that cannot be noted leaves nothing.
func TestReferencesAreNoted(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	dir := filepath.Join(t.TempDir(), "c#")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"100%.wasm", "a#b.wasm", "a?b.wasm", "%41.wasm", "\n.wasm", "a b.wasm", "ä.wasm", "a#sha256:0.wasm"} {
		t.Run(name, func(t *testing.T) {
			m.t = t
			as, file := "echo"+string(rune('a'+i)), filepath.Join(dir, name)
			if err := os.WriteFile(file, wasmtest.Echo(), 0o600); err != nil {
				t.Fatal(err)
			}
			c := m.mustAdd(shelf.Request{Reference: file, As: as})
			e, err := m.shelf().Get(as)
			if err != nil || e.Source != c.Source {
				t.Fatalf("it is noted as %+v, %v; want %s", e, err, c.Source)
			}
			if again := m.mustAdd(shelf.Request{Reference: e.Reference, As: as}); !again.Nothing() {
				t.Errorf("again: %+v", again)
			}
		})
	}
	t.Run("too long once absolute", func(t *testing.T) {
		m.t = t
		before := m.files()
		if _, err := m.add(shelf.Request{Reference: strings.Repeat("x", 1010) + "/echo.wasm", As: "long"}); err == nil || !strings.Contains(messageOf(err), "at most 1024 bytes") {
			t.Errorf("it was %v", err)
		}
		if after := m.files(); len(after) != len(before) {
			t.Errorf("there were %d files, and there are %d", len(before), len(after))
		}
	})
}
