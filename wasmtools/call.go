package wasmtools

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// ErrClosed is the error that Call returns after Close.
var ErrClosed = fault.New("wasmtools.Call", sdkapi.ToolStarting, "another version is replacing the plugin; try again")

// Call calls a tool of the plugin. tool is the guest's own name of the tool. call.Arguments must
// fit the tool's input schema. Even if Call fails, the usage in the result is valid.
//
// Errors are faults. TOOL_ERROR means that the guest failed, or that it exceeded a limit; the
// message names the limit. TIMEOUT means that the guest took too long. OVERLOADED means that too
// many calls are waiting. After Close, Call returns ErrClosed.
func (p *Plugin) Call(ctx context.Context, tool string, call agent.Call) (agent.Result, error) {
	if len(call.Arguments) == 0 {
		call.Arguments = json.RawMessage(`{}`)
	}
	if !p.enter() {
		return agent.Result{}, ErrClosed
	}
	defer p.leave()
	started := time.Now()
	services, met := &services{plugin: p, ctx: ctx, call: call, started: started}, p.foldersMet()
	if p.guest.program != nil {
		return p.callProgram(ctx, tool, call, services)
	}
	input := inputs.Get().(*[]byte)
	defer giveInput(input)
	*input = p.guest.convention.CallInput((*input)[:0], tool, call.Arguments, p.userID(call))
	out, err := p.guest.run(ctx, job{
		began:  started,
		user:   p.userOf(call),
		export: p.guest.convention.Export(tool),
		input:  *input,
		args:   p.args(tool),
		host:   p.cfg.wrap(call, services),
		config: p.environment,
	})
	result := agent.Result{}
	if err != nil {
		err = p.overFolder(met, err)
	} else {
		var answer *abi.Answer
		if answer, err = p.guest.convention.ParseAnswer(out.output); err == nil {
			result = resultOf(answer)
		} else {
			err = fault.New("wasmtools.Call", sdkapi.ToolError, "the plugin %q failed: %s", p.Name, plain.Short(err.Error(), maxReason)).Because(err)
		}
	}
	result.Usage = out.usage
	result.Usage.EgressBytes = services.egressBytes()
	return result, err
}

// inputs are buffers for the inputs of guests. A call owns its buffer until the call ends. The guest
// does not read the buffer after that.
var inputs = sync.Pool{New: func() any { return new([]byte) }}

// keptInput is the size of the largest buffer that is reused, in bytes.
const keptInput = 64 << 10

// giveInput returns a buffer to inputs. It drops a buffer larger than keptInput, so that no large buffer stays in
// memory.
func giveInput(input *[]byte) {
	if cap(*input) <= keptInput {
		inputs.Put(input)
	}
}
