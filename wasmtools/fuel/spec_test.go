package fuel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/windieos/windie/wasmtools/fuel"
)

// everything lets the specification's tests through: they try every bound.
var everything = fuel.Options{
	Allow:     fuel.TailCalls | fuel.ExtendedConst,
	StartFuel: enough,
	Limits: fuel.Limits{
		Locals: 1 << 20, MemoryPages: 1 << 16, TableEntries: math.MaxUint32, CallDepth: 1 << 30,
	},
}

// enough is more fuel than any test uses that is meant to end.
const enough = 1 << 50

// wazeroDir returns where wazero's source lies, with the test files that it
// carries.
func wazeroDir(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// TestSpec runs the tests of the WebAssembly specification on each module as it
// is and as the pass makes it, and compares every answer and every trap.
func TestSpec(t *testing.T) {
	t.Parallel()
	root := filepath.Join(wazeroDir(t), "internal", "integration_test", "spectest")
	for _, tt := range []struct {
		suite string
		extra api.CoreFeatures
		least int // asserted calls, so that a test that finds nothing fails
	}{
		{"v1", 0, 10_000},
		{"v2", 0, 30_000},
		{"tail-call", experimental.CoreFeaturesTailCall, 50},
		{"extended-const", experimental.CoreFeaturesExtendedConst, 10},
	} {
		t.Run(tt.suite, func(t *testing.T) {
			t.Parallel()
			files, err := filepath.Glob(filepath.Join(root, tt.suite, "testdata", "*.json"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no test files: %v", err)
			}
			spectest, err := os.ReadFile(filepath.Join(root, "testdata", "spectest.wasm"))
			if err != nil {
				t.Fatal(err)
			}
			counts := map[string]int{}
			for _, file := range files {
				s := newScript(t, file, api.CoreFeaturesV2|tt.extra)
				s.start(spectest)
				s.run()
				for what, n := range s.counts {
					counts[what] += n
				}
			}
			for _, what := range slices.Sorted(maps.Keys(counts)) {
				t.Logf("%-40s %d", what, counts[what])
			}
			if n := counts["assert_return"] + counts["assert_trap"]; n < tt.least {
				t.Errorf("%d calls were compared, where %d are expected", n, tt.least)
			}
		})
	}
}

// script is a file of commands, as wast2json writes them.
type script struct {
	t        *testing.T
	file     string
	dir      string
	commands []command
	sides    [2]*side // plain, rewritten
	counts   map[string]int
}

type command struct {
	Type     string
	Line     int
	Name     string
	Filename string
	As       string
	Action   struct {
		Type, Field, Module string
		Args                []value
	}
	ModuleType string `json:"module_type"`
}

type value struct {
	Type     string
	LaneType string `json:"lane_type"`
	Value    any
}

// side is a runtime with the instances made so far.
type side struct {
	rewrite bool
	runtime wazero.Runtime
	named   map[string]api.Module
	last    api.Module
	meters  []*fuel.Meter
}

func newScript(t *testing.T, file string, features api.CoreFeatures) *script {
	t.Helper()
	s := &script{t: t, file: filepath.Base(file), dir: filepath.Dir(file), counts: map[string]int{}}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &struct{ Commands *[]command }{&s.commands}); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for i := range s.sides {
		config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features)
		r := wazero.NewRuntimeWithConfig(t.Context(), config)
		t.Cleanup(func() { _ = r.Close(context.Background()) })
		s.sides[i] = &side{rewrite: i == 1, runtime: r, named: map[string]api.Module{}}
	}
	return s
}

// start instantiates the module that the tests import from.
func (s *script) start(spectest []byte) {
	for _, side := range s.sides {
		if _, err := side.instantiate(s.t.Context(), spectest, "spectest"); err != nil {
			s.t.Fatal(err)
		}
	}
}

// instantiate returns an instance of a module, rewritten or not.
func (s *side) instantiate(ctx context.Context, module []byte, name string) (api.Module, error) {
	if s.rewrite {
		var err error
		if module, _, err = fuel.Rewrite(module, everything); err != nil {
			return nil, err
		}
	}
	m, err := s.runtime.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithName(name).WithStartFunctions())
	if err != nil || !s.rewrite {
		return m, err
	}
	meter, err := fuel.NewMeter(find(m))
	s.meters = append(s.meters, meter)
	return m, err
}

// find returns how a meter finds the globals of m.
func find(m api.Module) func(string) fuel.Global {
	return func(name string) fuel.Global {
		g, _ := m.ExportedGlobal(name).(api.MutableGlobal)
		return g
	}
}

// run runs the commands.
func (s *script) run() {
	for i := 0; i < len(s.commands); i++ {
		c := &s.commands[i]
		switch c.Type {
		case "module":
			name := ""
			if i+1 < len(s.commands) && s.commands[i+1].Type == "register" {
				name = s.commands[i+1].As
				i++
			}
			s.module(c, name)
		case "assert_return", "action", "assert_trap", "assert_exhaustion":
			s.compare(c)
		case "assert_invalid", "assert_malformed":
			s.invalid(c)
		case "assert_unlinkable", "assert_uninstantiable":
			s.uninstantiable(c)
		default:
			s.t.Fatalf("%s:%d: unknown command %s", s.dir, c.Line, c.Type)
		}
	}
}

// read reads the module of a command, nil if it is text.
func (s *script) read(c *command) []byte {
	if c.ModuleType == "text" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(s.dir, c.Filename))
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *script) module(c *command, name string) {
	module := s.read(c)
	for _, side := range s.sides {
		m, err := side.instantiate(s.t.Context(), module, name)
		if err != nil {
			s.t.Fatalf("%s (rewritten %v): %v", c.Filename, side.rewrite, err)
		}
		side.last = m
		if c.Name != "" {
			side.named[c.Name] = m
		}
	}
	s.counts["module"]++
}

// compare runs an action on both sides.
func (s *script) compare(c *command) {
	plain, trapped := s.sides[0].act(s.t.Context(), c)
	rewritten, _ := s.sides[1].act(s.t.Context(), c)
	if plain != rewritten {
		s.t.Errorf("%s line %d, %s: plain %s, rewritten %s", s.file, c.Line, c.Action.Field, plain, rewritten)
	}
	s.counts[c.Type]++
	if trapped {
		s.counts["trap: "+plain]++
	}
	for _, meter := range s.sides[1].meters {
		if r := meter.Reason(); r != fuel.None {
			s.t.Errorf("%s line %d, %s: %s", s.file, c.Line, c.Action.Field, r)
		}
		if d := meter.Depth(); d != 0 && !trapped {
			s.t.Errorf("%s line %d, %s: depth %d after it returned", s.file, c.Line, c.Action.Field, d)
		}
	}
}

// invalid checks that what the engine refuses is refused by the pass, or by
// the engine after the pass.
func (s *script) invalid(c *command) {
	module := s.read(c)
	if module == nil {
		return
	}
	for i, side := range s.sides {
		m, err := side.instantiate(s.t.Context(), module, "")
		if err != nil {
			if _, ours := err.(*fuel.Error); ours { //nolint:errorlint // it is never wrapped
				s.counts[c.Type+" by the pass"]++
			}
			continue
		}
		_ = m.Close(s.t.Context())
		if i == 0 {
			return // the engine is more lenient than the specification
		}
		s.t.Errorf("%s line %d: what is invalid became valid", c.Filename, c.Line)
	}
	s.counts[c.Type]++
}

// uninstantiable checks that both sides say the same.
func (s *script) uninstantiable(c *command) {
	module := s.read(c)
	var errs [2]error
	for i, side := range s.sides {
		_, errs[i] = side.instantiate(s.t.Context(), module, "")
	}
	if (errs[0] == nil) != (errs[1] == nil) {
		s.t.Errorf("%s line %d: plain %v, rewritten %v", c.Filename, c.Line, errs[0], errs[1])
	}
	s.counts[c.Type]++
}

// act runs an action and returns its outcome in words, results bit by bit or
// the first line of the error, and whether it was an error. References differ from runtime to runtime;
// whether they are null does not.
func (s *side) act(ctx context.Context, c *command) (outcome string, trapped bool) {
	m := s.last
	if c.Action.Module != "" {
		m = s.named[c.Action.Module]
	}
	for _, meter := range s.meters {
		meter.Start(enough)
	}
	if c.Action.Type == "get" {
		g := m.ExportedGlobal(c.Action.Field)
		return words([]uint64{g.Get()}, []api.ValueType{g.Type()}), false
	}
	var args []uint64
	for _, v := range c.Action.Args {
		args = append(args, v.bits()...)
	}
	f := m.ExportedFunction(c.Action.Field)
	results, err := f.Call(ctx, args...)
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return line, true
	}
	return words(results, f.Definition().ResultTypes()), false
}

func words(results []uint64, types []api.ValueType) string {
	at := 0
	for _, t := range types {
		if t == api.ValueTypeExternref || t == 0x70 {
			results[at] = min(results[at], 1)
		}
		at++
		if t == 0x7b {
			at++
		}
	}
	return fmt.Sprintf("%x", results)
}

// bits returns the value as wazero takes it.
func (v value) bits() []uint64 {
	lanes, isVector := v.Value.([]any)
	if !isVector {
		text, _ := v.Value.(string)
		n := parse(text, width(v.Type))
		if v.Type == "externref" && text != "null" {
			n++ // 0 is null to wazero
		}
		return []uint64{n}
	}
	out := []uint64{0, 0}
	w := width(v.LaneType)
	for i, lane := range lanes {
		text, _ := lane.(string)
		out[i*w/64] |= parse(text, w) << (i * w % 64)
	}
	return out
}

// width returns the bits of a type named like i32.
func width(name string) int {
	w, err := strconv.Atoi(strings.TrimLeft(name, "if"))
	if err != nil {
		return 64
	}
	return w
}

func parse(text string, bits int) uint64 {
	if text == "" || text == "null" {
		return 0
	}
	if strings.HasPrefix(text, "-") {
		v, err := strconv.ParseInt(text, 10, bits)
		if err != nil {
			panic(err)
		}
		return uint64(v) << (64 - bits) >> (64 - bits)
	}
	v, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		panic(err)
	}
	return v
}
