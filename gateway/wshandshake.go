package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of a handshake.
const (
	maxWSTools   = 200 // a client's own, and names in a list
	maxWSName    = 64  // bytes of a name in a list, and of the operating system's
	maxWSToolLen = 64 << 10
)

// readHandshake reads a client's first message. Its error is what the client
// is told, in the 123 bytes that a close frame has for a reason. A tool of its
// manifest that cannot be read is rejected, and spoils nothing else.
func readHandshake(raw []byte) (*sdkapi.WSHandshake, []sdkapi.WSRejectedTool, error) {
	var first struct{ Type any }
	if json.Unmarshal(raw, &first) == nil && first.Type != "handshake" {
		return nil, nil, fmt.Errorf("the handshake is missing: the first message must have the type \"handshake\", not %.30q", fmt.Sprint(first.Type))
	}
	if wrong := (*keyError)(nil); json.Valid(raw) && errors.As(checkKeys(raw, reflect.TypeFor[sdkapi.WSHandshake]()), &wrong) {
		return nil, nil, fmt.Errorf("%s: %s", strings.TrimPrefix(wrong.path, "."), wrong.expected)
	}
	raw, tools := cutOut(raw, "agent_definition", "tools", "client_manifest", "tools")
	var h sdkapi.WSHandshake
	if err := strict(raw, &h); err != nil {
		return nil, nil, err
	}
	if h.UserID == "" || len(h.UserID) > sdkapi.MaxUserLen || strings.IndexFunc(h.UserID, unprintable) >= 0 {
		return nil, nil, fmt.Errorf("user_id must have 1 to %d bytes of printable ASCII", sdkapi.MaxUserLen)
	}
	if h.AgentDefinition == nil {
		return &h, nil, nil
	}
	var rejected []sdkapi.WSRejectedTool
	if tools != nil {
		var err error
		manifest := h.AgentDefinition.Tools.ClientManifest
		if manifest.Tools, rejected, err = readTools(tools); err != nil {
			return nil, nil, err
		}
	}
	return &h, rejected, checkDefinition(h.AgentDefinition)
}

// cutOut takes a field out of an object, which stays as it is where there is no
// such field.
func cutOut(object json.RawMessage, path ...string) (rest, field json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields[path[0]] == nil {
		return object, nil
	}
	if len(path) == 1 {
		field = fields[path[0]]
		delete(fields, path[0])
	} else if fields[path[0]], field = cutOut(fields[path[0]], path[1:]...); field == nil {
		return object, nil
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return object, nil
	}
	return rest, field
}

// readTools reads the tools of a manifest, those that can be read.
func readTools(raw json.RawMessage) (tools []sdkapi.WSClientTool, rejected []sdkapi.WSRejectedTool, err error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, nil, errors.New("client_manifest.tools is no list")
	}
	if len(list) > maxWSTools {
		return nil, nil, errManifest
	}
	for i, one := range list {
		var tool sdkapi.WSClientTool
		if err := strict(one, &tool); err != nil {
			rejected = append(rejected, sdkapi.WSRejectedTool{Name: toolName(tool.Name, i), Reason: err.Error()})
			continue
		}
		tools = append(tools, tool)
	}
	return tools, rejected, nil
}

// toolName is what a tool of a manifest is called to its client.
func toolName(name string, at int) string {
	if name == "" {
		return fmt.Sprintf("tools[%d]", at)
	}
	return truncate(name, maxWSName)
}

var errManifest = fmt.Errorf("client_manifest: version 1, at most %d tools", maxWSTools)

// strict decodes one JSON value, which may have no fields that v has not.
func strict(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	switch {
	case misfit(err) != "":
		return errors.New(misfit(err))
	case err != nil && strings.HasPrefix(err.Error(), "json: unknown field "):
		return errors.New("unknown field " + strings.TrimPrefix(err.Error(), "json: unknown field "))
	case err != nil:
		return errors.New("not one valid JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("not one valid JSON object")
	}
	return nil
}

// wsExplicit is the mode of a client that names all tools it wants.
const wsExplicit = "explicit"

// misfit says which field of JSON is of another type than it should be; "" for
// none.
func misfit(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Field == "" {
		return ""
	}
	kind := wrong.Type.Kind().String()
	switch wrong.Type.Kind() {
	case reflect.Struct, reflect.Map, reflect.Pointer:
		kind = "object"
	case reflect.Slice:
		kind = "list"
	case reflect.Bool:
		kind = "boolean"
	case reflect.Int, reflect.Int64:
		kind = "whole number"
	}
	return fmt.Sprintf("the field %s is no %s", wrong.Field, kind)
}

var (
	wsApprovals    = []string{"", sdkapi.ApprovalsByRequest, sdkapi.ApprovalsByClient}
	wsModes        = []string{"", wsExplicit, "default_plus_client"}
	wsCapabilities = []string{"ocr", "vision", "embeddings", "web_search", "browser"}
)

func checkDefinition(d *sdkapi.WSAgentDefinition) error {
	if d.Version != 1 {
		return errors.New("agent_definition.version must be 1")
	}
	if !slices.Contains(wsApprovals, d.Approvals) {
		return errors.New("agent_definition.approvals must be approval-request or client")
	}
	if t := d.Tools; t != nil {
		if !slices.Contains(wsModes, t.Mode) {
			return errors.New("agent_definition.tools.mode must be explicit or default_plus_client")
		}
		for _, c := range t.DisabledCapabilities {
			if !slices.Contains(wsCapabilities, c) {
				return fmt.Errorf("unknown capability %.20q", c)
			}
		}
		for _, list := range [][]string{t.AvailableTools, t.DisabledTools, t.DisabledCapabilities} {
			if len(list) > maxWSTools || slices.ContainsFunc(list, func(name string) bool { return len(name) > maxWSName }) {
				return fmt.Errorf("at most %d names in a list, of at most %d bytes", maxWSTools, maxWSName)
			}
		}
		if m := t.ClientManifest; m != nil && (m.Version != 1 || len(m.Tools) > maxWSTools) {
			return errManifest
		}
	}
	if r := d.Runtime; r != nil {
		if len(r.OperatingSystem) > maxWSName || strings.IndexFunc(r.OperatingSystem, unprintable) >= 0 {
			return fmt.Errorf("operating_system has at most %d bytes of printable ASCII", maxWSName)
		}
		for _, m := range r.CoordinateMethods {
			if !slices.Contains(desktop.Methods(), desktop.Method(m)) {
				return fmt.Errorf("unknown coordinate method %.20q", m)
			}
		}
	}
	return nil
}

// wsBackend has the gateway find what the arguments of a client's tool name.
// Else they pass through as the model wrote them, for the client to read.
const wsBackend = "backend"

var wsResolutions = []string{"", "passthrough", wsBackend}

var wsToolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// clientTools says which tools of a manifest are taken, and why the others are
// not. Names of the gateway's own tools stay the gateway's; those of the
// desktop may be described anew by the client that runs them.
func clientTools(manifest *sdkapi.WSClientManifest, reserved func(name string) bool) ([]session.ClientTool, sdkapi.WSManifestResult) {
	result := sdkapi.WSManifestResult{Accepted: []sdkapi.WSAcceptedTool{}, Rejected: []sdkapi.WSRejectedTool{}}
	var taken []session.ClientTool
	for _, t := range manifest.Tools {
		tool, err := clientTool(t, taken, reserved)
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

// clientTool checks one tool of a manifest.
func clientTool(t sdkapi.WSClientTool, taken []session.ClientTool, reserved func(name string) bool) (session.ClientTool, error) {
	switch {
	case !wsToolName.MatchString(t.Name):
		return session.ClientTool{}, errors.New("a name has letters, digits, _ and -, at most 64 of them")
	case reserved(t.Name):
		return session.ClientTool{}, errors.New("reserved backend tool names cannot be overridden")
	case slices.ContainsFunc(taken, func(other session.ClientTool) bool { return other.Name == t.Name }):
		return session.ClientTool{}, errors.New("the manifest has this name twice")
	case t.ExecutionTarget != "" && t.ExecutionTarget != "local_runtime":
		return session.ClientTool{}, errors.New(`execution_target must be "local_runtime"`)
	case !slices.Contains(wsResolutions, t.ArgumentResolution):
		return session.ClientTool{}, errors.New(`argument_resolution must be "passthrough" or "backend"`)
	case !slices.Contains(wsRisks, t.Risk):
		return session.ClientTool{}, errors.New(`risk must be "safe", "risky" or "forbidden"`)
	case len(t.Schema) > maxWSToolLen || len(t.Description) > maxWSToolLen:
		return session.ClientTool{}, fmt.Errorf("schema and description have at most %d bytes", maxWSToolLen)
	}
	if err := agent.CheckSchema(t.Schema); err != nil {
		return session.ClientTool{}, errors.New(fault.From(err).Message)
	}
	tool := session.ClientTool{Name: t.Name, Description: t.Description, Input: t.Schema, Resolve: t.ArgumentResolution == wsBackend}
	if tool.Resolve {
		if err := desktop.CheckResolved(t.Schema); err != nil {
			return session.ClientTool{}, err
		}
	}
	tool.Risk, tool.Unasked = riskOf(t)
	return tool, nil
}

// wsRisks are what a client can say of a tool's risk, from none to the highest.
var wsRisks = []string{"", string(agent.Safe), string(agent.Risky), string(agent.Forbidden)}

// riskOf returns the risk of a client's tool: what the client says, or else that
// it may change something. Of the desktop's tools, which the rules of users and
// operators know, a client can raise the risk and not lower it; about one that it
// calls risky, the user is asked.
func riskOf(t sdkapi.WSClientTool) (risk agent.Risk, unasked bool) {
	for _, known := range desktop.Tools() {
		if known.Name == t.Name && (t.Risk == "" || slices.Index(wsRisks, t.Risk) < slices.Index(wsRisks, string(known.Risk))) {
			return known.Risk, known.Unasked
		}
	}
	return cmp.Or(agent.Risk(t.Risk), agent.Risky), false
}
