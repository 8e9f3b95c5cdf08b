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

// backend makes the gateway find the points that a tool's arguments describe. By
// default the client gets the arguments as the model wrote them.
const backend = "backend"

var resolutions = []string{"", "passthrough", backend}

var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// clientTools returns the tools of a manifest that are taken, and why the others are
// not. A tool may not have the name of a gateway's tool. It may have that of a
// desktop's tool: the client that runs those may describe them anew.
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

// ClientTool checks one tool of a manifest.
func ClientTool(t sdkapi.WSClientTool, taken []session.ClientTool, reserved func(name string) bool) (session.ClientTool, error) {
	switch {
	case !toolName.MatchString(t.Name):
		return session.ClientTool{}, errors.New("a name must have 1 to 64 letters, digits, _ and -")
	case reserved(t.Name):
		return session.ClientTool{}, errors.New("this name belongs to a tool of the gateway; choose another one")
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

// riskNames are what a client can say of a tool's risk, from none to the highest.
var riskNames = []string{"", string(agent.Safe), string(agent.Risky), string(agent.Forbidden)}

// riskOf returns the risk of a client's tool: what the client says, or else that it
// may change something. Of the desktop's tools, which the rules know, a client can
// raise the risk and not lower it; about one that it calls risky, the user is asked.
func riskOf(t sdkapi.WSClientTool) (risk agent.Risk, unasked bool) {
	for _, known := range desktop.Tools() {
		if known.Name == t.Name && (t.Risk == "" || slices.Index(riskNames, t.Risk) < slices.Index(riskNames, string(known.Risk))) {
			return known.Risk, known.Unasked
		}
	}
	return cmp.Or(agent.Risk(t.Risk), agent.Risky), false
}
