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

// consents are the calls that the user has allowed here. The gateway requests calls, but this
// machine decides which of them it runs. So a compromised gateway, or a program in its place,
// cannot run a call that the user did not allow.
type consents struct {
	mu    sync.Mutex
	calls map[string]consent // by the calls' ids
}

// consent allows one call.
type consent struct {
	tool      string
	arguments any
}

// give records that the user has allowed a call, with the decision's arguments if it has some.
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

// take uses up the consent to a call, and reports whether there was one for exactly this call.
func (c *consents) take(call sdk.HostCall) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	given, ok := c.calls[call.ID]
	delete(c.calls, call.ID)
	return ok && given.tool == call.Name && reflect.DeepEqual(given.arguments, valueOf(call.Arguments))
}

// valueOf decodes JSON. It keeps numbers as they are written.
func valueOf(raw json.RawMessage) (value any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return raw
	}
	return value
}

// notAsked is the reason for asking about a call that the gateway sent without asking.
const notAsked = "the gateway did not request approval for the call"

// may reports whether a call may run: it changes nothing, or the user has allowed it, or allows it
// now.
func (r *runner) may(ctx context.Context, d agent.Descriptor, call sdk.HostCall) bool {
	if d.Risk == agent.Safe || r.consents.take(call) {
		return true
	}
	yes, err := r.steps.Ask(ctx, call.Name, call.Arguments, notAsked)
	return yes && err == nil
}
