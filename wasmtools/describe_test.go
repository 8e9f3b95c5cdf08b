package wasmtools_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// describing is a plugin whose describe does what is given.
func describing(text string, body ...[]byte) []byte {
	return w.Module().
		ImportFunc("windie", "output_write", "ii", "").
		ImportFunc("windie", "host_call", "iiii", "i").
		ImportFunc("windie", "error_write", "ii", "").
		Memory(1, 1).Export("memory", 2, 0).Text(0, text).
		Fn("describe", "", "", body...).
		Fn("call", "", "").
		Bytes()
}

func TestWhatDoesNotDescribeItselfIsRefused(t *testing.T) {
	t.Parallel()
	say := func(text string) []byte { return describing(text, w.I32(0), w.I32(len(text)), w.Call(0)) }
	const asking, asked = `http.request{"url":"https://example.com/"}`, 12
	for _, tt := range []struct {
		name   string
		module []byte
		text   string
	}{
		{"nothing", describing(""), "empty"},
		{"garbage", say("hello"), `begins with "hello"`},
		{"half of it", say(`{"tools":[`), "unexpected end"},
		{"a list", say(`[]`), "begins with"},
		{"tools that are none", say(`{"tools":{"echo":1}}`), "list"},
		{"its own failure", describing("no luck", w.I32(0), w.I32(7), w.Call(2)), "no luck"},
		{"a trap", describing("", w.Unreachable), "unreachable"},
		{"no end", describing("", w.Forever()), "fuel"},
		{"a request", describing(asking, w.I32(0), w.I32(asked), w.I32(asked), w.I32(len(asking)-asked), w.Call(1), w.Drop, w.I32(0), w.I32(1), w.Call(2)), "h"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			grant := wasmtools.Grant{Limits: wasmtools.Limits{WallMS: 3000, Fuel: 50_000_000}}
			started := time.Now()
			_, err := newEngine(t, wasmtools.Config{}).Open(t.Context(), wasmtools.Source{Name: "sample", Module: tt.module}, grant)
			wantCode(t, err, sdkapi.ValidationError, tt.text)
			if message := fault.From(err).Message; !strings.Contains(message, `"sample"`) || !strings.Contains(message, "describe must answer") {
				t.Error(message)
			}
			if took := time.Since(started); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// TestBadSchemasAreRefused puts plugins with invalid schemas into a
// folder, beside a good one.
func TestBadSchemasAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	say := func(text string) []byte { return describing(text, w.I32(0), w.I32(len(text)), w.Call(0)) }
	put(t, dir, "good.wasm", w.Echo())
	put(t, dir, "input.wasm", say(`{"tools":[{"name":"a","inputSchema":{"type":"nonsense"}}]}`))
	put(t, dir, "output.wasm", say(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"$ref":"https://example.com/"}}]}`))
	put(t, dir, "twice.wasm", say(`{"tools":[{"name":"a-b"},{"name":"a_b"}]}`))
	put(t, dir, "unnamed.wasm", say(`{"tools":[{"description":"no name"}]}`))
	if err := os.Symlink("/dev/zero", dir+"/endless.wasm"); err != nil {
		t.Fatal(err)
	}
	s := serve(t, wasmtools.Config{}, dir)
	s.until("the good one", "good", ready)
	for _, tt := range []struct{ name, text string }{
		{"input", "type"}, {"output", "output"}, {"twice", "twice.a_b"}, {"unnamed", "name"}, {"endless", "limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := s.until("a refusal", tt.name, func(st wasmtools.Status) bool { return st.State == wasmtools.Broken })
			if !strings.Contains(st.Problem, tt.text) {
				t.Errorf("%s: %q", tt.name, st.Problem)
			}
		})
	}
	if _, err := s.invoke("good.echo", `{}`); err != nil {
		t.Error(err)
	}
}
