package operators

import (
	"context"
	"net/http"

	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/sdkapi"
)

// addServers registers the routes of MCP servers.
func (s *door) addServers() {
	register(s, operation("operator-mcp-servers", http.MethodGet, sdkapi.OperatorMCPServersPath, "List MCP servers",
		"Returns each server's state, tools and problem."), s.listServers)
	register(s, operation("accept-mcp-server", http.MethodPost, sdkapi.OperatorMCPServersPath+"/{name}/accept", "Accept changed tools",
		"Accepts the tools of an MCP server in the version of `changes`. If the tools have changed again, no tool is accepted. The gateway "+
			"refuses changed tools until you accept them.", 404, 409), s.acceptServer)
}

// listServers returns the status of all MCP servers.
func (s *door) listServers(context.Context, *struct{}) (*sdkapi.MCPServerList, error) {
	out := sdkapi.MCPServerList{Servers: []sdkapi.MCPServer{}}
	for _, status := range s.mcpServers.List() {
		out.Servers = append(out.Servers, wireServer(status))
	}
	return &out, nil
}

// acceptInput names an MCP server and the changes that the operator has seen.
type acceptInput struct {
	Name string `path:"name" maxLength:"64" doc:"Name of the server in the file." example:"files"`
	Body sdkapi.AcceptTools
}

// acceptServer accepts the changed tools of a server. It fails with 409 if the tools have changed since the operator
// saw them.
func (s *door) acceptServer(_ context.Context, in *acceptInput) (*sdkapi.AcceptedTools, error) {
	accepted, err := s.mcpServers.Accept(in.Name, in.Body.Changes)
	if err != nil {
		return nil, err
	}
	return &sdkapi.AcceptedTools{Accepted: append([]string{}, accepted...)}, nil
}

// wireServer converts the status of an MCP server to the API's form.
func wireServer(s mcptools.Status) sdkapi.MCPServer {
	out := sdkapi.MCPServer{Name: s.Name, Where: s.Where, State: string(s.State), Problem: s.Problem, Changes: s.Changes, Tools: []sdkapi.MCPServerTool{}, Notes: append([]string{}, s.Notes...)}
	for _, t := range s.Tools {
		out.Tools = append(out.Tools, sdkapi.MCPServerTool{ID: t.Name, Name: t.Tool, Risk: string(t.Risk), Changed: t.Changed, Was: (*sdkapi.MCPToolDefinition)(t.Was), Now: (*sdkapi.MCPToolDefinition)(t.Now)})
	}
	return out
}
