package tools

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// addTools adds the routes that list and call the registry's tools.
func (s *door) addTools() {
	about := func(id, path, summary, description string, errors ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{"tools"}, Security: gateway.AsksForUser,
			Summary: summary, Description: description, Errors: append(errors, 401, 422),
		}
	}
	gateway.RegisterJSON(s.core, about("capabilities", sdkapi.CapabilitiesPath, "List the gateway's parts",
		"Lists the built-in parts, and the plugins, clients and servers with tools. For the tools, see the list of tools."), s.capabilities)
	gateway.RegisterJSON(s.core, about("list-tools", sdkapi.ToolsPath, "List tools",
		"Returns each tool's id, description, and JSON Schemas of its input and output. Adding or removing plugins changes the list."), s.listTools)
	gateway.RegisterJSON(s.core, about("get-tool", sdkapi.ToolsPath+"/{toolId}", "Get a tool",
		"Returns the same data as the list of tools, for one tool.", 404), s.getTool)
	s.addInvoke()
}

type getToolInput struct {
	ToolID string `path:"toolId" maxLength:"128" doc:"The tool's id." example:"ocr.find_text"`
}

// getTool returns one tool. The error for an unknown tool is TOOL_NOT_FOUND.
func (s *door) getTool(_ context.Context, in *getToolInput) (*sdkapi.Tool, error) {
	d, found := s.core.Tools().Get(in.ToolID)
	if !found {
		return nil, fault.New("gateway.tools", sdkapi.ToolNotFound, "there is no tool %q", plain.Cut(in.ToolID, 100)).
			At("path.toolId", "expected the id of a listed tool")
	}
	return new(wireTool(d)), nil
}

// capabilities returns the sorted ids of the gateway's parts and of the owners of its tools.
func (s *door) capabilities(_ context.Context, _ *struct{}) (*sdkapi.Capabilities, error) {
	ids := map[string]bool{}
	for _, id := range s.core.PartIDs() {
		ids[id] = true
	}
	tools, _ := s.core.Tools().List()
	for _, d := range tools {
		if d.Origin.Owner != "" {
			ids[d.Origin.Owner] = true
		}
	}
	return &sdkapi.Capabilities{Plugins: slices.Sorted(maps.Keys(ids))}, nil
}

type listToolsInput struct {
	Tag string `query:"tag" maxLength:"128" doc:"List only the tools under this heading (default all)."`
}

// listTools returns all tools, or only those with the tag of the request.
func (s *door) listTools(_ context.Context, in *listToolsInput) (*sdkapi.ToolList, error) {
	view := s.core.Tools()
	if in.Tag != "" {
		view = view.View(agent.Tags(in.Tag))
	}
	tools, _ := view.List()
	out := sdkapi.ToolList{Tools: make([]sdkapi.Tool, len(tools))}
	for i, d := range tools {
		out.Tools[i] = wireTool(d)
	}
	return &out, nil
}

// wireTool converts a tool to the API's form.
func wireTool(d agent.Descriptor) sdkapi.Tool {
	return sdkapi.Tool{
		ID: d.Name, Description: d.Description, Tag: d.Tag, Input: d.Input, Output: d.Output, Risk: string(d.Risk),
		Origin: sdkapi.ToolOrigin{Kind: string(d.Origin.Kind), Owner: d.Origin.Owner}, Starting: d.Starting,
	}
}
