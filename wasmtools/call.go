package wasmtools

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// ErrClosed is the error of a call on a plugin that was closed.
var ErrClosed = fault.New("wasmtools.Call", sdkapi.ToolStarting, "the plugin is being replaced; try again")

// Call calls a tool by the guest's name for it, with checked arguments. Its
// errors are faults: TOOL_ERROR for a guest that failed or went over a
// limit, which is named, TIMEOUT for one that took too long, and OVERLOADED
// when too many calls wait. The result's usage counts beside an error.
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

// inputs are buffers for what guests read. A call holds its own until it has ended, and its guest reads it no more.
var inputs = sync.Pool{New: func() any { return new([]byte) }}

// keptInput is the largest buffer that is kept for other calls, in bytes.
const keptInput = 64 << 10

func giveInput(input *[]byte) {
	if cap(*input) <= keptInput {
		inputs.Put(input)
	}
}

// userOf returns whom a call is for, empty where users are not apart.
func (p *Plugin) userOf(call agent.Call) string {
	if len(p.cfg.UserKey) == 0 {
		return ""
	}
	return call.User
}

// localUser is the id of everybody where users are not apart.
const localUser = "local"

// userID returns the id of a call's user that the plugin sees: the same in each call, another for
// each plugin, and nothing that leads back to the user.
func (p *Plugin) userID(call agent.Call) string {
	user := p.userOf(call)
	if user == "" {
		return localUser
	}
	mac := hmac.New(sha256.New, p.cfg.UserKey)
	mac.Write([]byte(p.identity() + "\n" + user)) // an identity has no end of line
	return "u" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// foldersMet returns the limit that guests met last in each folder, or nil.
func (p *Plugin) foldersMet() (met []error) {
	for _, m := range p.mounts {
		met = append(met, m.Exceeded())
	}
	return met
}

// overFolder adds the limit of a folder that a call met: its guest sees only EIO.
func (p *Plugin) overFolder(before []error, err error) error {
	for i, m := range p.mounts {
		if met := m.Exceeded(); met != nil && met != before[i] { //nolint:errorlint // whether it differs from the one before
			f := fault.From(err)
			return fault.New("wasmtools.call", f.Code, "%s; in %s %s (file_bytes is that limit)", f.Message, m.at, fault.From(met).Message).Because(err)
		}
	}
	return err
}

// args returns the command line of a guest that has one.
func (p *Plugin) args(tool string) []string {
	if !p.guest.printsAnswer() {
		return nil
	}
	return p.guest.convention.Args(p.Name, tool)
}

// describeTime is how long a guest may take to start and describe itself.
const describeTime = 10 * time.Second

// warmUp starts the guest and asks for its tools. It has its environment, but no folder
// and no permission.
func (p *Plugin) warmUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(describeTime, p.Limits.wall()))
	defer cancel()
	call := agent.Call{ID: "describe"}
	output, err := p.guest.warmUp(ctx, job{
		export: p.guest.convention.Describe,
		input:  p.guest.convention.DescribeInput(),
		args:   p.args(""),
		host:   p.cfg.wrap(call, &services{plugin: p, ctx: ctx, call: call, started: time.Now(), describing: true}),
		config: p.variables,
	})
	if err != nil {
		return err
	}
	d, err := p.describe(output)
	if err == nil {
		p.Description = *d
	}
	return err
}

// describe reads the guest's description, or else makes one of its manifest or exports.
func (p *Plugin) describe(output []byte) (*abi.Description, error) {
	d := p.guest.convention.Tools()
	if p.guest.convention.Describe != "" {
		var err error
		if d, err = abi.ParseDescription(output); err != nil {
			return nil, fault.New("wasmtools.describe", sdkapi.ValidationError, "%s", err).Because(err)
		}
	} else if len(p.guest.tools) > 0 {
		d.Tools = p.guest.tools
	}
	if len(d.Tools) > agent.MaxToolsPerOwner {
		return nil, fault.New("wasmtools.describe", sdkapi.ValidationError, "the plugin %q has %d tools, of at most %d", p.Name, len(d.Tools), agent.MaxToolsPerOwner)
	}
	return d, nil
}

// resultOf makes a guest's answer, which was parsed, the result of a tool.
func resultOf(a *abi.Answer) agent.Result {
	r := agent.Result{Structured: a.StructuredContent, Checked: true, IsError: a.IsError, Meta: json.RawMessage(a.Meta)}
	for _, c := range a.Content {
		switch {
		case c.Type == "image":
			r.Content = append(r.Content, agent.Image(c.MimeType, c.Data))
		case c.Type == "resource" && len(c.Resource) > 0:
			r.Content = append(r.Content, agent.JSON(c.Resource))
		case c.Type == "audio":
			r.Content = append(r.Content, agent.Text(fmt.Sprintf("[audio of type %.64q, %d bytes]", c.MimeType, len(c.Data))))
		case len(c.Other) > 0: // a resource_link, say
			r.Content = append(r.Content, agent.JSON(c.Other))
		default:
			r.Content = append(r.Content, agent.Text(c.Text))
		}
		r.Content[len(r.Content)-1].MCP = c.Whole
	}
	return r
}

func marshalAnswer(r agent.Result) (json.RawMessage, error) {
	a := abi.Answer{StructuredContent: r.Structured, IsError: r.IsError, Meta: abi.Object(r.Meta)}
	for _, p := range r.Content {
		switch p.Kind {
		case agent.ImagePart:
			a.Content = append(a.Content, abi.Content{Type: "image", Data: p.Data, MimeType: p.MediaType})
		case agent.JSONPart:
			a.Content = append(a.Content, abi.Content{Type: "resource", Resource: p.JSON})
		default:
			a.Content = append(a.Content, abi.Content{Type: "text", Text: p.Text})
		}
		a.Content[len(a.Content)-1].Whole = p.MCP
	}
	return json.Marshal(a)
}
