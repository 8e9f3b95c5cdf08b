package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// consents are the calls that the user has allowed here. A gateway says which calls to make, and this machine which of them
// it makes: a gateway that somebody has taken over, or a program in its place, does not get what the user did not allow.
type consents struct {
	mu    sync.Mutex
	calls map[string]consent // by the calls' ids
}

// consent is to one call.
type consent struct {
	tool      string
	arguments any
}

// give notes that the user has allowed a call, with other arguments where the decision has some.
func (c *consents) give(asked *sdkapi.AgentApprovalMessage, d sdk.Decision) {
	arguments := asked.Arguments
	if len(d.Arguments) > 0 {
		arguments = d.Arguments
	}
	if !d.Approved {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]consent{}
	}
	c.calls[asked.ToolCallID] = consent{asked.Name, valueOf(arguments)}
}

// take uses up the consent to a call, and reports whether there is one to this very call.
func (c *consents) take(call sdk.HostCall) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	given, ok := c.calls[call.ID]
	delete(c.calls, call.ID)
	return ok && given.tool == call.Name && reflect.DeepEqual(given.arguments, valueOf(call.Arguments))
}

// valueOf returns what JSON says, with its numbers as they are written.
func valueOf(raw json.RawMessage) (value any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return raw
	}
	return value
}

// notAsked is why a call is asked about that the gateway sends without a question.
const notAsked = "the gateway did not ask whether it may be made"

// may reports whether a call may be made: it changes nothing, or the user has allowed it, or does so now.
func (r *runner) may(ctx context.Context, d agent.Descriptor, call sdk.HostCall) bool {
	if d.Risk == agent.Safe || r.consents.take(call) {
		return true
	}
	yes, err := r.steps.Ask(ctx, call.Name, call.Arguments, notAsked)
	return yes && err == nil
}
