package wasmtools_test

import (
	"context"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// echo copies its input to its output as Extism's kits do, eight bytes at a
// time.
func echo() []byte {
	const length, load, alloc, store, set = 0, 1, 2, 3, 4
	const at, block = 0, 1
	m := w.Module().Memory(1, -1)
	for _, f := range [][3]string{{"input_length", "", "l"}, {"input_load_u64", "l", "l"}, {"alloc", "l", "l"}, {"store_u64", "ll", ""}, {"output_set", "ll", ""}} {
		m.ImportFunc("extism:host/env", f[0], f[1], f[2])
	}
	next := w.Seq(w.Get(at), w.I64(8), i64Add, w.Tee(at), w.Call(length), w.Op(0x54), w.BrIf(0)) // i64.lt_u
	return m.FnLocals("echo", "", "i", "ll", w.Call(length), w.Call(alloc), w.Set(block),
		w.Loop(w.Get(block), w.Get(at), i64Add, w.Get(at), w.Call(load), w.Call(store), next),
		w.Get(block), w.Call(length), w.Call(set), w.I32(0)).Bytes()
}

// BenchmarkExtismEcho has 64 bytes come back from the same plugin, under
// Extism's SDK and here, by turns. Here it should be ten times faster.
func BenchmarkExtismEcho(b *testing.B) {
	text := strings.Repeat("12345678", 8)
	manifest := extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: echo()}}}
	theirs, err := extism.NewPlugin(b.Context(), manifest, extism.PluginConfig{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = theirs.Close(context.Background()) }()
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Reuse} {
		p := openSource(b, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation}, wasmtools.Source{Name: "echo", Module: echo()})
		arguments := []byte(`{"input":"` + text + `"}`)
		b.Run(string(isolation), func(b *testing.B) {
			compare(b, "times-faster-than-the-SDK", func() string {
				_, out, err := theirs.Call("echo", []byte(text))
				if err != nil {
					b.Fatal(err)
				}
				return string(out)
			}, func() string {
				result, err := p.Call(b.Context(), "echo", agent.Call{Arguments: arguments})
				if err != nil {
					b.Fatal(err)
				}
				return result.Content[0].Text
			})
		})
	}
}

// BenchmarkIsolation reports how many times faster a call of a Go program is with
// a snapshot than with an instance of its own. It should be sixty times.
func BenchmarkIsolation(b *testing.B) {
	call := func(isolation wasmtools.Isolation) func() string {
		p := open(b, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation})
		return func() string {
			a, _, err := call(b.Context(), b, p, "leave", `{"text":"hello"}`)
			if err != nil {
				b.Fatal(err)
			}
			return a.Text
		}
	}
	compare(b, "times-faster-than-fresh", call(wasmtools.Fresh), call(wasmtools.Snapshot))
}

// compare does both by turns, many of each at a time, and goes by the least
// that each took: machines are busy.
func compare(b *testing.B, unit string, slow, fast func() string) {
	b.Helper()
	want := slow()
	least := func(was time.Duration, n int, do func() string) time.Duration {
		begun := time.Now()
		for range n {
			if got := do(); got != want {
				b.Fatalf("%q, and %q", got, want)
			}
		}
		return min(was, time.Since(begun)/time.Duration(n))
	}
	slowTime, fastTime := time.Hour, time.Hour
	for b.Loop() {
		slowTime = least(slowTime, 20, slow)
		fastTime = least(fastTime, 200, fast)
	}
	b.ReportMetric(float64(slowTime)/float64(fastTime), unit)
	b.ReportMetric(float64(slowTime.Nanoseconds()), "ns-slow")
	b.ReportMetric(float64(fastTime.Nanoseconds()), "ns-fast")
}
