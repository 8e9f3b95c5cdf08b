package fuel_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/windieos/windie/wasmtools/fuel"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// guest is the Go program in testdata, which does what tools do: parse, sort,
// hash, match.
func guest(t testing.TB) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-o", out, "guest.go")
	cmd.Dir = filepath.Join("testdata", "guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// small returns programs that do one thing each, at its extreme.
func small() []byte {
	const n, row = 0, 1
	return w.Module().Memory(16, 16).
		Fn("fib", "i", "i", w.Get(n), w.I32(2), w.LtU, w.When(w.Get(n), w.Return), w.Get(n), w.I32(1), w.Sub, w.Call(0), w.Get(n), w.I32(2), w.Sub, w.Call(0), w.Add).
		FnLocals("loop", "i", "i", "i", w.Loop(w.Get(1), w.Get(n), w.Mul, w.I32(7), w.Add, w.Set(1), w.Get(n), w.I32(1), w.Sub, w.Tee(n), w.BrIf(0)), w.Get(1)).
		FnLocals("memory", "i", "i", "ii", w.Loop( // sums rows of 16 numbers, and writes the sums
			w.I32(0), w.Set(row),
			w.Loop(w.Repeat(16, w.Get(2), w.Get(row), w.Load(0), w.Add, w.Set(2)), w.Get(row), w.Get(2), w.Store(64), w.Get(row), w.I32(64), w.Add, w.Tee(row), w.I32(65_536), w.LtU, w.BrIf(0)),
			w.Get(n), w.I32(1), w.Sub, w.Tee(n), w.BrIf(0)), w.Get(2)).
		Bytes()
}

// pair is a module as it is and as the pass makes it.
type pair struct {
	plain, rewritten api.Module
	meter            *fuel.Meter
}

func newPair(t testing.TB, b []byte) pair {
	t.Helper()
	safe, _, err := fuel.Rewrite(b, fuel.Options{StartFuel: enough})
	if err != nil {
		t.Fatal(err)
	}
	var p pair
	for i, m := range [][]byte{b, safe} {
		r := newRuntime(t)
		wasi_snapshot_preview1.MustInstantiate(t.Context(), r)
		instance, err := r.InstantiateWithConfig(t.Context(), m, wazero.NewModuleConfig().WithStartFunctions())
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			p.plain = instance
		} else {
			p.rewritten = instance
		}
	}
	if p.meter, err = fuel.NewMeter(find(p.rewritten)); err != nil {
		t.Fatal(err)
	}
	p.meter.Start(enough)
	for _, m := range []api.Module{p.plain, p.rewritten} {
		if f := m.ExportedFunction("_initialize"); f != nil {
			if _, err := f.Call(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// both calls a function on both sides and returns how long each took.
func (p pair) both(t testing.TB, name string, arg uint64) (plain, rewritten time.Duration) {
	t.Helper()
	p.meter.Start(enough)
	begun := time.Now()
	want, err := p.plain.ExportedFunction(name).Call(t.Context(), arg)
	plain = time.Since(begun)
	if err != nil {
		t.Fatal(err)
	}
	begun = time.Now()
	got, err := p.rewritten.ExportedFunction(name).Call(t.Context(), arg)
	rewritten = time.Since(begun)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%s: %v (%v), plain %v", name, got, err, want)
	}
	return plain, rewritten
}

// programs lists functions of the guest and of small, with an argument that
// takes some milliseconds.
var programs = []struct {
	name string
	arg  uint64
	real bool
}{
	{"json", 40, true}, {"sort", 20_000, true}, {"hash", 100, true}, {"match", 300, true},
	{"fib", 27, false}, {"loop", 5_000_000, false}, {"memory", 60, false},
}

// BenchmarkGuests reports how many times longer a guest takes with the pass: the
// least time of each, over calls that take turns, for machines are busy. On
// realistic programs it should stay below 1.3.
func BenchmarkGuests(b *testing.B) {
	pairs := map[bool]pair{true: newPair(b, guest(b)), false: newPair(b, small())}
	for _, program := range programs {
		b.Run(program.name, func(b *testing.B) {
			p := pairs[program.real]
			least, leastRewritten := time.Hour, time.Hour
			for b.Loop() {
				plain, rewritten := p.both(b, program.name, program.arg)
				least, leastRewritten = min(least, plain), min(leastRewritten, rewritten)
			}
			b.ReportMetric(float64(leastRewritten)/float64(least), "times-plain")
			b.ReportMetric(float64(p.meter.Used()), "fuel")
		})
	}
}

// BenchmarkRewrite reports how fast the pass is, beside compiling what it makes.
func BenchmarkRewrite(b *testing.B) {
	m := guest(b)
	b.Run(fmt.Sprintf("%dKiB", len(m)>>10), func(b *testing.B) {
		b.SetBytes(int64(len(m)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := fuel.Rewrite(m, fuel.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, m := range map[string][]byte{"plain": m, "rewritten": rewritten(b, m)} {
		b.Run("compile/"+name, func(b *testing.B) {
			r := newRuntime(b)
			for b.Loop() {
				c, err := r.CompileModule(b.Context(), bytes.Clone(m))
				if err != nil {
					b.Fatal(err)
				}
				_ = c.Close(b.Context())
			}
		})
	}
}

func rewritten(t testing.TB, m []byte) []byte {
	t.Helper()
	safe, _, err := fuel.Rewrite(m, fuel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return safe
}
