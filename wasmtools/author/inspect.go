package author

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools"
)

// Inspection is the description of a plugin before a gateway serves the plugin.
type Inspection struct {
	Admission *wasmtools.Admission `json:"admission"`
	Allow     json.RawMessage      `json:"allow,omitempty"` // grant that would allow the denied permissions
	// reason why the plugin, although admitted, cannot be opened
	Problem string `json:"problem,omitempty"`
	// value for "risk" in a grant; with this value, all tools that call themselves read-only are
	// safe
	Claimed map[string]agent.Risk `json:"claimed_risk,omitempty"`
	Tools   []ToolSeen            `json:"tools,omitempty"`
}

// ToolSeen is a tool of a plugin, as the gateway would list it.
type ToolSeen struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Risk        agent.Risk      `json:"risk"`
	Input       json.RawMessage `json:"input_schema,omitempty"`
	Output      json.RawMessage `json:"output_schema,omitempty"`
}

// Inspect checks the plugin in file as a gateway does. It also opens the plugin, but only to read
// the plugin's description.
func (w *Workshop) Inspect(ctx context.Context, file string, grants Grants) (*Inspection, error) {
	src, grant, err := grants.read(file, w.cfg.ModuleBytes)
	if err != nil {
		return nil, err
	}
	return w.InspectSource(ctx, src, grant)
}

// InspectSource does the same as Inspect for a plugin in memory. grant is the grant of the plugin.
func (w *Workshop) InspectSource(ctx context.Context, src wasmtools.Source, grant wasmtools.Grant) (*Inspection, error) {
	engine, err := wasmtools.NewEngine(w.cfg)
	if err != nil {
		return nil, err
	}
	i := &Inspection{}
	if i.Admission, err = engine.Inspect(src, grant); err != nil {
		return nil, err
	}
	i.Allow = allowing(i.Admission.Denied, src.Origin)
	open, err := w.open(ctx, src, grant)
	if err != nil {
		i.Problem = plain.Explain(err).Error()
		return i, nil
	}
	defer open.Close()
	i.Claimed = open.Claimed(grant)
	tools, _ := open.registry.List()
	for _, d := range tools {
		i.Tools = append(i.Tools, ToolSeen{d.Name, d.Description, d.Risk, d.Input, d.Output})
	}
	return i, nil
}

// allowing returns a grant of all denied permissions, or nil if there are none. The operator fills
// in folders of this machine. origin is the source of the plugin.
func allowing(denied []wasmtools.Denied, origin string) json.RawMessage {
	permissions := map[string]any{}
	for _, d := range denied {
		var wish any
		if err := json.Unmarshal(d.Wish, &wish); err != nil {
			panic(err) // cannot fail: it was just decoded from JSON
		}
		if m, ok := wish.(map[string]any); ok && d.Permission == "fs" {
			m["path"] = "/A/FOLDER/OF/THIS/MACHINE"
		}
		if d.Permission == "kv" {
			permissions["kv"] = wish
			continue
		}
		list, _ := permissions[d.Permission].([]any)
		permissions[d.Permission] = append(list, wish)
	}
	if len(permissions) == 0 {
		return nil
	}
	grant := map[string]any{"permissions": permissions}
	if origin != "" {
		grant["source"] = origin
	}
	raw, err := json.Marshal(grant)
	if err != nil {
		panic(err) // cannot fail: it was just decoded from JSON
	}
	return raw
}

// Print writes the inspection to w, in a form for people.
func (i *Inspection) Print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, plain.Text(fmt.Sprintf(format, args...)))
	}
	i.printModule(row)
	i.printGrant(row)
	if i.Problem != "" {
		row("problem", "%s", i.Problem)
	}
	for _, t := range i.Tools {
		row("tool", "%s (%s): %s", t.Name, t.Risk, cmp.Or(t.Description, "not described"))
		row("", "takes %s", inline(t.Input))
		if len(t.Output) > 0 {
			row("", "gives %s", inline(t.Output))
		}
	}
	if i.Claimed != nil {
		row("claims", "that these tools only read; its grant lets them change things, so a person is asked before each call. If you believe it, put \"risk\": %s into its grant", inline(i.Claimed))
	}
	return table.Flush()
}

// printModule prints the rows about the module: its origin, its size, and what it imports.
func (i *Inspection) printModule(row func(name, format string, args ...any)) {
	a := i.Admission
	row("name", "%s", strings.TrimSpace(a.Name+" "+a.Version))
	if a.Description != "" {
		row("is", "%s", a.Description)
	}
	row("size", "%s, %d functions; compiling takes some %d ms, once", size(int64(a.Bytes)), a.Functions, a.CompileMS)
	row("sha256", "%s", a.SHA256)
	if a.Source != "" {
		row("from", "%s", a.Source)
		row("signed by", "%s", cmp.Or(a.SignedBy, "nobody"))
	}
	row("abi", "%s", a.ABI)
	row("isolation", "%s", a.Isolation)
	row("memory", "%s at the start, %s at most", size(a.MemoryBytes.Start), size(a.MemoryBytes.Most))
	row("features", "%s", cmp.Or(strings.Join(a.Features, ", "), "those of the first version"))
	row("imports", "%s", cmp.Or(strings.Join(grouped(a.Imports), "; "), "nothing"))
	if len(a.Unmet) > 0 {
		row("unmet", "%s: a call of one fails", strings.Join(a.Unmet, " "))
	}
}

// printGrant prints the rows about limits and permissions, and the grant that would allow the
// denied ones.
func (i *Inspection) printGrant(row func(name, format string, args ...any)) {
	a := i.Admission
	limits := "the defaults"
	if a.Limits != wasmtools.Defaults() {
		limits = inline(a.Limits)
	}
	granted := inline(a.Permissions)
	if granted == "{}" {
		granted = "nothing but the clock and random numbers"
	}
	row("limits", "%s", limits)
	row("granted", "%s", granted)
	for _, d := range a.Denied {
		row("denied", "%s %s", d.Permission, d.Wish)
	}
	if i.Allow != nil {
		row("to allow", "put %s into the file of grants, or give --grant '%s'", inline(map[string]any{a.Name: i.Allow}), i.Allow)
	}
	for _, warning := range a.Warnings {
		row("warning", "%s", warning)
	}
}

// grouped returns imports grouped by module, each name once.
func grouped(imports []string) []string {
	var modules []string
	names := map[string][]string{}
	for _, i := range imports {
		module, name, _ := strings.Cut(i, ".")
		if names[module] == nil {
			modules = append(modules, module)
		}
		if !slices.Contains(names[module], name) {
			names[module] = append(names[module], name)
		}
	}
	for i, module := range modules {
		modules[i] = module + ": " + strings.Join(names[module], " ")
	}
	return modules
}

// inline returns a value as JSON on one line. A missing schema is "any object".
func inline(v any) string {
	if raw, ok := v.(json.RawMessage); ok && len(raw) == 0 {
		return "any object"
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot fail: the value encodes as JSON
	}
	return string(raw)
}
