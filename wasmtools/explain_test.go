package wasmtools_test

import (
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// TestFailuresReachTheCaller has a guest say why it fails, and end in each way that a language has.
func TestFailuresReachTheCaller(t *testing.T) {
	t.Parallel()
	const said, at = `panicked at "boom" é`, 0x100
	for _, tt := range []struct {
		name string
		kind abi.Kind
		end  []byte
		want string
	}{
		{"and returns", abi.Bulk, w.Nop, said},
		{"and traps", abi.Bulk, w.Unreachable, said},
		{"and reads outside of its memory", abi.Bulk, w.Seq(w.I32(-1), w.Load(0), w.Drop), said},
		{"in Extism, and traps", abi.Extism, w.Unreachable, "boom"},
		{"and calls itself for ever", abi.Bulk, nil, "limit stack_depth"}, // a limit matters more
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			module := attacker(tt.kind, 1, 1, nil, func(g *handmade) []byte {
				g.Text(at, said)
				end := tt.end
				if end == nil {
					end = w.Call(g.add("", "", "", w.Call(g.ImportedFuncs)))
				}
				if tt.kind == abi.Extism {
					return w.Seq(w.I64(4), g.host("alloc"), w.Set(4), storeBoom(g), w.Get(4), g.host("error_set"), end)
				}
				return w.Seq(g.host("error_write", w.I32(at), w.I32(len(said))), end)
			})
			p := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "failing", Module: module})
			_, _, err := call(t.Context(), t, p, "attack", `{}`)
			wantCode(t, err, sdkapi.ToolError, tt.want)
			mustAnswer(t, p)
		})
	}
}

// storeBoom puts a text into the block of Extism's memory whose handle local 4 has.
func storeBoom(g *handmade) []byte {
	var out []byte
	for i, c := range []byte("boom") {
		out = w.Seq(out, w.Get(4), w.I64(i), i64Add, w.I32(int(c)), g.host("store_u8"))
	}
	return out
}
