package plugins_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/windieos/windie/internal/testkit"
)

// hostCalls does what a plugin asks for: op is an operation such as
// http.request. The plugin gets a hostError; another error is not.
type hostCalls func(op string, input []byte) (answer any, err error)

// hostError is a failure as a plugin sees it.
type hostError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *hostError) Error() string { return e.Code + ": " + e.Message }

// nothing grants nothing, as when a plugin is described.
func nothing(op string, _ []byte) (any, error) {
	return nil, &hostError{"PERMISSION_DENIED", op + " is not granted"}
}

// describe returns what a plugin says of itself.
func describe(t testing.TB, wasm []byte) []byte {
	t.Helper()
	output, err := start(t, wasm).run("describe", "", nothing)
	if err != nil {
		t.Fatalf("describe: %v", err)
	}
	return output
}

// call calls a tool. Input is as docs/plugin-abi.md has it. The calls of one
// test are of one guest, until one of them fails.
func call(t testing.TB, wasm []byte, input string, host hostCalls) ([]byte, error) {
	t.Helper()
	key := guestOfTest{t, &wasm[0]}
	kept, ok := guests.Load(key)
	if !ok {
		kept = start(t, wasm)
		guests.Store(key, kept)
	}
	output, err := kept.(*guest).run("call", input, host)
	if err != nil {
		guests.Delete(key)
	}
	return output, err
}

type guestOfTest struct {
	t    testing.TB
	wasm *byte
}

// guests are those of call, by guestOfTest.
var guests sync.Map

// guest is one plugin at work.
type guest struct {
	module api.Module
	stderr *bytes.Buffer
	log    []string

	host                          hostCalls
	input, output, answer, failed []byte
}

// start instantiates a plugin as the ABI says. It ends with the test.
func start(t testing.TB, wasm []byte) *guest {
	t.Helper()
	g := &guest{stderr: &bytes.Buffer{}}
	ctx := context.WithValue(context.Background(), guestKey{}, g)
	e := engineOf(t, wasm)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithStderr(g.stderr).
		WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader)
	module, err := e.runtime.InstantiateModule(ctx, e.code, config)
	if err != nil {
		t.Fatalf("%v\n%s", err, g.stderr)
	}
	t.Cleanup(func() { _ = module.Close(ctx) })
	g.module = module
	return g
}

// engine is a plugin compiled. It lasts as long as the tests do.
type engine struct {
	once    sync.Once
	runtime wazero.Runtime
	code    wazero.CompiledModule
	err     error
}

// engines are by the address of the module's first byte.
var engines sync.Map

func engineOf(t testing.TB, wasm []byte) *engine {
	t.Helper()
	kept, _ := engines.LoadOrStore(&wasm[0], &engine{})
	e := kept.(*engine)
	e.once.Do(func() {
		ctx := context.Background()
		config := wazero.NewRuntimeConfigCompiler()
		if len(wasm) > 1<<20 {
			config = wazero.NewRuntimeConfigInterpreter() // compiling Go's runtime takes longer than these tests do
		}
		e.runtime = wazero.NewRuntimeWithConfig(ctx, config.WithMemoryLimitPages(4096))
		wasi_snapshot_preview1.MustInstantiate(ctx, e.runtime)
		if e.err = windie(ctx, e.runtime); e.err == nil {
			e.code, e.err = e.runtime.CompileModule(ctx, wasm)
		}
	})
	if e.err != nil {
		t.Fatal(e.err)
	}
	return e
}

// guestKey is the key of the guest in the context that its functions get.
type guestKey struct{}

func guestOf(ctx context.Context) *guest { return ctx.Value(guestKey{}).(*guest) }

// windie provides the module of that name.
func windie(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder("windie")
	export := func(name string, f any) { b = b.NewFunctionBuilder().WithFunc(f).Export(name) }
	export("input_len", func(ctx context.Context) int32 { return int32(len(guestOf(ctx).input)) })
	export("input_read", func(ctx context.Context, m api.Module, ptr, n uint32) int32 {
		return fill(m, ptr, n, guestOf(ctx).input)
	})
	export("output_write", func(ctx context.Context, m api.Module, ptr, n uint32) {
		g := guestOf(ctx)
		g.output = append(g.output, view(m, ptr, n)...)
	})
	export("error_write", func(ctx context.Context, m api.Module, ptr, n uint32) {
		g := guestOf(ctx)
		g.failed = append(g.failed, view(m, ptr, n)...)
	})
	export("log", func(ctx context.Context, m api.Module, level int32, ptr, n uint32) {
		g := guestOf(ctx)
		g.log = append(g.log, string('0'+level)+" "+string(view(m, ptr, n)))
	})
	export("host_call", func(ctx context.Context, m api.Module, op, opLen, in, inLen uint32) int32 {
		return guestOf(ctx).operate(string(view(m, op, opLen)), view(m, in, inLen))
	})
	export("host_read", func(ctx context.Context, m api.Module, ptr, n uint32) int32 {
		return fill(m, ptr, n, guestOf(ctx).answer)
	})
	_, err := b.Instantiate(ctx)
	return err
}

func view(m api.Module, ptr, n uint32) []byte {
	b, ok := m.Memory().Read(ptr, n)
	if !ok {
		panic("a range is outside of the guest's memory")
	}
	return b
}

func fill(m api.Module, ptr, n uint32, from []byte) int32 {
	return int32(copy(view(m, ptr, min(n, uint32(len(from)))), from))
}

// operate answers a host_call.
func (g *guest) operate(op string, input []byte) int32 {
	answer, err := g.host(op, bytes.Clone(input))
	var told *hostError
	switch {
	case errors.As(err, &told):
		answer = told
	case err != nil:
		panic(err)
	}
	if g.answer, err = json.Marshal(answer); err != nil {
		panic(err)
	}
	if told != nil {
		return -int32(len(g.answer))
	}
	return int32(len(g.answer))
}

// run calls an export that takes nothing, and returns the output.
func (g *guest) run(export, input string, host hostCalls) ([]byte, error) {
	g.input, g.output, g.failed, g.host = []byte(input), nil, nil, host
	f := g.module.ExportedFunction(export)
	if f == nil {
		return nil, errors.New("there is no export " + export)
	}
	code, err := f.Call(context.WithValue(context.Background(), guestKey{}, g))
	switch {
	case len(g.failed) > 0: // what it said before a trap too
		return nil, errors.New(string(g.failed))
	case err != nil:
		return nil, errors.New(err.Error() + "\n" + g.stderr.String())
	case len(code) == 1 && uint32(code[0]) != 0:
		return nil, errors.New(export + " failed without a word")
	}
	return g.output, nil
}

// asScript answers on standard output as a plugin would whose tools a script
// sets, with a tool and its arguments given.
const asScript = `require(process.argv[1]);
const tool = globalThis.tools.find((t) => t.name === process.argv[2]);
const { call, ...described } = tool || {};
let answer;
try { answer = { structuredContent: call(JSON.parse(process.argv[3])) }; }
catch (e) { answer = { isError: true, content: [{ type: "text", text: e.message }] }; }
console.log(JSON.stringify({ tool: described, answer }));`

// callScript calls a tool of a script, by Node. It returns what the script
// says of the tool, and the answer.
func callScript(t testing.TB, file, name, arguments string) (tool, answer json.RawMessage) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		testkit.Skip(t, "node", howToGet)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), node, "-e", asScript, path, name, arguments).Output()
	var out struct{ Tool, Answer json.RawMessage }
	if err != nil || json.Unmarshal(said, &out) != nil {
		t.Fatalf("%s of %s: %s, %v", name, file, said, err)
	}
	return out.Tool, out.Answer
}
