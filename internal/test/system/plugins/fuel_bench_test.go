//go:build system

package plugins_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/windieos/windie/wasmtools/abi"
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
			safe, report, err := fuel.Rewrite(wasm, fuel.Options{StartFuel: 1 << 60})
			if err != nil {
				b.Fatal(err)
			}
			plain, rewritten := compiled(b, wasm, report.Imports), compiled(b, safe, report.Imports)
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
func took(b *testing.B, m api.Module, input string) time.Duration {
	b.Helper()
	const times = 20
	call := &abi.Call{}
	ctx := call.Context(b.Context())
	began := time.Now()
	for range times {
		err := call.Begin(ctx, anybody{}, benchLimits, []byte(input))
		if err == nil {
			_, err = m.ExportedFunction("call").Call(ctx)
		}
		if ended := call.End(); err != nil || ended != nil || len(call.Failure) > 0 {
			b.Fatal(err, ended, string(call.Failure))
		}
	}
	return time.Since(began) / times
}

var benchLimits = abi.Limits{InputBytes: 1 << 20, OutputBytes: 1 << 20, HostCalls: 1000, RandomBytes: 1 << 20}

// anybody lets a guest have the time and random numbers, which Go's begins with.
type anybody struct{ abi.Host }

func (anybody) Now() (time.Time, error) { return time.Now(), nil }
func (anybody) Random(p []byte) error   { _, err := rand.Read(p); return err }
func (anybody) Monotonic() int64        { return 1 }

// compiled starts a plugin, as it is or rewritten, with the gateway's functions alone.
func compiled(b *testing.B, wasm []byte, imports []fuel.Import) api.Module {
	b.Helper()
	call := &abi.Call{}
	ctx := call.Context(b.Context())
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
	b.Cleanup(func() { _ = r.Close(context.Background()) })
	err := errors.Join(call.Begin(ctx, anybody{}, benchLimits, nil), abi.Instantiate(ctx, r, imports, false))
	if err != nil {
		b.Fatal(err)
	}
	m, err := r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		b.Fatal(err)
	}
	return m
}
