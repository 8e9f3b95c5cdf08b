package turns

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// backend is the argument_resolution with which the gateway replaces the targets that a tool's
// arguments describe by points on the screen. By default the client gets the arguments as the model
// wrote them.
const backend = "backend"

var resolutions = []string{"", "passthrough", backend}

var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// clientTools returns the valid tools of a manifest, and a report with the reason for each rejected
// one. A tool may not have the name of a gateway tool. It may have the name of a desktop tool,
// because the client that runs these may redefine them.
func clientTools(manifest *sdkapi.WSClientManifest, reserved func(name string) bool) ([]session.ClientTool, sdkapi.WSManifestResult) {
	result := sdkapi.WSManifestResult{Accepted: []sdkapi.WSAcceptedTool{}, Rejected: []sdkapi.WSRejectedTool{}}
	var taken []session.ClientTool
	for _, t := range manifest.Tools {
		tool, err := ClientTool(t, taken, reserved)
		if err != nil {
			result.Rejected = append(result.Rejected, sdkapi.WSRejectedTool{Name: fmt.Sprintf("%.64s", t.Name), Reason: err.Error()})
			continue
		}
		taken = append(taken, tool)
		target := t.ExecutionTarget
		if target == "" {
			target = "local_runtime"
		}
		result.Accepted = append(result.Accepted, sdkapi.WSAcceptedTool{Name: t.Name, Description: t.Description, ExecutionTarget: target})
	}
	return taken, result
}

// ClientTool validates and converts one tool of a manifest. taken contains the tools that were
// already accepted. The tool must not repeat one of their names. reserved reports whether a name
// belongs to a tool of the gateway.
func ClientTool(t sdkapi.WSClientTool, taken []session.ClientTool, reserved func(name string) bool) (session.ClientTool, error) {
	switch {
	case !toolName.MatchString(t.Name):
		return session.ClientTool{}, errors.New("a name must have 1 to 64 letters, digits, _ and -")
	case reserved(t.Name):
		return session.ClientTool{}, errors.New("this name belongs to a tool of the gateway; choose another name")
	case slices.ContainsFunc(taken, func(other session.ClientTool) bool { return other.Name == t.Name }):
		return session.ClientTool{}, errors.New("the manifest contains this name twice; each tool needs its own name")
	case t.ExecutionTarget != "" && t.ExecutionTarget != "local_runtime":
		return session.ClientTool{}, errors.New(`execution_target must be "local_runtime"`)
	case !slices.Contains(resolutions, t.ArgumentResolution):
		return session.ClientTool{}, errors.New(`argument_resolution must be "passthrough" or "backend"`)
	case !slices.Contains(riskNames, t.Risk):
		return session.ClientTool{}, errors.New(`risk must be "safe", "risky" or "forbidden"`)
	case len(t.Schema) > maxWSToolLen || len(t.Description) > maxWSToolLen:
		return session.ClientTool{}, fmt.Errorf("schema and description together must have at most %d bytes", maxWSToolLen)
	}
	if err := agent.CheckSchema(t.Schema); err != nil {
		return session.ClientTool{}, errors.New(fault.From(err).Message)
	}
	tool := session.ClientTool{Name: t.Name, Description: t.Description, Input: t.Schema, Resolve: t.ArgumentResolution == backend}
	if tool.Resolve {
		if err := desktop.CheckResolved(t.Schema); err != nil {
			return session.ClientTool{}, err
		}
	}
	tool.Risk, tool.Unasked = riskOf(t)
	return tool, nil
}

// riskNames are the valid risks of a client's tool, from unset to the highest.
var riskNames = []string{"", string(agent.Safe), string(agent.Risky), string(agent.Forbidden)}

// riskOf returns the risk of a client's tool: the client's value, or Risky if there is none. For a
// desktop tool, a client can raise the known risk but not lower it. unasked is true for desktop
// tools that need no approval.
func riskOf(t sdkapi.WSClientTool) (risk agent.Risk, unasked bool) {
	for _, known := range desktop.Tools() {
		if known.Name == t.Name && (t.Risk == "" || slices.Index(riskNames, t.Risk) < slices.Index(riskNames, string(known.Risk))) {
			return known.Risk, known.Unasked
		}
	}
	return cmp.Or(agent.Risk(t.Risk), agent.Risky), false
}
