package abi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/windieos/windie/wasmtools/fuel"
)

// Errors for a trap in a host function.
var (
	errNoMemory    = errors.New("the guest exports no memory")
	errOutOfBounds = errors.New("out of bounds memory access in a call to the host")
)

// function is one host function.
type function struct {
	params, results string // one letter for each value: i for i32, j for i64
	run             func(c *Call, ctx context.Context, m api.Module, stack []uint64)
}

// wasiModule is the module of WASI preview 1.
const wasiModule = "wasi_snapshot_preview1"

// offered are the host functions by module and name, except those of WASI.
var offered = map[string]map[string]function{
	bulkModule:   bulkFunctions,
	extismModule: extismFunctions,
	userModule:   userFunctions,
	userAlias:    userFunctions,
	scriptModule: scriptFunctions,
}

// Offered lists the host functions that a guest can import, without the functions of WASI. The list
// has no fixed order.
func Offered() (list []fuel.Import) {
	for module, functions := range offered {
		for name, f := range functions {
			list = append(list, fuel.Import{Module: module, Name: name, Signature: f.signature()})
		}
	}
	return list
}

// Unmet returns the imports that the host cannot provide. Either the host has no function with the
// name of the import, or the host's function has another type.
func Unmet(imports []fuel.Import) (unmet []fuel.Import) {
	for _, i := range imports {
		f, ok := offered[i.Module][i.Name]
		met := ok && f.signature() == i.Signature || i.Module == wasiModule && slices.Contains(wasiNames, i.Name)
		if i.Type != fuel.ExternFunc || !met {
			unmet = append(unmet, i)
		}
	}
	return unmet
}

// Instantiate creates the host modules that a guest imports, in the runtime r. If the host lacks an
// imported function, a call of that function ends the guest with an UnmetError. If the host lacks
// an import that is not a function, for example a memory, Instantiate returns an error. If files is
// false, the guest cannot close or renumber its open files, because a snapshot could not restore
// them.
func Instantiate(ctx context.Context, r wazero.Runtime, imports []fuel.Import, files bool) error {
	missing := map[string][]fuel.Import{}
	for _, i := range Unmet(imports) {
		if i.Type != fuel.ExternFunc {
			return fmt.Errorf("unknown import: the %s %q of %q", i.Type, i.Name, i.Module)
		}
		missing[i.Module] = append(missing[i.Module], i)
	}
	done := map[string]bool{}
	for _, i := range imports {
		if done[i.Module] {
			continue
		}
		done[i.Module] = true
		b, ctx := r.NewHostModuleBuilder(i.Module), ctx
		if i.Module == wasiModule {
			ctx = experimental.WithFunctionListenerFactory(ctx, guard{})
			wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
			if !files {
				keepFiles(b)
			}
		}
		for name, f := range offered[i.Module] {
			f.export(b, name)
		}
		for _, i := range missing[i.Module] {
			if err := stub(b, i); err != nil {
				return err
			}
		}
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("cannot create the host's module %q: %w", i.Module, err)
		}
	}
	return nil
}

// export adds f to a host module. The context of a guest's call must contain a Call, see Call.Context.
func (f function) export(b wazero.HostModuleBuilder, name string) {
	run := api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) { f.run(from(ctx), ctx, m, stack) })
	b.NewFunctionBuilder().WithGoModuleFunction(run, types(f.params), types(f.results)).Export(name)
}

// UnmetError is the error of a guest that has called an imported function that the host lacks.
type UnmetError struct{ Module, Name string }

// Error returns a text with the names of the function and its module.
func (e *UnmetError) Error() string {
	return fmt.Sprintf("the guest called %s of %s, which the gateway does not have", e.Name, e.Module)
}

// stub adds a function that ends the guest, in place of the missing import i.
func stub(b wazero.HostModuleBuilder, i fuel.Import) error {
	params, results, err := parseSignature(i.Signature)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", i.Name, i.Module, err)
	}
	run := api.GoModuleFunc(func(ctx context.Context, _ api.Module, _ []uint64) {
		from(ctx).end(&UnmetError{i.Module, i.Name})
	})
	b.NewFunctionBuilder().WithGoModuleFunction(run, params, results).Export(i.Name)
	return nil
}

// typeOf maps the letters of a function, and the names of value types, to value types.
var typeOf = map[string]api.ValueType{
	"i": api.ValueTypeI32, "j": api.ValueTypeI64,
	"i32": api.ValueTypeI32, "i64": api.ValueTypeI64, "f32": api.ValueTypeF32, "f64": api.ValueTypeF64,
	"externref": api.ValueTypeExternref,
}

// types returns the value types for the letters of a function. It knows only the letters i and j.
func types(letters string) (list []api.ValueType) {
	for _, l := range letters {
		list = append(list, typeOf[string(l)])
	}
	return list
}

// signature returns the type of f in the form of a fuel.Import.
func (f function) signature() string {
	name := strings.NewReplacer("i", "i32, ", "j", "i64, ")
	side := func(letters string) string { return strings.TrimSuffix(name.Replace(letters), ", ") }
	return "(" + side(f.params) + ") -> (" + side(f.results) + ")"
}

// parseSignature parses a type in the form of a fuel.Import, for example "(i32, i64) -> (i32)".
func parseSignature(s string) (params, results []api.ValueType, err error) {
	left, right, _ := strings.Cut(s, " -> ")
	if params, err = parseTypes(left); err != nil {
		return nil, nil, err
	}
	results, err = parseTypes(right)
	return params, results, err
}

// parseTypes parses a list of value types in parentheses. It fails for types that host functions cannot
// have, such as v128.
func parseTypes(s string) (list []api.ValueType, err error) {
	s = strings.Trim(s, "()")
	if s == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(s, ", ") {
		t, ok := typeOf[name]
		if !ok {
			return nil, fmt.Errorf("the gateway has no functions with parameters or results of type %s", name)
		}
		list = append(list, t)
	}
	return list, nil
}
