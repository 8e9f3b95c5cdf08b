package stage

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"

	"github.com/windieos/windie/agent"
)

// counted is what a counting tool returns.
type counted struct {
	Count int64 `json:"count"`
}

// nothing is what a tool without arguments takes.
type nothing struct{}

// given is a tool of dialogues, which says what it was given.
type given struct {
	name string
	risk agent.Risk
}

// Descriptor implements agent.Tool.
func (g given) Descriptor() agent.Descriptor {
	input := json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)
	return agent.Descriptor{Name: g.name, Risk: g.risk, Input: input, Origin: agent.Origin{Kind: agent.Builtin}}
}

// Call implements agent.Tool.
func (g given) Call(_ context.Context, c agent.Call) (agent.Result, error) {
	return agent.Result{Content: []agent.Part{agent.Text(g.name + " was given " + string(c.Arguments))}}, nil
}

// toolsOf are the tools besides the gateway's own that a case calls.
func toolsOf(name string) []agent.Tool {
	if strings.HasPrefix(name, "prompt-") || name == "v1-approval" {
		return []agent.Tool{given{"shell.exec", agent.Risky}, given{"time.now", agent.Safe}}
	}
	if name == "ws-progress" {
		return []agent.Tool{Counting()}
	}
	if !strings.HasPrefix(name, "fault-") {
		return nil
	}
	var runs atomic.Int64
	return []agent.Tool{
		agent.Func(agent.Descriptor{Name: "conformance.count", Description: "Counts how often it ran.", Risk: agent.Safe}, func(context.Context, agent.Call, nothing) (counted, error) {
			return counted{runs.Add(1)}, nil
		}),
		agent.Func(agent.Descriptor{Name: "conformance.wait", Description: "Waits until its caller goes away.", Risk: agent.Safe}, func(ctx context.Context, _ agent.Call, _ nothing) (counted, error) {
			<-ctx.Done()
			return counted{}, ctx.Err()
		}),
	}
}

// Counting is a tool of dialogues that says how far it is, once, and what it counted.
func Counting() agent.Tool {
	d := agent.Descriptor{Name: "files.count", Description: "Counts the files of a folder.", Risk: agent.Safe}
	return agent.Func(d, func(ctx context.Context, _ agent.Call, _ nothing) (counted, error) {
		agent.Progress(ctx, "counted 40 of 80 files")
		return counted{80}, nil
	})
}
