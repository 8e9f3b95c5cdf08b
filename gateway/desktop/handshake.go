package desktop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// readHandshake parses a client's first message. The client gets the error in a close frame,
// which has 123 bytes for the reason. An invalid tool is returned as rejected and does not fail
// the handshake.
func readHandshake(raw []byte) (*sdkapi.WSHandshake, []sdkapi.WSRejectedTool, error) {
	var first struct{ Type any }
	if json.Unmarshal(raw, &first) == nil && first.Type != "handshake" {
		return nil, nil, fmt.Errorf("the handshake is missing: the first message must have the type \"handshake\", not %.30q", fmt.Sprint(first.Type))
	}
	if wrong := strictbody.Wrong(raw, sdkapi.WSHandshake{}); wrong != nil {
		return nil, nil, fmt.Errorf("%s: %s", strings.TrimPrefix(wrong.Path, "."), wrong.Expected)
	}
	raw, tools := cutOut(raw, "agent_definition", "tools", "client_manifest", "tools")
	var h sdkapi.WSHandshake
	if err := strict(raw, &h); err != nil {
		return nil, nil, err
	}
	if h.UserID == "" || len(h.UserID) > sdkapi.MaxUserLen || strings.IndexFunc(h.UserID, gateway.Unprintable) >= 0 {
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
	return &h, rejected, turns.CheckDefinition(h.AgentDefinition)
}

// cutOut removes the field at path from a JSON object and returns the rest and the field. If the
// field is missing, rest is the unchanged object.
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

// readTools parses the tools of a manifest. It returns invalid tools as rejected.
func readTools(raw json.RawMessage) (tools []sdkapi.WSClientTool, rejected []sdkapi.WSRejectedTool, err error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, nil, errors.New("client_manifest.tools must be a list")
	}
	if len(list) > turns.MaxWSTools {
		return nil, nil, turns.ErrManifest
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

// toolName returns the name of a tool of a manifest for errors. A tool without a name is named by
// its index, at.
func toolName(name string, at int) string {
	if name == "" {
		return fmt.Sprintf("tools[%d]", at)
	}
	return plain.Cut(name, turns.MaxWSName)
}

// strict decodes one JSON value into v. It fails on fields that v does not have.
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
		return errors.New("expected exactly one valid JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("expected exactly one valid JSON object")
	}
	return nil
}

// misfit describes the JSON field that has the wrong type; "" if err is another error.
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
	return fmt.Sprintf("the field %s must be of the type %s", wrong.Field, kind)
}
