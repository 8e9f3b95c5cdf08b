package wasmtools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/state/values"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// counter is a plugin that counts its calls in its store.
const counter = `globalThis.tools = [{ name: "count", call: () => { const n = 1 + Number(windie.kv.get("n") ?? 0); windie.kv.set("n", n); return { n, text: windie.user() }; } }];`

// pinned puts the counter into the folder as one from a source.
func (s served) pinned(source string) {
	s.t.Helper()
	pin, _ := json.Marshal(wasmtools.NewPin(source, []byte(counter), nil))
	if err := os.RemoveAll(filepath.Join(s.dir, "counter")); err != nil {
		s.t.Fatal(err)
	}
	s.put("counter/counter.source", pin)
	s.put("counter/counter.js", []byte(counter))
}

func (s served) grants(text string) {
	s.t.Helper()
	s.put(".grants.json", []byte(text))
}

// A plugin of the same name from another source has neither the grant nor the values of the one before,
// even where nobody removed them, and the first finds its own again.
func TestSourcesShareNothing(t *testing.T) {
	t.Parallel()
	store := values.Open(databasetest.Open(t, databasetest.InFile(t)))
	s := serve(t, wasmtools.Config{ScriptRuntime: scriptRuntime(t), Forget: store.Forget, UserKey: []byte("a key of the test"),
		Store: func(plugin, user string, q wasmtools.Quota) abi.Store {
			return store.User(plugin, user, q.Bytes, q.AllUsers())
		}}, t.TempDir())
	granted := func(source string) string {
		return `{"counter":{"source":"` + source + `","permissions":{"kv":{"bytes":1000}}}}`
	}
	from := func(source string) func(wasmtools.Status) bool {
		return func(st wasmtools.Status) bool {
			return ready(st) && st.Problem == "" && st.Admission.Source == source && st.Admission.Permissions.KV != nil
		}
	}
	const one, two = "oci://one.example/counter", "oci://two.example/counter"
	s.pinned(one)
	s.grants(granted(one))
	s.until("the plugin from one", "counter", from(one))
	first, err := s.invoke("counter.count", `{}`)
	if err != nil || first.N != 1 {
		t.Fatalf("%+v, %v", first, err)
	}
	s.pinned(two)
	refused := s.until("the plugin from two with the grant of one", "counter", func(st wasmtools.Status) bool { return st.Problem != "" })
	if want := "but its grant is for a plugin from " + one; !strings.Contains(refused.Problem, want) {
		t.Errorf("the problem is %q, without %q", refused.Problem, want)
	}
	s.grants(granted(two))
	s.until("the plugin from two", "counter", from(two))
	other, err := s.invoke("counter.count", `{}`)
	if err != nil || other.N != 1 || other.Text == first.Text {
		t.Errorf("from two: %+v, %v; from one it was %+v", other, err, first)
	}
	s.pinned(one)
	s.grants(granted(one))
	s.until("the plugin from one again", "counter", from(one))
	if again, err := s.invoke("counter.count", `{}`); err != nil || again.N != 2 || again.Text != first.Text {
		t.Errorf("from one again: %+v, %v", again, err)
	}
	if err := s.Remove(t.Context(), "counter"); err != nil {
		t.Fatal(err)
	}
	s.pinned(one)
	s.grants(granted(one))
	s.until("the plugin from one after its removal", "counter", from(one))
	if late, err := s.invoke("counter.count", `{}`); err != nil || late.N != 1 {
		t.Errorf("after the removal: %+v, %v", late, err)
	}
}

// What is put in place of a pinned plugin's file is refused, and a version in use stays.
func TestPinnedFilesAreChecked(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{ScriptRuntime: scriptRuntime(t)}, t.TempDir())
	s.pinned("oci://one.example/counter")
	s.until("the plugin", "counter", ready)
	for name, change := range map[string]func(){
		"a module":               func() { s.put("counter/counter.js", []byte(counter+"\n")) },
		"a manifest that is new": func() { s.put("counter/counter.json", []byte(`{"config":{"a":"b"}}`)) },
		"a pin that is damaged":  func() { s.put("counter/counter.source", []byte(`{`)) },
		"a pin that is too long": func() { s.put("counter/counter.source", []byte(`{"source":"`+strings.Repeat("x", 16<<10)+`"}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			s.pinned("oci://one.example/counter")
			s.until("the plugin as it was", "counter", func(st wasmtools.Status) bool { return ready(st) && st.Problem == "" })
			change()
			st := s.until("the change", "counter", func(st wasmtools.Status) bool { return st.Problem != "" })
			if !strings.Contains(st.Problem, "run windie plugin list to see how to") {
				t.Errorf("the problem is %q", st.Problem)
			}
		})
	}
}

// A grant that is given by a request is for where the plugin came from.
func TestGrantGetsTheSource(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{ScriptRuntime: scriptRuntime(t)}, t.TempDir())
	s.pinned("oci://one.example/counter")
	s.until("the plugin", "counter", ready)
	st, err := s.Grant(t.Context(), "counter", wasmtools.Grant{Limits: wasmtools.Limits{WallMS: 1000}})
	if err != nil || st.Problem != "" || st.Admission.Limits.WallMS != 1000 || s.GrantOf("counter").Source != "oci://one.example/counter" {
		t.Errorf("%+v, %v, %+v", st, err, s.GrantOf("counter"))
	}
}
