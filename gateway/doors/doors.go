// Package doors joins the gateway's core and all its protocols. Its tests drive whole servers.
//
//	server := doors.New(gateway.App{Store: store, Scenes: scenes, Log: log})
//	err := server.Serve(ctx, listener)
package doors

import (
	"slices"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/connections"
	"github.com/windieos/windie/gateway/console"
	"github.com/windieos/windie/gateway/desktop"
	"github.com/windieos/windie/gateway/docs"
	"github.com/windieos/windie/gateway/embeddings"
	"github.com/windieos/windie/gateway/general"
	"github.com/windieos/windie/gateway/health"
	"github.com/windieos/windie/gateway/mcp"
	"github.com/windieos/windie/gateway/oauth"
	"github.com/windieos/windie/gateway/openai"
	"github.com/windieos/windie/gateway/operators"
	"github.com/windieos/windie/gateway/prompts"
	"github.com/windieos/windie/gateway/runs"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/gateway/semantic"
	"github.com/windieos/windie/gateway/tickets"
	"github.com/windieos/windie/gateway/toolhost"
	"github.com/windieos/windie/gateway/tools"
	"github.com/windieos/windie/gateway/transcription"
	"github.com/windieos/windie/gateway/usage"
)

// New returns a server with each protocol whose services are set in app, and with app.Parts. The
// server is not listening yet.
func New(app gateway.App) *gateway.Server {
	app = app.WithDefaults()
	core := gateway.New(app)
	core.Join(slices.Concat(
		health.Parts(core, app),
		screens.Parts(core, app),
		tools.Parts(core, app),
		desktop.Parts(core, app),
		prompts.Parts(core, app),
		general.Parts(core, app),
		toolhost.Parts(core, app),
		tickets.Parts(core, app),
		mcp.Parts(core, app),
		oauth.Parts(core, app),
		connections.Parts(core, app),
		embeddings.Parts(core, app),
		semantic.Parts(core, app),
		runs.Parts(core, app),
		transcription.Parts(core, app),
		openai.Parts(core, app),
		usage.Parts(core, app),
		operators.Parts(core, app),
		console.Parts(core, app),
		app.Parts,
		docs.Parts(core, app), // last: it describes the others
	)...)
	return core
}
