package wasmtools_test

import (
	"encoding/json"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// BenchmarkEcho is what the gateway adds to a call of a plugin that does next
// to nothing, by isolation.
func BenchmarkEcho(b *testing.B) {
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Fresh, wasmtools.Reuse} {
		b.Run(string(isolation), func(b *testing.B) {
			p := openSource(b, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation}, wasmtools.Source{Name: "echo", Module: wasmtest.Echo()})
			call := agent.Call{Arguments: json.RawMessage(`{"city":"Rome","days":3,"note":"a window seat, if there is one"}`)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Call(b.Context(), "echo", call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
