package abi

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// Script is the kind of a plugin in JavaScript. The module of such a plugin is QuickJS, a
// JavaScript runtime from the npm package quickjs-wasi. The runtime loads the plugin's script
// before the first call. The messages have the same format as those of other kinds.
const Script Kind = "script"

// scriptModule is the module from which the runtime imports host functions.
const scriptModule = "env"

// The steps of RunScript.
const (
	scriptBoot     = "boot"
	scriptDescribe = "describe"
	scriptCall     = "call"
)

// ScriptConvention returns the convention of a script.
func ScriptConvention() Convention {
	return Convention{Kind: Script, Start: []string{"_initialize", scriptBoot}, Describe: scriptDescribe, Call: scriptCall}
}

// prelude gives a script its functions, and runs it.
//
//go:embed prelude.js
var prelude string

// hostFunction is the only host function that a script sees, through the prelude.
const hostFunction = "host"

// scriptFunctions are the runtime's imports. A script cannot load modules, and its time zone is UTC.
// Fuel and Stop interrupt it, so that host_interrupt never asks the runtime to do so.
var scriptFunctions = map[string]function{
	"host_interrupt":           plain("", "i", func(c *Call, s []uint64) { c.check(); s[0] = 0 }),
	"host_get_timezone_offset": plain("ii", "i", func(_ *Call, s []uint64) { s[0] = 0 }),
	"host_promise_rejection":   plain("iii", "", func(*Call, []uint64) {}),
	"host_module_normalize":    plain("ii", "i", func(_ *Call, s []uint64) { s[0] = 0 }),
	"host_module_load":         plain("ii", "i", func(_ *Call, s []uint64) { s[0] = 0 }),
	"host_call": {"iiiii", "i", func(c *Call, ctx context.Context, m api.Module, s []uint64) {
		s[0] = c.scriptAsks(ctx, m, uint32(s[3]), uint32(s[4]))
	}},
}

// scriptRuntime calls functions of QuickJS. After an error its calls do nothing.
type scriptRuntime struct {
	ctx context.Context
	m   api.Module
	err error
}

// call calls an exported function and returns its result, or 0 if it has none.
func (r *scriptRuntime) call(name string, args ...uint64) uint64 {
	if r.err != nil {
		return 0
	}
	f := r.m.ExportedFunction(name)
	if f == nil {
		r.err = fmt.Errorf("the JavaScript runtime does not export %s, so it has an unsupported version; run windie tool runtime add", name)
		return 0
	}
	var result []uint64
	if result, r.err = f.Call(r.ctx, args...); len(result) == 1 {
		return result[0]
	}
	return 0
}

// put writes text and a zero byte into the runtime's memory. The caller frees it.
func (r *scriptRuntime) put(text string) (ptr, length uint64) {
	ptr, length = r.call("wasm_malloc", uint64(len(text)+1)), uint64(len(text))
	if r.err == nil && ptr == 0 {
		r.err = errors.New("the script is out of memory")
	}
	if r.err == nil {
		b := view(r.m, ptr, length+1)
		copy(b, text)
		b[length] = 0
	}
	return ptr, length
}

// free frees a block of the runtime's memory, for example one of put.
func (r *scriptRuntime) free(ptr uint64) { r.call("wasm_free", ptr) }

// text copies the string of a JavaScript value out of the guest. It returns "" on an error.
func (r *scriptRuntime) text(value uint64) string {
	out := r.call("wasm_malloc", 4)
	text := r.call("qjs_get_string_len", value, out)
	if r.err != nil || text == 0 || out == 0 {
		return ""
	}
	length, _ := r.m.Memory().ReadUint32Le(uint32(out))
	s := string(view(r.m, text, uint64(length)))
	r.call("qjs_free_cstring", text)
	r.free(out)
	return s
}

// string returns a new JavaScript string with the text. It returns 0 on an error.
func (r *scriptRuntime) string(text string) uint64 {
	ptr, length := r.put(text)
	value := r.call("qjs_new_string", ptr, length)
	r.free(ptr)
	return value
}

// eval runs code. A thrown value becomes an error.
func (r *scriptRuntime) eval(code, name string) {
	text, length := r.put(code)
	file, _ := r.put(name)
	value := r.call("qjs_eval", text, length, file, 0)
	r.free(text)
	r.free(file)
	if r.call("qjs_is_exception", value) != 0 && r.err == nil {
		thrown := r.call("qjs_get_exception")
		r.err = fmt.Errorf("%s: %s", name, r.thrown(thrown))
	}
	r.call("qjs_free_value", value)
}

// thrown returns the text of a thrown value and, if it is an Error, its stack.
func (r *scriptRuntime) thrown(value uint64) string {
	text := r.text(value)
	if r.call("qjs_is_error", value) == 0 {
		return text
	}
	name, _ := r.put("stack")
	stack := r.call("qjs_get_prop_string", value, name)
	place, _, _ := strings.Cut(strings.TrimSpace(r.text(stack)), "\n")
	r.call("qjs_free_value", stack)
	r.free(name)
	if place == "" || r.err != nil {
		return text
	}
	return text + " " + place
}

// jobs runs the pending jobs, in which promises continue, until none is left or one fails.
func (r *scriptRuntime) jobs() {
	for r.err == nil && r.call("qjs_is_job_pending") != 0 {
		if int32(r.call("qjs_execute_pending_job")) < 0 && r.err == nil {
			r.err = errors.New("a promise failed: " + r.thrown(r.call("qjs_get_exception")))
		}
	}
}

// RunScript runs one step of a JavaScript plugin in m, an instance of the plugin's runtime. step is
// "boot", "describe" or "call". In the step "boot", the input of the run is the script. ctx must
// come from Call.Context.
func RunScript(ctx context.Context, m api.Module, step string) error {
	r := &scriptRuntime{ctx: ctx, m: m}
	c := from(ctx)
	switch step {
	case scriptBoot:
		r.call("qjs_init")
		name, length := r.put(hostFunction)
		host := r.call("qjs_new_host_function", name, length, 0)
		global := r.call("qjs_get_global")
		r.call("qjs_set_prop_string", global, name, host)
		r.free(name)
		r.eval(prelude, "prelude.js")
		r.eval(string(c.input), "script")
		r.jobs()
	default:
		r.eval("__windie_"+step+"()", "call")
		r.jobs()
		if r.err == nil && len(c.Output) == 0 && len(c.Failure) == 0 {
			r.err = errors.New("the tool returned a promise that never settles")
		}
	}
	return r.err
}

// scriptAsks performs a script's request: its two strings are the operation and the input. It
// returns "+" and the answer, or "-" and the error.
func (c *Call) scriptAsks(ctx context.Context, m api.Module, argc, argv uint32) uint64 {
	r := &scriptRuntime{ctx: ctx, m: m}
	var args [2]string
	for i := range min(argc, 2) {
		value, ok := m.Memory().ReadUint32Le(argv + 4*i)
		if !ok {
			panic(errOutOfBounds)
		}
		args[i] = r.text(uint64(value))
	}
	op, input := args[0], args[1]
	answer := "+"
	switch level, isLog := strings.CutPrefix(op, "log."); {
	case op == "input":
		c.check()
		answer += string(c.input)
	case op == "output":
		c.write([]byte(input))
	case op == "fail":
		c.fail([]byte(input))
	case isLog:
		c.logText(levelNamed(level), []byte(input))
	default:
		if c.operate(ctx, op, []byte(input)) < 0 {
			answer = "-"
		}
		answer += string(c.answer)
	}
	value := r.string(answer)
	if r.err != nil {
		c.end(r.err)
	}
	return value
}

// levelNamed returns the level called name, or info for an unknown name.
func levelNamed(name string) Level {
	if i := slices.Index(levelNames, name); i >= 0 {
		return Level(i)
	}
	return logInfo
}
