package wasmtools_test

import (
	"testing"

	"github.com/windieos/windie/wasmtools"
)

// BenchmarkImage reports how many times faster a call of a Go program is if only pages that were written to are compared with
// its snapshot.
func BenchmarkImage(b *testing.B) {
	call := func() func() string {
		p := open(b, wasmtools.Config{}, wasmtools.Grant{Isolation: wasmtools.Snapshot})
		return func() string {
			a, _, err := call(b.Context(), b, p, "echo", `{"text":"hello"}`)
			if err != nil {
				b.Fatal(err)
			}
			return a.Text
		}
	}
	fast := call()
	over := wasmtools.WithoutImages()
	slow := call()
	over()
	compare(b, "times-faster-than-comparing-all", slow, fast)
}
