package wasmtools_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
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
			if message := fault.From(err).Message; !strings.Contains(message, `"sample"`) || !strings.Contains(message, "describe must return") {
				t.Error(message)
			}
			if took := time.Since(started); clockTells && took > 20*time.Second {
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

// TestContentOfOtherTypes answers with content for which a result has no part of its own.
func TestContentOfOtherTypes(t *testing.T) {
	t.Parallel()
	const answer = `{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAECAw=="},{"type":"resource_link","uri":"file:///a","name":"a"},` +
		`{"type":"new","x":[1]},{"type":"resource","resource":{"uri":"b"}},{"text":"plain"},{"type":"text","text":"x","annotations":{"priority":1}},{"type":"image","data":"AA==","mimeType":"image/png","_meta":{"a":1}}],"_meta":{"trace":"t1"}}`
	module := attacker(abi.Bulk, 1, 1, nil, func(g *handmade) []byte {
		g.Text(0x100, answer)
		return w.Seq(g.host("output_write", w.I32(0x100), w.I32(len(answer))), w.Return)
	})
	p := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "speaks", Module: module})
	_, result, err := call(t.Context(), t, p, "attack", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	whole := func(p agent.Part, mcp string) agent.Part { p.MCP = json.RawMessage(mcp); return p }
	const link, other = `{"type":"resource_link","uri":"file:///a","name":"a"}`, `{"type":"new","x":[1]}`
	want := []agent.Part{
		whole(agent.Text(`[audio of type "audio/wav", 4 bytes]`), `{"type":"audio","mimeType":"audio/wav","data":"AAECAw=="}`),
		whole(agent.JSON(json.RawMessage(link)), link),
		whole(agent.JSON(json.RawMessage(other)), other),
		whole(agent.JSON(json.RawMessage(`{"uri":"b"}`)), `{"type":"resource","resource":{"uri":"b"}}`),
		agent.Text("plain"),
		whole(agent.Text("x"), `{"type":"text","text":"x","annotations":{"priority":1}}`),
		whole(agent.Image("image/png", []byte{0}), `{"type":"image","data":"AA==","mimeType":"image/png","_meta":{"a":1}}`),
	}
	if !reflect.DeepEqual(result.Content, want) || string(result.Meta) != `{"trace":"t1"}` {
		t.Errorf("got  %q and %s\nwant %q", result.Content, result.Meta, want)
	}
}

// TestDescribeThatSleeps is stopped by the time for describing, which the message names.
func TestDescribeThatSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newHandmade(abi.Bulk, 1, 1, wasi("poll_oneoff")...)
		g.Fn("describe", "", "", sleep(g, 20e9))
		g.Fn("call", "", "")
		_, err := newEngine(t, wasmtools.Config{}).Open(t.Context(), wasmtools.Source{Name: "sleepy", Module: g.Bytes()}, wasmtools.Grant{})
		wantCode(t, err, sdkapi.ValidationError, "the plugin took longer than 10s")
	})
}

// TestNamesOfBuiltinTools are no names of plugins.
func TestNamesOfBuiltinTools(t *testing.T) {
	t.Parallel()
	s := serve(t, wasmtools.Config{}, t.TempDir())
	if err := s.registry.Register(tool("notebook.write")); err != nil {
		t.Fatal(err)
	}
	good := attacker(abi.Bulk, 1, 1, nil, func(*handmade) []byte { return w.Nop })
	_, err := s.Add(t.Context(), wasmtools.Upload{Name: "notebook.wasm", Module: good})
	wantCode(t, err, sdkapi.ValidationError, "for example notebook.write")
	s.put("notebook.wasm", good)
	s.until("a file of that name is refused", "notebook", func(status wasmtools.Status) bool {
		return status.State == wasmtools.Broken && strings.Contains(status.Problem, "built-in tools already use the name")
	})
}
