package mcp

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/background"
)

// connectInputID is the key of the question to sign in, in a result's InputRequests.
const connectInputID = "connect"

// Times of waiting for a person who signs in.
const (
	signInWait  = 45 * time.Second // below the limits of most clients for a call
	signInPause = 500 * time.Millisecond
)

// connect checks that a user has signed in to the server of a tool, if the server wants that. If not, it
// returns a result that makes the client show the page for it. A client that cannot show pages gets no
// question; the call then fails with the page's URL. When the person has opened the page, connect waits
// until the person has signed in.
func (m *server) connect(ctx context.Context, user string, d agent.Descriptor, req *mcp.CallToolRequest) (instead *mcp.CallToolResult, err error) {
	if !m.signsIn(d) || !canShow(req.Session) {
		return nil, nil
	}
	connected, err := m.connections.Connected(ctx, user, d.Origin.Owner)
	if err != nil || connected {
		return nil, err
	}
	said, asked := req.Params.InputResponses[connectInputID].(*mcp.ElicitResult)
	if !asked {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{connectInputID: &mcp.ElicitParams{
			Mode: "url", URL: m.connections.Console(), ElicitationID: rand.Text(),
			Message: fmt.Sprintf("%s needs your own sign-in at %s. Choose Connect there.", agent.ModelName(d.Name), d.Origin.Owner),
		}}}, nil
	}
	if said.Action != accepted {
		return nil, nil
	}
	for end := time.Now().Add(signInWait); !connected && time.Now().Before(end); {
		if err := background.Sleep(ctx, signInPause); err != nil {
			return nil, err
		}
		if connected, err = m.connections.Connected(ctx, user, d.Origin.Owner); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// signsIn reports whether users sign in to the server of a tool.
func (m *server) signsIn(d agent.Descriptor) bool {
	return m.connections != nil && d.Origin.Kind == agent.MCP && m.connections.SignsIn(d.Origin.Owner)
}

// canShow reports whether a client can show its user a page.
func canShow(client *mcp.ServerSession) bool {
	known := client.InitializeParams()
	return known != nil && known.Capabilities != nil && known.Capabilities.Elicitation != nil && known.Capabilities.Elicitation.URL != nil
}
