package toolhost

import (
	"slices"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// hello handles a client's hello. The session gets the client's tools and workspace, unless a turn
// is running: a running turn keeps its tools. hello returns the session's state before the change,
// and the accepted and rejected tools (nil if the client sent no manifest).
func (c *client) hello(m sdkapi.AgentClientMessage) (*session.State, *sdkapi.WSManifestResult, error) {
	if m.SessionID != "" && m.SessionID != c.name {
		return nil, nil, fault.New(op, sdkapi.ValidationError, "sessionId must be the session in the path").At("sessionId", "expected %s", c.name)
	}
	var told *sdkapi.WSManifestResult
	if m.ToolManifest != nil {
		settings, result, err := c.settingsOf(m)
		if err != nil {
			return nil, nil, err
		}
		c.settings, told = &settings, result
	}
	state, err := c.prepare()
	if err == nil && m.AfterSeq != nil && *m.AfterSeq > state.Seq {
		err = fault.New(op, sdkapi.ValidationError, "the session has no message with the seq %d; the last seq is %d; send 0 to start from the beginning", *m.AfterSeq, state.Seq).
			At("afterSeq", "expected 0 to %d", state.Seq)
	}
	return state, told, err
}

// prepare applies the client's settings to the session and returns the state before the change. The
// settings stay unchanged if the client sent no tools or a turn is running. The session keeps its
// model.
func (c *client) prepare() (*session.State, error) {
	if c.settings == nil {
		return c.Sessions.State(c.ctx, c.id, c.user)
	}
	return c.Prepare(c.ctx, c.id, c.user, func(before session.Settings) session.Settings {
		settings := *c.settings
		settings.Model = before.Model
		return settings
	})
}

// settingsOf returns session settings with a client's tools. The model may call only these tools
// and the gateway tools that the client names. If the client accepts approval requests, the gateway
// asks the user. Otherwise the client may ask by itself: it gets each risky call with its risk and
// the reason.
func (c *client) settingsOf(m sdkapi.AgentClientMessage) (session.Settings, *sdkapi.WSManifestResult, error) {
	tools, result, err := c.manifest(m.ToolManifest)
	if err != nil {
		return session.Settings{}, nil, err
	}
	settings := session.Settings{Tools: tools, Only: []string{turns.NoTools}, OS: m.System, Workspace: m.WorkspaceRoot, OneByOne: true}
	for _, t := range tools {
		settings.Only = append(settings.Only, t.Name)
	}
	settings.Only = append(settings.Only, m.GatewayTools...)
	asks := slices.Contains(m.Accept, sdkapi.AgentApproval)
	settings.ClientAsks, settings.Unaware = !asks, !asks
	return settings, result, nil
}
