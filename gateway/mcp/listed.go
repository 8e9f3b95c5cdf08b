package mcp

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/state/identity/oauth"
)

// maxListed is the maximum number of tools in a list. Models choose worse from longer lists, and pay for
// them with each request. A longer list has the built-in tools and the search instead.
const maxListed = 60

// twins are the picture tools that the default list omits: each asks for the same as another tool. Clients
// may still call them.
var twins = []string{"ocr.find_text", "vision.locate_all"}

// seeTool is the tool that sees the screen itself. With it, a client needs no tools for screenshots.
const seeTool = "screen.see"

// offers reports whether clients may call a tool. The operator's choice limits the tools, and does not
// only shorten the list.
func (m *server) offers(d agent.Descriptor) bool {
	return overMCP(d) && !isSearch(agent.ModelName(d.Name)) && (m.chosen == nil || m.chosen(d))
}

// lists reports whether the list for a client has a tool. sees says whether the client may call seeTool.
func (m *server) lists(d agent.Descriptor, sees bool) bool {
	return m.chosen != nil || !isPicture(d) || !sees && !slices.Contains(twins, d.Name)
}

// may reports whether the scopes of a client's access token allow a tool. A client without such a token has
// all scopes.
func may(access *oauth.Access, d agent.Descriptor) bool {
	return access == nil || access.Scopes.Has(scopesOf(d)...)
}

// clientOf returns the name that the sender of a message gives itself, or empty.
func clientOf(message mcp.Request) string {
	session, ok := message.GetSession().(*mcp.ServerSession)
	if !ok {
		return ""
	}
	about := session.InitializeParams()
	if about == nil || about.ClientInfo == nil {
		return ""
	}
	return about.ClientInfo.Name
}

// choose reduces a list of all tools to the list for the client with a name.
func (m *server) choose(access *oauth.Access, client string, result mcp.Result) {
	list, ok := result.(*mcp.ListToolsResult)
	if !ok || list == nil {
		return
	}
	listed, profiled := m.clients[client]
	if access != nil || len(m.clients) > 0 {
		list.CacheScope = "private" // another client's list may differ
	}
	see, sees := m.tools.Named(seeTool)
	sees = sees && m.offers(see) && may(access, see)
	var own, all, search []*mcp.Tool
	for _, t := range list.Tools {
		if isSearch(t.Name) {
			search = append(search, t)
			continue
		}
		d, known := m.tools.Named(t.Name)
		if !known || !may(access, d) || profiled && !listed(d) || !profiled && !m.lists(d, sees) {
			continue
		}
		if all = append(all, t); d.Origin.Kind == agent.Builtin {
			own = append(own, t)
		}
	}
	if list.Tools = all; len(all) > maxListed {
		list.Tools = append(own[:min(len(own), maxListed-len(search))], search...)
	}
}
