package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/windieos/windie/agent"
)

// What a tool reports reaches whoever watches its call, and nobody else.
func TestProgress(t *testing.T) {
	t.Parallel()
	registry := agent.NewRegistry()
	err := registry.Register(agent.Func(agent.Descriptor{Name: "long.task", Risk: agent.Safe}, func(ctx context.Context, _ agent.Call, _ struct{}) (struct{}, error) {
		agent.Progress(ctx, "half of it")
		return struct{}{}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	for _, ctx := range []context.Context{t.Context(), agent.WithProgress(t.Context(), func(text string) { heard = append(heard, text) })} {
		if _, err := registry.Invoke(ctx, "long.task", agent.Call{}); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(heard, []string{"half of it"}) {
		t.Errorf("heard %q", heard)
	}
}
