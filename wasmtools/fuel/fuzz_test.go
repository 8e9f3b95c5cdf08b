package fuel_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/windieos/windie/wasmtools/fuel"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// FuzzRewrite gives any bytes. The pass must not panic; what it makes of a
// module that the engine takes, the engine must take; and it must not make a
// module valid that was not, since that could use what the pass adds.
func FuzzRewrite(f *testing.F) {
	for _, m := range []*w.Builder{
		w.Module(),
		callTree(),
		w.Module().ImportFunc("env", "f", "i", "l").Memory(1, 2).Table(1, -1).Global(3).Element(1).
			FnLocals("run", "i", "ll", "ild", w.Loop(w.Get(0), w.When(w.I64(1), w.I64(2), w.Return), w.Call(1), w.Br(1)), w.Unreachable),
		w.Module().Memory(0, 9).Fn("run", "i", "", w.Block(w.Loop(w.Get(0), w.BrTable(1, 0, 2))), w.I32(0), w.I32(0), w.Get(0), w.Misc(11, w.U(0)), w.TailCall(0)),
		w.Module().Fn("v", "", "", w.Op(0xfd, w.U(12), make([]byte, 16)), w.Op(0xfd, w.U(21), w.U(3)), w.Drop),
	} {
		f.Add(m.Bytes())
	}
	for _, name := range []string{"call_indirect.0", "bulk.0", "br_table.0", "ref_func.1", "simd_lane.0"} {
		m, err := os.ReadFile(filepath.Join(wazeroDir(f), "internal", "integration_test", "spectest", "v2", "testdata", name+".wasm"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(m)
	}
	r := newRuntime(f)
	f.Fuzz(func(t *testing.T, m []byte) { checkAny(t, r, m) })
}

// TestAlteredModules changes bytes of the specification's modules one by one, alterations in each.
// Most of what comes out is nearly right, which is where fuzzing seldom gets.
func TestAlteredModules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(wazeroDir(t), "internal", "integration_test", "spectest", "v2", "testdata", "*.wasm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	r := newRuntime(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, file := range files {
		m, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(m) <= 8 || len(m) > 2_000 {
			continue
		}
		for range alterations {
			altered := slices.Clone(m)
			at := 8 + random.IntN(len(m)-8)
			altered[at] += byte(1 + random.IntN(4))
			checkAny(t, r, altered)
		}
		if t.Failed() {
			t.Fatal(file)
		}
	}
}

// checkAny gives the pass any bytes, and the engine what came out.
func checkAny(t *testing.T, r wazero.Runtime, m []byte) {
	t.Helper()
	out, report, err := fuel.Rewrite(m, fuel.Options{
		Allow:  fuel.TailCalls | fuel.ExtendedConst,
		Limits: fuel.Limits{ModuleBytes: 1 << 16, MemoryPages: 16, TableEntries: 1000, CompileWork: 1 << 21},
	})
	if err != nil {
		return // and the engine is not asked: it believes counts that the pass checks
	}
	if most := 20*len(m) + 1024; len(out) > most {
		t.Errorf("%d bytes became %d", len(m), len(out))
	}
	before, after := compiles(t, r, m), compiles(t, r, out)
	if before == nil && after != nil {
		t.Errorf("was valid, and is not after the pass: %v", after)
	}
	// wazero refuses an empty custom section at the end, and the pass may put
	// sections behind it.
	custom := len(report.Dropped) > 0 || before != nil && strings.Contains(before.Error(), "custom section")
	if before != nil && after == nil && !custom {
		t.Errorf("became valid by the pass; before: %v", before)
	}
}

// compiles returns why the engine refuses a module.
func compiles(t *testing.T, r wazero.Runtime, m []byte) error {
	t.Helper()
	c, err := r.CompileModule(t.Context(), m)
	if err == nil {
		err = c.Close(t.Context())
	}
	return err
}
