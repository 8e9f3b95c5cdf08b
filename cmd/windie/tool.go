package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/kv"
)

func toolCommand(load loader, environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Write, build, inspect, call and test plugins, without a gateway",
		Long: "A plugin is a WebAssembly module, or a script, that brings tools. These commands are for who writes one or is to\n" +
			"judge one. A FILE is a plugin's .wasm or .js, with its manifest NAME.json beside it if it has one.",
	}
	cmd.AddCommand(
		toolNewCommand(),
		toolBuildCommand(load, environ),
		toolInspectCommand(load),
		toolCallCommand(load),
		toolTestCommand(load, environ),
		toolBenchCommand(load),
		toolRuntimeCommand(load, environ),
	)
	return cmd
}

// grantFlags say what a plugin is granted for the time of a command.
type grantFlags struct {
	file   string
	grants []string
}

func (f *grantFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "grants", "", "operator's `FILE` of grants, of which the plugin gets its own")
	cmd.Flags().StringArrayVar(&f.grants, "grant", nil, "grant as `JSON` or @FILE, added to the others; may be repeated")
}

// of returns the grant of the plugin called name.
func (f *grantFlags) of(name string) (wasmtools.Grant, error) {
	merged := any(map[string]any{})
	if f.file != "" {
		var all map[string]any
		if err := jsonArgument("@"+f.file, &all); err != nil {
			return wasmtools.Grant{}, fmt.Errorf("--grants: %w", err)
		}
		if own, ok := all[name]; ok {
			merged = own
		}
	}
	for _, text := range f.grants {
		var more any
		if err := jsonArgument(text, &more); err != nil {
			return wasmtools.Grant{}, fmt.Errorf("--grant: %w", err)
		}
		merged = mergeJSON(merged, more)
	}
	raw, err := json.Marshal(map[string]any{name: merged})
	if err != nil {
		return wasmtools.Grant{}, err
	}
	grants, err := wasmtools.ParseGrants(raw)
	return grants[name], err
}

// read returns the plugin of a file, with its grant.
func (f *grantFlags) read(file string) (wasmtools.Source, wasmtools.Grant, error) {
	src, err := wasmtools.ReadSource(file)
	if err != nil {
		return src, wasmtools.Grant{}, err
	}
	grant, err := f.of(src.Name)
	return src, grant, err
}

// mergeJSON adds more to base: fields to objects, items to lists. Of anything
// else more counts.
func mergeJSON(base, more any) any {
	switch m := more.(type) {
	case map[string]any:
		b, ok := base.(map[string]any)
		if !ok {
			return more
		}
		for key, value := range m {
			b[key] = mergeJSON(b[key], value)
		}
		return b
	case []any:
		if b, ok := base.([]any); ok {
			return append(b, m...)
		}
	}
	return more
}

// maxArgument is the size of a file that stands for an argument at most.
const maxArgument = 4 << 20

// argument returns a text, or the content of the file that it names after @.
func argument(text string) ([]byte, error) {
	name, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return []byte(text), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxArgument+1))
	if err == nil && len(raw) > maxArgument {
		err = fmt.Errorf("%s has more than %d bytes", name, maxArgument)
	}
	return raw, err
}

// jsonArgument reads an argument that is JSON.
func jsonArgument(text string, v any) error {
	raw, err := argument(text)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		if !strings.HasPrefix(text, "@") {
			text = fmt.Sprintf("%.40q", text)
		}
		return fmt.Errorf("%s is not the JSON that it should be: %w", strings.TrimPrefix(text, "@"), err)
	}
	return nil
}

// workshop is where a command opens plugins: with the settings of the gateway,
// and with stores of its own that go when it closes.
type workshop struct {
	c      *config
	log    *slog.Logger
	store  *kv.Store
	folder string // of the store; empty before it is needed
}

func newWorkshop(cmd *cobra.Command, c *config) *workshop {
	return &workshop{c: c, log: newLog(cmd.ErrOrStderr(), c)}
}

// engine returns an engine whose plugins ask the host through wrap; nil leaves
// it as it is.
func (w *workshop) engine(wrap func(agent.Call, abi.Host) abi.Host) (*wasmtools.Engine, error) {
	cfg := wasmtools.Config{
		CacheDir:      w.c.pluginCache(),
		CacheBytes:    w.c.Plugins.CacheBytes,
		ScriptRuntime: w.c.scriptRuntime(),
		Secret:        func(name string) (string, bool) { return os.LookupEnv(secretPrefix + name) },
		Wrap:          wrap,
		Log:           w.log,
	}
	if w.store != nil {
		cfg.Store = func(plugin string, bytes int64) abi.Store { return w.store.Plugin(plugin, bytes) }
	}
	return wasmtools.NewEngine(cfg)
}

// needStore makes the store that a grant gives.
func (w *workshop) needStore(grant wasmtools.Grant) (err error) {
	if grant.Permissions.KV == nil || w.store != nil {
		return nil
	}
	if w.folder, err = os.MkdirTemp("", "windie-tool-"); err == nil {
		w.store, err = kv.Open(filepath.Join(w.folder, "plugins.db"))
	}
	return err
}

// close ends the stores.
func (w *workshop) close() {
	if w.store != nil {
		_ = w.store.Close() // it goes anyway
	}
	if w.folder != "" {
		_ = os.RemoveAll(w.folder)
	}
}

// open opens a plugin. The caller closes it.
func (w *workshop) open(ctx context.Context, src wasmtools.Source, grant wasmtools.Grant, wrap func(agent.Call, abi.Host) abi.Host) (*openPlugin, error) {
	if err := w.needStore(grant); err != nil {
		return nil, err
	}
	engine, err := w.engine(wrap)
	if err != nil {
		return nil, err
	}
	p, err := engine.Open(ctx, src, grant)
	if err != nil {
		return nil, err
	}
	o := &openPlugin{Plugin: p, registry: agent.NewRegistry()}
	for _, tool := range p.Tools(grant) {
		if err := o.registry.Register(tool); err != nil {
			p.Close()
			return nil, err
		}
	}
	return o, nil
}

// openPlugin is a plugin whose tools are in a registry of their own.
type openPlugin struct {
	*wasmtools.Plugin
	registry *agent.Registry
}

// call calls a tool, by its full name or without the plugin's before it, as
// the gateway would.
func (o *openPlugin) call(ctx context.Context, tool string, call agent.Call) (agent.Result, error) {
	name := tool
	if _, ok := o.registry.Get(name); !ok {
		name = o.Name + "." + tool
	}
	if _, ok := o.registry.Get(name); !ok {
		var names []string
		tools, _ := o.registry.List()
		for _, d := range tools {
			names = append(names, d.Name)
		}
		return agent.Result{}, fmt.Errorf("the plugin %q has no tool %q; it has: %s", o.Name, tool, strings.Join(names, ", "))
	}
	return o.registry.Invoke(ctx, name, call)
}

// told returns err as one who may read causes wants it: what is wrong, where,
// and why.
func told(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	text := plain.Text(strings.TrimSuffix(f.Message, "; details.fields says why")) // they follow
	for _, field := range f.Details.Fields {
		text += fmt.Sprintf("\n  %s: %s", plain.Text(field.Path), plain.Text(field.Message))
	}
	if f.Cause != nil && strings.Contains(text, "the log has the reason") {
		text += ": " + plain.Text(f.Cause.Error())
	}
	return errors.New(text)
}
