package operators

import (
	"context"
	"net/http"

	"github.com/windieos/windie/mcptools"
	"github.com/windieos/windie/sdkapi"
)

func (s *door) addServers() {
	register(s, operation("operator-mcp-servers", http.MethodGet, sdkapi.OperatorMCPServersPath, "List the MCP servers whose tools are used",
		"Tells of each how it is and what tools it has, with the problem of one that cannot be used."), s.listServers)
	register(s, operation("accept-mcp-server", http.MethodPost, sdkapi.OperatorMCPServersPath+"/{name}/accept", "Accept the changed tools of an MCP server",
		"They are used as the server listed them last. Until then a tool that is not what it was is refused.", 404), s.acceptServer)
}

func (s *door) listServers(context.Context, *struct{}) (*sdkapi.MCPServerList, error) {
	out := sdkapi.MCPServerList{Servers: []sdkapi.MCPServer{}}
	for _, status := range s.Config.MCPServers.List() {
		out.Servers = append(out.Servers, wireServer(status))
	}
	return &out, nil
}

// serverInput names an MCP server.
type serverInput struct {
	Name string `path:"name" maxLength:"64" doc:"What the file calls the server." example:"files"`
}

func (s *door) acceptServer(_ context.Context, in *serverInput) (*sdkapi.AcceptedTools, error) {
	accepted, err := s.Config.MCPServers.Accept(in.Name)
	if err != nil {
		return nil, err
	}
	return &sdkapi.AcceptedTools{Accepted: append([]string{}, accepted...)}, nil
}

// wireServer returns a server as it is on the wire.
func wireServer(s mcptools.Status) sdkapi.MCPServer {
	out := sdkapi.MCPServer{Name: s.Name, Where: s.Where, State: string(s.State), Problem: s.Problem, Tools: []sdkapi.MCPServerTool{}, Notes: append([]string{}, s.Notes...)}
	for _, t := range s.Tools {
		out.Tools = append(out.Tools, sdkapi.MCPServerTool{ID: t.Name, Name: t.Tool, Risk: string(t.Risk), Changed: t.Changed, Was: (*sdkapi.MCPToolDefinition)(t.Was), Now: (*sdkapi.MCPToolDefinition)(t.Now)})
	}
	return out
}
