package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// A name that models know stands for one tool, as long as that is there: no
// other can take it, be it spelled with other dots.
func TestModelNames(t *testing.T) {
	t.Parallel()
	r := agent.NewRegistry()
	named := func(name string) agent.Tool {
		return agent.Func(agent.Descriptor{Name: name, Risk: agent.Safe}, func(context.Context, agent.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
	}
	for _, name := range []string{"a.b_c", "ocr.find_text", "deep.group.verb"} {
		if err := r.Register(named(name)); err != nil {
			t.Fatal(err)
		}
	}
	err := r.Register(named("a_b.c"))
	if f := fault.From(err); fault.CodeOf(err) != sdkapi.ValidationError || !strings.Contains(f.Details.Fields[0].Message, "models would see this tool and a.b_c of builtin under the same name a_b_c") {
		t.Errorf("a second tool that models know as a_b_c: %v", err)
	}
	for model, name := range map[string]string{"a_b_c": "a.b_c", "ocr_find_text": "ocr.find_text", "deep_group_verb": "deep.group.verb", "ocr.find_text": "ocr.find_text"} {
		t.Run(model, func(t *testing.T) {
			if d, ok := r.Named(model); !ok || d.Name != name || agent.ModelName(agent.ModelName(name)) != agent.ModelName(name) {
				t.Errorf("%s stands for %q", model, d.Name)
			}
		})
	}
	if err := r.Update(agent.Origin{Kind: agent.Builtin}, nil); err != nil {
		t.Fatal(err)
	}
	if d, ok := r.Named("a_b_c"); ok {
		t.Errorf("a_b_c still stands for %s, which is gone", d.Name)
	}
	if err := r.Register(named("a_b.c")); err != nil {
		t.Errorf("the name is free again, and refused: %v", err)
	}
	if _, ok := r.View(func(agent.Descriptor) bool { return false }).Named("a_b_c"); ok {
		t.Error("a view names a tool that it does not show")
	}
}
