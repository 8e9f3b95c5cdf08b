package toolhost

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/agent/tools/websearch"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// manifestTool is a tool of a manifest. The protocol does not define the manifest's format, so all
// common names of the schema field are accepted.
type manifestTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	InputSchema json.RawMessage `json:"inputSchema"`
	InputSnake  json.RawMessage `json:"input_schema"`
	Schema      json.RawMessage `json:"schema"`
	Risk        string          `json:"risk"`
	Function    *manifestTool   `json:"function"` // the format of OpenAI's API
}

// schema returns the JSON Schema of the arguments. The default accepts any object.
func (t manifestTool) schema() json.RawMessage {
	for _, s := range []json.RawMessage{t.Parameters, t.InputSchema, t.InputSnake, t.Schema} {
		if len(s) > 0 && string(s) != "null" {
			return s
		}
	}
	return json.RawMessage(`{"type":"object"}`)
}

// manifest parses a client's tools. It returns the valid ones, and a report on each tool. An
// invalid tool is rejected without an effect on the others. It fails only if raw is not a list of
// at most turns.MaxWSTools tools.
func (s *door) manifest(raw json.RawMessage) ([]session.ClientTool, *sdkapi.WSManifestResult, error) {
	list, err := listOf(raw)
	if err != nil {
		return nil, nil, err
	}
	result := &sdkapi.WSManifestResult{Accepted: []sdkapi.WSAcceptedTool{}, Rejected: []sdkapi.WSRejectedTool{}}
	var taken []session.ClientTool
	for i, one := range list {
		var t manifestTool
		if err := json.Unmarshal(one, &t); err != nil {
			result.Rejected = append(result.Rejected, sdkapi.WSRejectedTool{Name: fmt.Sprintf("tools[%d]", i), Reason: "invalid tool: expected an object with name, description and parameters"})
			continue
		}
		if t.Function != nil {
			t = *t.Function
		}
		wanted := sdkapi.WSClientTool{Name: t.Name, Description: t.Description, Schema: t.schema(), Risk: t.Risk}
		tool, err := turns.ClientTool(wanted, taken, s.reserved)
		if err != nil {
			result.Rejected = append(result.Rejected, sdkapi.WSRejectedTool{Name: plain.Cut(t.Name, turns.MaxWSName), Reason: err.Error()})
			continue
		}
		taken = append(taken, tool)
		result.Accepted = append(result.Accepted, sdkapi.WSAcceptedTool{Name: t.Name, Description: t.Description, ExecutionTarget: "local_runtime"})
	}
	return taken, result, nil
}

// listOf returns the undecoded tools of a manifest: a list, or an object with a list in its field
// tools.
func listOf(raw json.RawMessage) (list []json.RawMessage, err error) {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '{' {
		var in struct {
			Tools json.RawMessage `json:"tools"`
		}
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, errManifest
		}
		raw = in.Tools
	}
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return nil, errManifest
	}
	if len(list) > turns.MaxWSTools {
		return nil, fault.New(op, sdkapi.ValidationError, "toolManifest has %d tools; the limit is %d", len(list), turns.MaxWSTools).At("toolManifest", "expected at most %d tools", turns.MaxWSTools)
	}
	return list, nil
}

var errManifest = fault.New(op, sdkapi.ValidationError, "toolManifest must be a list of tools, or an object with such a list in its field tools").At("toolManifest", "expected a list of tools")

// reserved reports whether a tool of the gateway has this name.
func (s *door) reserved(name string) bool {
	_, found := s.Tools.Named(name)
	return found || name == agent.ModelName(websearch.ToolName)
}
