package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdkapi"
)

// system returns the name of the operating system, for the agent.
func system() string {
	return map[string]string{"darwin": "macOS", "linux": "Linux", "windows": "Windows"}[runtime.GOOS]
}

// toolName returns the name of a tool in the manifest.
func toolName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// message is one to the gateway.
type message struct {
	kind    string
	payload any
}

// toolResult is the payload of a tool-result.
type toolResult struct {
	RequestID string   `json:"request_id"`
	Success   bool     `json:"success"`
	Data      toolData `json:"data"`
	Error     *string  `json:"error"`
}

type toolData struct {
	Output any `json:"output"`
}

// bundleResult is the payload of a tool-bundle-result.
type bundleResult struct {
	BundleID string       `json:"bundle_id"`
	Status   string       `json:"status"`
	Steps    []stepResult `json:"step_results"`
}

type stepResult struct {
	Tool   string `json:"tool"`
	Status string `json:"status"`
	Output any    `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

// unknown is what the agent hears of a call that a worker before may have made.
const unknown = "the worker that was to do this was lost; whether it was done is not known: look before you do it again"

// request is what the gateway asks the worker to do: a call, or several in order.
type request struct {
	id     string
	bundle bool
	tools  []sdkapi.WSBundleTool
}

// requestOf returns the request in a message, with ok false for other messages, and those that are answered.
func requestOf(kind string, payload json.RawMessage) (r request, ok bool) {
	switch kind {
	case sdkapi.WSToolCall:
		var p sdkapi.WSToolCallPayload
		err := json.Unmarshal(payload, &p)
		return request{id: p.RequestID, tools: []sdkapi.WSBundleTool{{Name: p.ToolName, Args: p.Parameters}}}, err == nil && !p.Answered
	case sdkapi.WSToolBundle:
		var p sdkapi.WSToolBundlePayload
		err := json.Unmarshal(payload, &p)
		return request{id: p.BundleID, bundle: true, tools: p.Tools}, err == nil && !p.Answered
	}
	return request{}, false
}

// lost returns the answer to a request that a worker before may have carried out.
func (r request) lost() message {
	steps := make([]stepResult, len(r.tools))
	for i, t := range r.tools {
		steps[i] = stepResult{Tool: t.Name, Status: "error", Error: unknown}
	}
	return r.answer(steps)
}

// answer returns the answer to a request by the results of its steps.
func (r request) answer(steps []stepResult) message {
	if !r.bundle {
		s := steps[0]
		result := toolResult{RequestID: r.id, Success: s.Status == "ok", Data: toolData{s.Output}}
		if !result.Success {
			result.Error = &s.Error
		}
		return message{sdkapi.WSToolResult, result}
	}
	good := 0
	for _, s := range steps {
		if s.Status == "ok" {
			good++
		}
	}
	status := "partial_failure"
	switch good {
	case len(r.tools):
		status = "success"
	case 0:
		status = "failure"
	}
	return message{sdkapi.WSToolBundleResult, bundleResult{r.id, status, steps}}
}

// calls are the requests of one run.
type calls struct {
	tools agent.View
	gate  *gate
	ready func(message) // gets each answer

	mu      sync.Mutex
	running map[string]context.CancelFunc // by the request's id
	answers map[string]message            // likewise
	all     sync.WaitGroup
}

// begin carries out a request, unless it was begun.
func (c *calls) begin(ctx context.Context, r request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, done := c.answers[r.id]; done || c.running[r.id] != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	c.running[r.id] = cancel
	c.all.Go(func() {
		defer cancel()
		answer := r.answer(c.steps(ctx, r))
		c.mu.Lock()
		delete(c.running, r.id)
		c.answers[r.id] = answer
		c.mu.Unlock()
		c.ready(answer)
	})
}

// steps carries out the steps of a request until one fails.
func (c *calls) steps(ctx context.Context, r request) (steps []stepResult) {
	for i, t := range r.tools {
		s := c.step(ctx, fmt.Sprintf("%s/%d", r.id, i), t)
		if steps = append(steps, s); s.Status != "ok" {
			return steps
		}
	}
	return steps
}

func (c *calls) step(ctx context.Context, id string, t sdkapi.WSBundleTool) stepResult {
	out := stepResult{Tool: t.Name, Status: "error"}
	if err := c.gate.pass(ctx); err != nil {
		out.Error = "the call was ended before it was made"
		return out
	}
	d, ok := c.tools.Named(t.Name)
	if !ok {
		out.Error = "this worker has no tool of that name"
		return out
	}
	result, err := c.tools.Invoke(ctx, d.Name, agent.Call{ID: id, Arguments: t.Args})
	switch {
	case ctx.Err() != nil:
		out.Error = "the call was ended while it was made; it may have done a part"
	case err != nil:
		out.Error = err.Error()
	case result.IsError:
		out.Error = textOf(result)
	default:
		out.Status, out.Output = "ok", outputOf(result)
	}
	return out
}

// done notes the answer to a request that is not carried out.
func (c *calls) done(r request, answer message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[r.id] = answer
}

// endAll ends the requests under way.
func (c *calls) endAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range c.running {
		end()
	}
}

// unheard returns the answers that the gateway may not have.
func (c *calls) unheard() []message {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []message
	for _, m := range c.answers {
		list = append(list, m)
	}
	return list
}

// outputOf returns what a tool answered.
func outputOf(r agent.Result) any {
	if len(r.Content) == 0 && r.Structured != nil {
		return r.Structured
	}
	return textOf(r)
}

func textOf(r agent.Result) string {
	var text []string
	for _, p := range r.Content {
		if p.Kind == agent.TextPart {
			text = append(text, p.Text)
		}
	}
	return strings.Join(text, "\n")
}
