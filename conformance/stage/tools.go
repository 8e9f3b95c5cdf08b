package stage

import (
	"context"
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

// toolsOf are the tools besides the gateway's own that a case calls.
func toolsOf(name string) []agent.Tool {
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
