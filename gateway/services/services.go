// Package services names what some of a gateway's protocols work with, and its
// core does not know.
package services

import (
	"context"
	"time"

	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/models/speech/transcription"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/openid"
	"github.com/windieos/windie/state/ledger"
	"github.com/windieos/windie/state/retention"
	"github.com/windieos/windie/state/runs"
	"github.com/windieos/windie/wasmtools"
)

// Services are what protocols work with. What is nil has no routes. Whoever
// opened a service closes it once the gateway has ended.
type Services struct {
	Audit         *audit.Log                  // of the calls of tools
	Ledger        *ledger.Ledger              // of what users spend on models
	Conversations *conversation.Conversations // of users; if nil, prompts stand alone
	Digests       *digest.Digester            // makes summaries and titles
	Embeddings    *embeddings.Service         // turns texts into vectors
	Memory        *memory.Memory              // of users
	MCPServers    *mcptools.Servers           // whose tools the gateway uses
	Models        Models                      // that sessions ask; required with sessions
	Plugins       *wasmtools.Plugins
	Retention     *retention.Store // of what is kept
	Runs          *runs.Plane
	Settings      []sdkapi.Setting          // in force, for the operator
	Transcriber   transcription.Transcriber // makes text of what clients say; if nil, there is nothing that does
	Voice         speech.Voice              // speaks answers to clients
	OpenID        *openid.Provider          // lets people in at the console
	Prompts       *promptlist.List          // of users, fed by the sessions; if nil, prompts are not listed
}

// MaxPluginManifest is the size of the manifest of an uploaded plugin at most, in bytes.
const MaxPluginManifest = 256 << 10

// Models are the language models that users can choose.
type Models interface {
	// List returns those that a user can ask, also those that the user could
	// with keys to some providers.
	List(ctx context.Context, user string, with ...string) sdkapi.ModelList

	// Choose returns the model of that id for a user, and the request to ask it with; the default one for an empty id.
	Choose(ctx context.Context, user, id string) (models.Model, models.Request, error)

	// Figures returns what was counted of requests to each model.
	Figures() []models.ModelFigures

	// Default returns the id of the one for those who do not choose.
	Default() string

	// Providers returns the ids of the providers that take a user's key.
	Providers() []string

	// Keep keeps a key that a user brought, in memory alone; an empty one is forgotten.
	Keep(user, provider, key string)

	// Keeps reports whether a key that a user brought is there.
	Keeps(user, provider string) bool
}

// Usage returns what a user has spent as it is on the wire.
func Usage(user string, u ledger.Usage) sdkapi.Usage {
	return sdkapi.Usage{
		UserID: user, Day: u.Day.Format(time.DateOnly), ResetsAt: u.Resets,
		Requests: u.Requests, UnpricedRequests: u.Unpriced, InputTokens: u.Input, OutputTokens: u.Output,
		Tokens:      sdkapi.Spent{Used: u.Input + u.Output, Reserved: u.HeldTokens, Limit: u.Budget.Tokens},
		MoneyMicros: sdkapi.Spent{Used: u.Micros, Reserved: u.HeldFor, Limit: u.Budget.Micros},
		Currency:    u.Currency,
	}
}
