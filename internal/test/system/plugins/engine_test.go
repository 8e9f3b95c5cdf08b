//go:build system

package plugins_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// plugin is one that the gateway's engine has opened, with a registry of its tools.
type plugin struct {
	*wasmtools.Plugin
	registry *agent.Registry
}

// opening lets one plugin be compiled at a time. Another with the same module then finds it compiled.
var opening sync.Mutex

// open opens a module until the test ends, under a name.
func open(t testing.TB, name string, wasm []byte, cfg wasmtools.Config, grant wasmtools.Grant) plugin {
	t.Helper()
	cfg.CacheDir = bench(t, "cache")
	engine, err := wasmtools.NewEngine(cfg)
	if err != nil {
		t.Fatal(err)
	}
	opening.Lock()
	p, err := engine.Open(t.Context(), wasmtools.Source{Name: name, Module: wasm}, grant)
	opening.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	registry := agent.NewRegistry()
	for _, tool := range p.Tools(grant) {
		if err := registry.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return plugin{p, registry}
}

// openExample opens the example of that name.
func openExample(t testing.TB, name string, grant wasmtools.Grant) plugin {
	t.Helper()
	return open(t, name, example(t, name), wasmtools.Config{}, grant)
}

// call calls a tool by the plugin's name for it, with arguments that nobody looks at before.
func (p plugin) call(t testing.TB, tool, arguments string) (agent.Result, error) {
	t.Helper()
	return p.Call(t.Context(), tool, agent.Call{User: "ada", Arguments: json.RawMessage(arguments)})
}

// answer is what a call answered.
type answer struct {
	Structured any
	text       string // the first
	IsError    bool
}

// ask calls a tool as an agent does: the arguments must fit its input schema, and the answer its output schema.
func (p plugin) ask(t testing.TB, tool, arguments string) answer {
	t.Helper()
	result, err := p.registry.Invoke(t.Context(), p.Name+"."+tool, agent.Call{User: "ada", Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s of %.200s: %v", tool, arguments, err)
	}
	return answerOf(t, result)
}

func answerOf(t testing.TB, result agent.Result) answer {
	t.Helper()
	a := answer{IsError: result.IsError}
	if len(result.Content) > 0 {
		a.text = result.Content[0].Text
	}
	if result.Structured != nil {
		if err := json.Unmarshal(result.Structured, &a.Structured); err != nil {
			t.Fatalf("%s: %v", result.Structured, err)
		}
	}
	return a
}

// convertsMetres checks the program of the kits' READMEs.
func convertsMetres(t testing.TB, wasm []byte) {
	t.Helper()
	a := open(t, "units", wasm, wasmtools.Config{}, wasmtools.Grant{}).ask(t, "convert", `{"metres": 3.048}`)
	got, err := json.Marshal(a.Structured)
	if err != nil || string(got) != `{"feet":10}` && string(got) != `{"value":10}` {
		t.Errorf("%s, %v", got, err)
	}
}

// readsOnly reports whether a tool says that it changes nothing.
func readsOnly(tool abi.Tool) bool {
	return tool.Annotations.ReadOnlyHint != nil && *tool.Annotations.ReadOnlyHint
}

// lines are what plugins log, by call: the level, the line and the plugin.
type lines struct {
	mu  sync.Mutex
	all map[string][]string
}

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lines) WithGroup(string) slog.Handler            { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	of := map[string]string{}
	r.Attrs(func(a slog.Attr) bool { of[a.Key] = a.Value.String(); return true })
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string][]string{}
	}
	l.all[of["call"]] = append(l.all[of["call"]], r.Level.String()+" "+r.Message+" of "+of["plugin"])
	return nil
}

func (l *lines) of(call string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[call]
}
