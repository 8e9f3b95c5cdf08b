package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
)

// What a tool reports reaches whoever watches its call, and nobody else.
func TestProgress(t *testing.T) {
	t.Parallel()
	registry := agent.NewRegistry()
	err := registry.Register(agent.Func(agent.Descriptor{Name: "long.task", Risk: agent.Safe}, func(ctx context.Context, _ agent.Call, _ struct{}) (struct{}, error) {
		agent.Progress(ctx, "half of it")
		agent.Output(ctx, "one\ttwo\n")
		agent.Output(ctx, "")
		return struct{}{}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	var heard []agent.Report
	for _, ctx := range []context.Context{t.Context(), agent.WithProgress(t.Context(), func(r agent.Report) { heard = append(heard, r) })} {
		if _, err := registry.Invoke(ctx, "long.task", agent.Call{}); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(heard, []agent.Report{{Line: "half of it"}, {Output: "one\ttwo\n"}}) {
		t.Errorf("heard %+v", heard)
	}
}

// Of a call the first MaxPartial bytes of output are taken, up to a whole character, and nothing behind them.
func TestPieces(t *testing.T) {
	t.Parallel()
	var p agent.Pieces
	p.Add("one ")
	p.Add("two")
	if p.Waiting() != "one two" {
		t.Errorf("waiting: %q", p.Waiting())
	}
	p.Sent()
	first := strings.Repeat("x", agent.MaxPartial-len("one two")-2)
	for _, piece := range []string{first, "€", "y"} {
		p.Add(piece)
	}
	if p.Waiting() != first {
		t.Errorf("%d bytes wait, want %d", len(p.Waiting()), len(first))
	}
}
