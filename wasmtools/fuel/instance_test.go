package fuel_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/windieos/windie/wasmtools/fuel"
)

const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst

// newRuntime returns a runtime that ends with the test.
func newRuntime(t testing.TB) wazero.Runtime {
	t.Helper()
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features))
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// instance is a rewritten module with its meter.
type instance struct {
	t     testing.TB
	m     api.Module
	meter *fuel.Meter
}

// instantiate rewrites a module and makes an instance.
func instantiate(t testing.TB, module []byte, opts fuel.Options) instance {
	t.Helper()
	return instantiateIn(t, newRuntime(t), module, opts)
}

// instantiateIn does so in a runtime that has what the module imports.
func instantiateIn(t testing.TB, r wazero.Runtime, module []byte, opts fuel.Options) instance {
	t.Helper()
	safe, _, err := fuel.Rewrite(module, opts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.InstantiateWithConfig(t.Context(), safe, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		t.Fatal(err)
	}
	meter, err := fuel.NewMeter(find(m))
	if err != nil {
		t.Fatal(err)
	}
	return instance{t, m, meter}
}

// call calls a function with fuel and returns its results or its trap.
func (i instance) call(given int64, name string, args ...uint64) ([]uint64, error) {
	i.t.Helper()
	i.meter.Start(given)
	return i.m.ExportedFunction(name).Call(i.t.Context(), args...)
}

// mustUse calls a function that must return, and returns the fuel it took.
func (i instance) mustUse(name string, args ...uint64) int64 {
	i.t.Helper()
	if _, err := i.call(enough, name, args...); err != nil {
		i.t.Fatalf("%s: %v", name, err)
	}
	return i.meter.Used()
}

// refusal returns the error with which the pass refuses a module.
func refusal(t *testing.T, module []byte, opts fuel.Options) *fuel.Error {
	t.Helper()
	var refused *fuel.Error
	if _, _, err := fuel.Rewrite(module, opts); !errors.As(err, &refused) {
		t.Fatalf("accepted, or refused with another error: %v", err)
	}
	return refused
}

// trap returns the kind of a trap in wazero's words.
func trap(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimPrefix(line, "wasm error: ")
}
