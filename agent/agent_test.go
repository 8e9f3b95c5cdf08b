package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// weather is the owner that most tests bring tools of.
var weather = agent.Origin{Kind: agent.Wasm, Owner: "weather"}

// fake is a tool that returns what answer returns; without answer it says "ok".
type fake struct {
	about  agent.Descriptor
	answer func(ctx context.Context, call agent.Call) (agent.Result, error)
}

func (f fake) Descriptor() agent.Descriptor { return f.about }

func (f fake) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	if f.answer == nil {
		return agent.Result{Content: []agent.Part{agent.Text("ok")}}, nil
	}
	return f.answer(ctx, call)
}

// tool returns a fake of that name and owner that nothing is wrong with.
func tool(name string, origin agent.Origin) fake {
	return fake{about: agent.Descriptor{Name: name, Risk: agent.Safe, Origin: origin}}
}

// with returns a tool with these schemas.
func with(input, output string) fake {
	f := tool("weather.get", weather)
	f.about.Input, f.about.Output = json.RawMessage(input), json.RawMessage(output)
	return f
}

// registered returns a registry that holds tools.
func registered(t testing.TB, tools ...agent.Tool) *agent.Registry {
	t.Helper()
	r := agent.NewRegistry()
	for _, tool := range tools {
		if err := r.Register(tool); err != nil {
			t.Fatalf("%v\n%s", err, fields(err))
		}
	}
	return r
}

// names lists what a view shows.
func names(v agent.View) []string {
	tools, _ := v.List()
	var list []string
	for _, d := range tools {
		list = append(list, d.Name)
	}
	return list
}

// fields writes the fields of err as "path: message", one per line.
func fields(err error) string {
	var lines []string
	if f := fault.From(err); f != nil {
		for _, field := range f.Details.Fields {
			lines = append(lines, field.Path+": "+field.Message)
		}
	}
	return strings.Join(lines, "\n")
}

// wantCode fails the test unless err has that code; "" stands for no error.
func wantCode(t *testing.T, err error, code sdkapi.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Fatalf("%q, not %q: %v\n%s", got, code, err, fields(err))
	}
}

func TestRegisterRefuses(t *testing.T) {
	t.Parallel()
	change := func(edit func(d *agent.Descriptor)) fake {
		f := with("", "")
		edit(&f.about)
		return f
	}
	named := func(name string) fake { return change(func(d *agent.Descriptor) { d.Name = name }) }
	long := "a." + strings.Repeat("b", agent.MaxNameLen-2)
	for _, tt := range []struct {
		name string
		tool fake
		want string // what the fields begin with; "" for a tool that is taken
	}{
		{"a plain tool", with("", ""), ""},
		{"three parts", named("screen.text.find_2"), ""},
		{"the longest name", named(long), ""},
		{"a name too long", named(long + "b"), "name: "},
		{"no name", named(""), "name: "},
		{"no group", named("get"), "name: "},
		{"a capital", named("Weather.get"), "name: "},
		{"a space at the end", named("weather.get "), "name: "},
		{"a newline at the end", named("weather.get\n"), "name: "},
		{"a letter that looks alike", named("weаther.get"), "name: "},
		{"a digit first", named("2d.draw"), "name: "},
		{"an empty part", named("weather..get"), "name: "},
		{"the longest description", change(func(d *agent.Descriptor) { d.Description = strings.Repeat("d", agent.MaxDescriptionLen) }), ""},
		{"a description too long", change(func(d *agent.Descriptor) { d.Description = strings.Repeat("d", agent.MaxDescriptionLen+1) }), "description: "},
		{"a description that is no text", change(func(d *agent.Descriptor) { d.Description = "\xff" }), "description: "},
		{"the longest tag", change(func(d *agent.Descriptor) { d.Tag = strings.Repeat("t", agent.MaxLabelLen) }), ""},
		{"a tag too long", change(func(d *agent.Descriptor) { d.Tag = strings.Repeat("t", agent.MaxLabelLen+1) }), "tag: "},
		{"no risk", change(func(d *agent.Descriptor) { d.Risk = "" }), "risk: "},
		{"another risk", change(func(d *agent.Descriptor) { d.Risk = "harmless" }), "risk: "},
		{"no origin", change(func(d *agent.Descriptor) { d.Origin = agent.Origin{} }), "origin.kind: "},
		{"a plugin of nobody", change(func(d *agent.Descriptor) { d.Origin.Owner = "" }), "origin.owner: "},
		{"a built-in of somebody", change(func(d *agent.Descriptor) { d.Origin.Kind = agent.Builtin }), "origin.owner: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := agent.NewRegistry().Register(tt.tool)
			if tt.want == "" {
				wantCode(t, err, "")
				return
			}
			wantCode(t, err, sdkapi.ValidationError)
			if got := fields(err); !strings.HasPrefix(got, tt.want) || strings.Contains(got, "\n") {
				t.Errorf("fields %q, not %q alone", got, tt.want)
			}
		})
	}
}

func TestNamesBelongToTheirOwner(t *testing.T) {
	t.Parallel()
	builtin := agent.Origin{Kind: agent.Builtin}
	r := registered(t, tool("screen.ocr", builtin), tool("weather.get", weather))
	before := r.Revision()
	for _, owner := range []agent.Origin{{Kind: agent.Wasm, Owner: "evil"}, {Kind: agent.Client, Owner: "cli"}, {Kind: agent.MCP, Owner: "files"}} {
		t.Run(owner.String(), func(t *testing.T) {
			for _, name := range []string{"screen.ocr", "weather.get"} {
				held, _ := r.Get(name)
				err := r.Register(tool(name, owner))
				wantCode(t, err, sdkapi.ValidationError)
				if got := fields(err); !strings.Contains(got, held.Origin.String()) || !strings.Contains(got, owner.String()) {
					t.Errorf("%q does not name %s and %s", got, held.Origin, owner)
				}
				wantCode(t, r.Update(owner, []agent.Tool{tool("evil.first", owner), tool(name, owner)}), sdkapi.ValidationError)
			}
		})
	}
	wantCode(t, r.Register(tool("weather.get", weather)), sdkapi.ValidationError)
	if got := names(r.View()); !slices.Equal(got, []string{"screen.ocr", "weather.get"}) || r.Revision() != before {
		t.Errorf("refused changes left %v at revision %d, not %d", got, r.Revision(), before)
	}
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	other := agent.Origin{Kind: agent.Wasm, Owner: "other"}
	r := registered(t, tool("other.keep", other))
	wantCode(t, r.Update(weather, []agent.Tool{tool("weather.get", weather), tool("weather.set", weather)}), "")
	first := []string{"other.keep", "weather.get", "weather.set"}
	bad := tool("weather.bad", weather)
	bad.about.Input = json.RawMessage(`{"type":"nonsense"}`)
	for _, tt := range []struct {
		name  string
		tools []agent.Tool
	}{
		{"a bad schema", []agent.Tool{tool("weather.new", weather), bad}},
		{"another's name", []agent.Tool{tool("weather.new", weather), tool("other.keep", weather)}},
		{"one name twice", []agent.Tool{tool("weather.new", weather), tool("weather.new", weather)}},
		{"another origin", []agent.Tool{tool("weather.new", weather), tool("other.new", other)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := r.Revision()
			wantCode(t, r.Update(weather, tt.tools), sdkapi.ValidationError)
			_, added := r.Get("weather.new")
			_, kept := r.Get("weather.set")
			if got := names(r.View()); !slices.Equal(got, first) || added || !kept || r.Revision() != before {
				t.Errorf("%s left %v, the new one %v, the old one %v", tt.name, got, added, kept)
			}
		})
	}
	wantCode(t, r.Update(weather, []agent.Tool{tool("weather.new", weather), tool("weather.get", weather)}), "")
	if got := names(r.View()); !slices.Equal(got, []string{"other.keep", "weather.get", "weather.new"}) || r.Revision() != 3 {
		t.Errorf("an update left %v at revision %d", got, r.Revision())
	}
	wantCode(t, r.Update(weather, nil), "")
	if got := names(r.View()); !slices.Equal(got, []string{"other.keep"}) {
		t.Errorf("an empty update left %v", got)
	}
}

func TestOwnersHaveALimit(t *testing.T) {
	t.Parallel()
	r := agent.NewRegistry()
	tools := make([]agent.Tool, agent.MaxToolsPerOwner)
	for i := range tools {
		tools[i] = tool("weather.t"+strings.Repeat("x", i%40)+string(rune('a'+i/40)), weather)
	}
	wantCode(t, r.Update(weather, tools), "")
	wantCode(t, r.Register(tool("weather.more", weather)), sdkapi.ValidationError)
	wantCode(t, r.Register(tool("other.more", agent.Origin{Kind: agent.Wasm, Owner: "other"})), "")
	wantCode(t, r.Update(weather, tools), "")
}

func TestUpdateReplacesAndRemoves(t *testing.T) {
	t.Parallel()
	r := registered(t, tool("weather.get", weather))
	next := tool("weather.get", weather)
	next.about.Description = "new"
	wantCode(t, r.Update(weather, []agent.Tool{next}), "")
	if d, ok := r.Get("weather.get"); !ok || d.Description != "new" {
		t.Errorf("replaced by %+v", d)
	}
	wantCode(t, r.Update(weather, nil), "")
	if _, ok := r.Get("weather.get"); ok || r.Revision() != 3 {
		t.Errorf("still there at revision %d", r.Revision())
	}
}

func TestViewsNarrow(t *testing.T) {
	t.Parallel()
	tagged := tool("weather.get", weather)
	tagged.about.Tag = "Weather"
	r := registered(t, tagged, tool("screen.ocr", agent.Origin{Kind: agent.Builtin}), tool("files.read", agent.Origin{Kind: agent.MCP, Owner: "files"}))
	hidden := func(d agent.Descriptor) bool { return d.Origin.Kind != agent.MCP }
	for _, tt := range []struct {
		name string
		view agent.View
		want []string
	}{
		{"all", r.View(), []string{"files.read", "screen.ocr", "weather.get"}},
		{"by tag", r.View(agent.Tags("Weather", "Files")), []string{"weather.get"}},
		{"by name", r.View(named("weather.get", "files.read", "no.such")), []string{"files.read", "weather.get"}},
		{"no name", r.View(named()), nil},
		{"by who asks", r.View(hidden), []string{"screen.ocr", "weather.get"}},
		{"all of these", r.View(hidden, named("weather.get", "files.read")), []string{"weather.get"}},
		{"asking for more than there is to see", r.View(hidden).View(named("files.read")), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := names(tt.view); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, not %v", tt.name, got, tt.want)
			}
			for _, name := range names(r.View()) {
				_, seen := tt.view.Get(name)
				_, err := tt.view.Invoke(t.Context(), name, agent.Call{})
				if want := slices.Contains(tt.want, name); seen != want || want != (err == nil) || !want && fault.CodeOf(err) != sdkapi.ToolNotFound {
					t.Errorf("%s: %s: seen %v, called %v", tt.name, name, seen, err)
				}
			}
		})
	}
	view := r.View(hidden)
	wantCode(t, r.Update(weather, nil), "")
	if got := names(view); !slices.Equal(got, []string{"screen.ocr"}) {
		t.Errorf("a view shows %v after a removal", got)
	}
}

// Views made of one view must not write into each other's filters.
func TestViewsAreIndependent(t *testing.T) {
	t.Parallel()
	r := registered(t, tool("a.a", weather), tool("b.b", weather))
	all := func(agent.Descriptor) bool { return true }
	base := r.View(all, all, all).View(all, all)
	a, b := base.View(named("a.a")), base.View(named("b.b"))
	if got := slices.Concat(names(a), names(b)); !slices.Equal(got, []string{"a.a", "b.b"}) {
		t.Errorf("the views show %v", got)
	}
}

func TestRegistryKeepsItsSchemas(t *testing.T) {
	t.Parallel()
	f := with(`{"type":"object"}`, "")
	r := registered(t, f)
	copy(f.about.Input, `{"type":"nobody"}`)
	if d, _ := r.Get("weather.get"); string(d.Input) != `{"type":"object"}` {
		t.Errorf("the schema became %s", d.Input)
	}
}

// named accepts the tools with one of these names.
func named(names ...string) agent.Filter {
	return func(d agent.Descriptor) bool { return slices.Contains(names, d.Name) }
}
