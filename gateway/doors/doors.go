// Package doors joins the gateway's core and all its protocols. Its tests drive whole servers.
//
//	server := doors.New(gateway.Config{Store: store, Scenes: scenes, Log: log})
//	err := server.Serve(ctx, listener)
package doors

import (
	"slices"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/console"
	"github.com/windieos/windie/gateway/desktop"
	"github.com/windieos/windie/gateway/docs"
	"github.com/windieos/windie/gateway/embeddings"
	"github.com/windieos/windie/gateway/general"
	"github.com/windieos/windie/gateway/health"
	"github.com/windieos/windie/gateway/mcp"
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

// New returns a server with every protocol that cfg has what it needs for, and
// then the parts of cfg. It is not listening yet.
func New(cfg gateway.Config) *gateway.Server {
	cfg.Parts = slices.Concat(
		health.Parts(cfg),
		screens.Parts(),
		tools.Parts(cfg),
		desktop.Parts(cfg),
		prompts.Parts(cfg),
		general.Parts(cfg),
		toolhost.Parts(cfg),
		tickets.Parts(cfg),
		mcp.Parts(),
		embeddings.Parts(cfg),
		semantic.Parts(cfg),
		runs.Parts(cfg),
		transcription.Parts(cfg),
		openai.Parts(cfg),
		usage.Parts(cfg),
		operators.Parts(cfg),
		console.Parts(),
		cfg.Parts,
		docs.Parts(), // last: it describes the others
	)
	return gateway.New(cfg)
}
