package plugins_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/windieos/windie/wasmtools/fuel"
)

// BenchmarkFuel reports how many times longer the examples take with the fuel
// that the gateway puts in: the least time of each, over calls that take turns,
// for machines are busy. It should stay below 1.3.
func BenchmarkFuel(b *testing.B) {
	rows := strings.TrimSuffix(strings.Repeat(`["a name","with | a bar",12.5,null],`, 200), ",")
	for _, bb := range []struct{ plugin, tool, arguments string }{
		{"echo", "echo", `{"text":"` + strings.Repeat("hello ", 200) + `"}`},
		{"units", "convert", `{"value":3,"from":"metres","to":"ft"}`},
		{"colours", "name", `{"colour":"#4682b5","count":10}`},
		{"table", "markdown", `{"rows":[` + rows + `]}`},
		{"checksum", "digest", `{"algorithm":"sha256","text":"` + strings.Repeat("checksum ", 5000) + `"}`},
	} {
		b.Run(bb.plugin, func(b *testing.B) {
			wasm := example(b, bb.plugin)
			safe, _, err := fuel.Rewrite(wasm, fuel.Options{StartFuel: 1 << 60})
			if err != nil {
				b.Fatal(err)
			}
			plain, rewritten := compiled(b, wasm), compiled(b, safe)
			input := `{"name":"` + bb.tool + `","arguments":` + bb.arguments + `}`
			least, leastRewritten := time.Hour, time.Hour
			for b.Loop() {
				least = min(least, took(b, plain, input))
				leastRewritten = min(leastRewritten, took(b, rewritten, input))
			}
			b.ReportMetric(float64(leastRewritten)/float64(least), "times-plain")
		})
	}
}

// took runs a call some times and returns what one takes.
func took(b *testing.B, g *guest, input string) time.Duration {
	const times = 20
	began := time.Now()
	for range times {
		if _, err := g.run("call", input, nothing); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began) / times
}

// compiled starts a plugin in the engine's compiler.
func compiled(b *testing.B, wasm []byte) *guest {
	g := &guest{stderr: &bytes.Buffer{}}
	ctx := context.WithValue(context.Background(), guestKey{}, g)
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
	b.Cleanup(func() { _ = r.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	err := windie(ctx, r)
	if err == nil {
		config := wazero.NewModuleConfig().WithStartFunctions("_initialize").WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader)
		g.module, err = r.InstantiateWithConfig(ctx, wasm, config)
	}
	if err != nil {
		b.Fatal(err)
	}
	return g
}
