package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// system returns the name of the operating system, for the agent.
func system() string {
	return map[string]string{"darwin": "macOS", "linux": "Linux", "windows": "Windows"}[runtime.GOOS]
}

// toolName returns the name of a tool in the manifest.
func toolName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// message is a message to the gateway.
type message struct {
	id      string // UUID by which the gateway names a refused message; empty: a new one
	kind    string
	payload any
}

// cancelOf returns the message that ends a conversation's turn.
func cancelOf(conversation string) message {
	return message{kind: sdkapi.WSCancel, payload: sdkapi.WSCancelPayload{ConversationRef: conversation}}
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
	screenData
}

// screenData is the state of the machine's screen after a call that returns pictures.
type screenData struct {
	ScreenshotRef string `json:"screenshot_ref,omitempty"`
	SystemState   any    `json:"system_state,omitempty"`
}

// bundleResult is the payload of a tool-bundle-result.
type bundleResult struct {
	BundleID string       `json:"bundle_id"`
	Status   string       `json:"status"`
	Steps    []stepResult `json:"step_results"`
	screenData
}

type stepResult struct {
	Tool   string `json:"tool"`
	Status string `json:"status"`
	Output any    `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`

	picture *agent.Part // the tool's last picture; nil if there is none
}

// unknown is the result of a call that an earlier worker may have made.
const unknown = "result unknown: the worker was lost during this call; check before you repeat it"

// request is a request of the gateway: a call, or several in order.
type request struct {
	id     string
	call   string // the model's id for the call; empty for a bundle
	bundle bool
	tools  []sdkapi.WSBundleTool
}

// requestOf returns the request in a message. ok is false for other messages, and for requests that
// have an answer.
func requestOf(kind string, payload json.RawMessage) (r request, ok bool) {
	switch kind {
	case sdkapi.WSToolCall:
		var p sdkapi.WSToolCallPayload
		err := json.Unmarshal(payload, &p)
		return request{id: p.RequestID, call: p.Metadata.ToolCallID, tools: []sdkapi.WSBundleTool{{Name: p.ToolName, Args: p.Parameters}}}, err == nil && !p.Answered
	case sdkapi.WSToolBundle:
		var p sdkapi.WSToolBundlePayload
		err := json.Unmarshal(payload, &p)
		return request{id: p.BundleID, bundle: true, tools: p.Tools}, err == nil && !p.Answered
	}
	return request{}, false
}

// lost returns the answer to a request that an earlier worker may have carried out.
func (r request) lost() message {
	steps := make([]stepResult, len(r.tools))
	for i, t := range r.tools {
		steps[i] = stepResult{Tool: t.Name, Status: "error", Error: unknown}
	}
	return r.answer(steps, screenData{})
}

// answer builds the answer to a request from the results of its steps.
func (r request) answer(steps []stepResult, screen screenData) message {
	fit(steps)
	if !r.bundle {
		s := steps[0]
		result := toolResult{RequestID: r.id, Success: s.Status == "ok", Data: toolData{s.Output, screen}}
		if !result.Success {
			result.Error = &s.Error
		}
		return message{uuid.NewString(), sdkapi.WSToolResult, result}
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
	return message{uuid.NewString(), sdkapi.WSToolBundleResult, bundleResult{r.id, status, steps, screen}}
}

// answered is the answer to a request.
type answered struct {
	message // without a payload once the gateway has it, so that it is never sent again

	call string // the model's id for the call; empty for a bundle
}

// calls holds the requests of one turn.
type calls struct {
	tools agent.View
	desk  *Desk // nil: no tools of the desktop reference
	gate  *gate
	ready func(message) // gets each answer

	pictures *pictures

	mu      sync.Mutex
	running map[string]context.CancelFunc // by request id
	answers map[string]*answered          // by request id
	all     sync.WaitGroup
}

// newCalls returns an empty set of requests for one turn.
func newCalls(o *Options, client *sdk.Client, g *gate, ready func(message)) *calls {
	return &calls{tools: o.Tools, desk: o.Desk, gate: g, pictures: &pictures{client: client}, ready: ready, running: map[string]context.CancelFunc{}, answers: map[string]*answered{}}
}

// begin carries out a request, unless it has begun already.
func (c *calls) begin(ctx context.Context, r request) {
	c.once(ctx, r.id, r.call, func(ctx context.Context) message {
		steps := c.steps(ctx, r)
		return r.answer(steps, c.screen(ctx, steps))
	})
}

// once calls do, which returns the answer to the request id, unless that request has begun already.
// It stores the answer until the gateway has it. If the answer has no payload, once stores nothing,
// and the gateway may send the request again.
func (c *calls) once(ctx context.Context, id, call string, do func(context.Context) message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers[id] != nil || c.running[id] != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	c.running[id] = cancel
	c.all.Go(func() {
		defer cancel()
		answer := do(ctx)
		c.mu.Lock()
		delete(c.running, id)
		if answer.payload == nil {
			c.mu.Unlock()
			return
		}
		c.answers[id] = &answered{answer, call}
		c.mu.Unlock()
		c.ready(answer)
	})
}

// screen uploads the last picture of the steps, and returns its id with the machine's state. If the
// upload fails, the step of the picture fails.
func (c *calls) screen(ctx context.Context, steps []stepResult) screenData {
	var data screenData
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].picture == nil {
			continue
		}
		id, err := c.pictures.keep(ctx, steps[i].picture.Data)
		if err != nil {
			steps[i].Status, steps[i].Error = "error", fmt.Sprint("cannot store the screenshot: ", err)
			break
		}
		data.ScreenshotRef = id
		if c.desk != nil {
			data.SystemState = c.desk.State()
		}
		break
	}
	return data
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

// step carries out one step, after the gate has opened. Every failure becomes a result with the status "error".
func (c *calls) step(ctx context.Context, id string, t sdkapi.WSBundleTool) stepResult {
	out := stepResult{Tool: t.Name, Status: "error"}
	if err := c.gate.pass(ctx); err != nil {
		out.Error = "the call was stopped before it ran"
		return out
	}
	d, ok := c.tools.Named(c.desk.tool(t.Name))
	if !ok {
		out.Error = "this worker has no tool with that name"
		return out
	}
	result, err := c.tools.Invoke(ctx, d.Name, agent.Call{ID: id, Arguments: t.Args})
	out.picture = pictureOf(result)
	switch {
	case ctx.Err() != nil:
		out.Error = "the call was stopped while it ran; part of it may be done"
	case err != nil:
		out.Error = err.Error()
	case result.IsError:
		out.Error = textOf(result)
	default:
		out.Status, out.Output = "ok", outputOf(result)
	}
	return out
}

// done records the answer to a request that is not carried out.
func (c *calls) done(r request, answer message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[r.id] = &answered{answer, r.call}
}

// endAll ends the running requests.
func (c *calls) endAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range c.running {
		end()
	}
}

// heard updates the answers by a message of the gateway. The gateway has an answer if it reports
// the outcome of its call or refuses the answer for good.
func (c *calls) heard(m sdkapi.WSMessage) {
	var p struct {
		Metadata sdkapi.WSToolCallMetadata `json:"metadata"`
	}
	if m.Type == sdkapi.WSToolOutput {
		_ = json.Unmarshal(m.Payload, &p) // an invalid payload leaves the id empty
	}
	call := p.Metadata.ToolCallID
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.answers {
		refused := m.Type == sdkapi.WSError && m.InReplyTo == a.id
		if refused || call != "" && a.call == call {
			a.payload = nil
		}
	}
}

// forget discards the answers of a turn that has ended: the gateway repeats none of its requests.
func (c *calls) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.answers)
}

// unheard returns the answers that the gateway may not have.
func (c *calls) unheard() (list []message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.answers {
		if a.payload != nil {
			list = append(list, a.message)
		}
	}
	return list
}

// outputOf returns the output of a tool's result.
func outputOf(r agent.Result) any {
	if len(r.Content) == 0 && r.Structured != nil {
		return r.Structured
	}
	return textOf(r)
}

// pictureOf returns the last picture of a result, or nil.
func pictureOf(r agent.Result) *agent.Part {
	for i := len(r.Content) - 1; i >= 0; i-- {
		if r.Content[i].Kind == agent.ImagePart {
			return &r.Content[i]
		}
	}
	return nil
}

// textOf returns the texts of a result, on lines of their own. It ignores parts that are JSON or pictures.
func textOf(r agent.Result) string {
	var text []string
	for _, p := range r.Content {
		if p.Kind == agent.TextPart {
			text = append(text, p.Text)
		}
	}
	return strings.Join(text, "\n")
}
