package wasmtools_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/values"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// TestHostileStoring floods a plugin's store, which holds no more than its
// quota, and has the store's answers fill the memory.
func TestHostileStoring(t *testing.T) {
	const quota = 64 << 10
	store := values.Open(databasetest.Open(t, databasetest.InFile(t)))
	set := `{"key":"AAAA","value":"` + strings.Repeat("x", 1000) + `"}`
	const keyAt = 0x200 + len(`{"key":"`)
	next := w.Seq(w.I32(keyAt), w.I32(0x41414141), w.Get(0), w.I32(15), w.Op(0x71), w.Add, // i32.and
		w.Get(0), w.I32(4), w.Op(0x76), w.I32(8), w.Op(0x74), w.Add, w.Store(0), // i32.shr_u, i32.shl
		w.Get(0), w.I32(1), w.Add, w.Set(0))
	grant := wasmtools.Grant{Permissions: wasmtools.Permissions{KV: &wasmtools.Quota{Bytes: quota}}}
	survive(t, []attack{
		{name: "flood of keys", grant: grant, body: func(g *handmade) []byte {
			g.Text(0x100, "kv.set").Text(0x200, set)
			return w.Forever(next, w.I32(0x100), w.I32(6), w.I32(0x200), w.I32(len(set)), g.host("host_call"), orFail(g))
		}, cfg: wasmtools.Config{Store: func(_, _ string, quota wasmtools.Quota) abi.Store { return store.Plugin("hostile", quota.Bytes) }},
			code: sdkapi.ToolError, says: "quota"},
		{name: "reading again and again", grant: grant, body: forever(operation("kv.get", `{"key":"BAAA"}`)),
			cfg:  wasmtools.Config{Store: func(_, _ string, quota wasmtools.Quota) abi.Store { return store.Plugin("hostile", quota.Bytes) }},
			code: sdkapi.ToolError, says: "limit host_calls"},
	})
	used, entries, err := store.Plugin("hostile", quota).Usage(t.Context())
	if err != nil || used > quota || entries < 40 {
		t.Errorf("%d bytes in %d entries, %v", used, entries, err)
	}
}
