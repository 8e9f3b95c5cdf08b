package mcp

import (
	"encoding/json"
	"slices"

	"github.com/gofiber/fiber/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/state/identity/oauth"
)

const (
	methodList = "tools/list"
	methodRead = "resources/read"
)

// scopesOf returns the scopes that a client's access token needs for a tool: one for the tool's kind,
// and one more if the tool is risky.
func scopesOf(d agent.Descriptor) []string {
	scopes := []string{oauth.ScopeTools}
	if d.Origin.Kind == agent.Builtin {
		switch d.Tag {
		case "OCR", "Vision", "Artifacts":
			scopes = []string{oauth.ScopeScreens}
		case "computer":
			scopes = []string{oauth.ScopeComputer}
		}
	}
	if d.Risk != agent.Safe {
		scopes = append(scopes, oauth.ScopeRisky)
	}
	return scopes
}

// scopesFor returns the scopes that a message needs.
func (m *server) scopesFor(method, tool string) []string {
	switch method {
	case methodRead:
		return []string{oauth.ScopeScreens}
	case methodCall:
		if d, ok := m.tools.Named(tool); ok {
			return scopesOf(d)
		}
	}
	return nil
}

// checkScopes refuses a request with a message that the client's access token does not allow. Only this
// refusal has the HTTP status by which clients ask for more; receive and direct check each message.
func (m *server) checkScopes(c *fiber.Ctx, raw []byte) error {
	if gateway.RequestOf(c.UserContext()).Access == nil {
		return nil
	}
	var needed []string
	for _, message := range messagesIn(raw) {
		needed = append(needed, m.scopesFor(message.Method, message.Params.Name)...)
	}
	slices.Sort(needed)
	return m.core.CheckScopes(c, slices.Compact(needed)...)
}

// scoped is the part of a message that decides which scopes it needs.
type scoped struct {
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// messagesIn returns the messages of a body. The SDK rejects what is invalid.
func messagesIn(raw []byte) (messages []scoped) {
	if json.Unmarshal(raw, &messages) == nil {
		return messages
	}
	var one scoped
	_ = json.Unmarshal(raw, &one)
	return []scoped{one}
}

// permitted checks the scopes of a message that the SDK has parsed.
func (m *server) permitted(access *oauth.Access, method string, message mcp.Request) error {
	tool := ""
	if params, ok := message.GetParams().(*mcp.CallToolParamsRaw); ok && params != nil {
		tool = params.Name
	}
	return gateway.MissingScopes(access, m.scopesFor(method, tool)...)
}
