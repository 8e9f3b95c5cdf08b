package terminal

import (
	"cmp"
	"context"
	"encoding/base64"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// runner runs the tools of this machine.
type runner struct {
	tools agent.View
	files *files
	steps *Steps // asks the user about calls that the gateway did not ask about

	consents consents

	noted func(id, line string) // gets the progress of calls; nil: nobody
}

// noteOf returns the line that shows a running call's progress, or else the last line of its
// output.
func noteOf(line, output string) string {
	output = strings.TrimSpace(output)
	return cmp.Or(line, output[strings.LastIndexByte(output, '\n')+1:])
}

// manifest returns the tools in the form for the gateway.
func (r *runner) manifest() []sdk.HostTool {
	list := []sdk.HostTool{}
	tools, _ := r.tools.List()
	for _, d := range tools {
		list = append(list, sdk.HostTool{Name: agent.ModelName(d.Name), Description: d.Description, Parameters: d.Input, Risk: string(d.Risk)})
	}
	return list
}

// lost is the result of a call that an earlier program may have run.
const lost = "Result unknown: the program ended during this call. Check before you repeat it."

// refused is the result of a call that this machine does not run.
const refused = "Not run: the user of this machine did not allow it."

// run runs a call, if the user has allowed it or it changes nothing.
func (r *runner) run(ctx context.Context, call sdk.HostCall) sdk.HostResult {
	d, ok := r.tools.Named(call.Name)
	switch {
	case !ok:
		return sdk.HostResult{Output: "this machine has no tool with that name", IsError: true}
	case call.Again && d.Risk != agent.Safe:
		return sdk.HostResult{Output: lost, IsError: true}
	case !r.may(ctx, d, call):
		return sdk.HostResult{Output: refused, IsError: true}
	}
	note := func() {}
	if d.Risk != agent.Safe {
		note = r.files.watch(call.ID, call.Arguments)
	}
	if r.noted != nil {
		ctx = agent.WithProgress(ctx, func(p agent.Report) { r.noted(call.ID, noteOf(p.Line, p.Output)) })
	}
	result, err := r.tools.Invoke(ctx, d.Name, agent.Call{ID: call.ID, Arguments: call.Arguments})
	note()
	switch {
	case ctx.Err() != nil:
		return sdk.HostResult{Output: "the call was stopped while it ran; part of it may be done", IsError: true}
	case err != nil:
		return sdk.HostResult{Output: fault.From(err).Message, IsError: true}
	}
	return resultOf(result)
}

// resultOf returns a tool's result in the form for the gateway.
func resultOf(r agent.Result) sdk.HostResult {
	out := sdk.HostResult{IsError: r.IsError}
	var texts []string
	for _, p := range r.Content {
		switch p.Kind {
		case agent.TextPart:
			texts = append(texts, p.Text)
		case agent.JSONPart:
			texts = append(texts, string(p.JSON))
		case agent.ImagePart:
			if len(out.Images) < sdkapi.MaxAgentImages {
				out.Images = append(out.Images, sdkapi.ImageSource{ImageBase64: base64.StdEncoding.EncodeToString(p.Data)})
			}
		}
	}
	switch {
	case len(r.Content) == 0 && len(r.Structured) > 0:
		out.Output = r.Structured
	default:
		out.Output = strings.Join(texts, "\n")
	}
	return out
}
