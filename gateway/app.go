package gateway

import (
	"cmp"
	"context"
	"database/sql"
	"log/slog"
	"net/netip"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/models/speech/transcription"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/openid"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/ledger"
	"github.com/windieos/windie/state/once"
	"github.com/windieos/windie/state/retention"
	"github.com/windieos/windie/state/runs"
	"github.com/windieos/windie/wasmtools"
)

// DefaultSessionIdle is the default of App.SessionIdle.
const DefaultSessionIdle = 24 * time.Hour

// App holds the open services and the settings of a gateway. Store and Scenes are required. If a
// service is nil, the gateway has no routes for the service. If any other field is zero, its
// default applies. If Store is an artifacts.PerUser, every request needs an owner. If not, all
// callers share Store. The gateway closes none of the services: the caller of Serve closes them
// after Serve returns.
type App struct {
	Audit         *audit.Log                  // records tool calls
	Ledger        *ledger.Ledger              // records what users spend on models
	Conversations *conversation.Conversations // the users' conversations; if nil, each prompt is independent
	Digests       *digest.Digester            // makes summaries and titles
	Embeddings    *embeddings.Service         // turns texts into vectors
	Memory        *memory.Memory              // the users' memories
	MCPServers    *mcptools.Servers           // external servers whose tools the gateway offers
	Models        Models                      // the models that sessions call; required if Sessions is set
	Plugins       *wasmtools.Plugins
	Retention     *retention.Store // retention times of stored data
	Runs          *runs.Plane
	Settings      []sdkapi.Setting          // the settings in force, shown to the operator
	Transcriber   transcription.Transcriber // turns clients' speech into text; if nil, transcription is unavailable
	Voice         speech.Voice              // speaks answers to clients
	OpenID        *openid.Provider          // signs people in to the console
	Prompts       *promptlist.List          // the users' prompts, written by Sessions; if nil, prompts are not listed

	Store         artifacts.Store
	Scenes        *perception.Scenes
	Finder        *query.Finder         // searches Scenes; default: one without a model
	State         State                 // default: none
	Pools         metrics.Pools         // shared resources by name, such as BodyPool; default: none
	Arriving      int64                 // maximum total size of partly received bodies and messages, in bytes; default: no limit
	Journal       *journal.Counted      // default: none
	Tools         *agent.Registry       // may change while the server runs; default: an empty one
	Sessions      *session.Sessions     // stored in Journal; default: none, and no conversations
	SessionIdle   time.Duration         // how long a session of the general agent service may be idle; default DefaultSessionIdle
	PromptModels  map[string]string     // model ids by the values of PromptStart.Model; default: the deployment's model for all
	ApprovalKey   string                // key of requests that only people may make in local mode, see CheckKey; default: refuse them
	RunsKey       string                // key of requests about runs; default: refuse them
	OperatorToken string                // token of operator requests, such as adding a plugin; default: only this machine may send them
	Damage        func() metrics.Damage // reports damaged artifacts to the metrics; default: none
	Identity      *identity.Identity    // users and their tokens; default: none, and no route to register
	Kept          func() []metrics.Kept // reports stored and removed data to the metrics; default: none
	Forget        func(user string)     // drops in-memory data of a deleted user; must return quickly; default: none
	Once          *once.Keys            // stores idempotency keys; default: none, and requests with a key are refused
	Tracer        *tracing.Tracer       // default: no traces
	Log           *slog.Logger          // default: discard

	Parts []Part // further parts, set up in this order

	OpenAITools agent.Filter // the read-only tools that the OpenAI-compatible API may use; default: none

	ClientsAsk bool // assume that /ws clients that do not mention approvals ask their users themselves

	Hosted         bool           // require a token of each request; needs Identity
	Limits         quota.Limits   // limits per caller; default: none
	LimitWindow    time.Duration  // the period that Limits count over; default one minute
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For the gateway believes; default: none

	Version          string        // shown by /health and the API document; default "dev"
	PathPrefix       string        // extra URL prefix of all routes, for example "/windie"; default: none
	PublicURL        string        // start of the URLs in responses, without a trailing slash; default: the request's own host
	AllowedOrigins   []string      // further web origins that may call, for example "https://app.example"
	MaxArtifactBytes int64         // maximum size of one upload; default 25 MiB
	PresignTTL       time.Duration // lifetime of a redirect to the store; 0: the gateway serves artifacts itself
	StallTimeout     time.Duration // how long a request's body may pause before the gateway gives up; default 30 s
	Heartbeat        time.Duration // interval between heartbeats of an event stream; default 15 s
	StreamIdle       time.Duration // how long a stream of the general agent service stays open between two turns; default 10 min
	MCPSessionTTL    time.Duration // how long an MCP session may be idle; default 1 h
	ToolTimeout      time.Duration // maximum duration of one tool call; default 60 s
	DrainTimeout     time.Duration // how long requests and turns may continue after the context of Serve ends; default 30 s
	DrainDelay       time.Duration // the first part of DrainTimeout, in which a load balancer notices and all work continues; default 0

	Times Times // timeouts that no setting changes; tests change them
}

// Times are timeouts that no setting changes. A zero field means its default.
type Times struct {
	Hello  time.Duration // for the first message of a WebSocket client; default 10 s
	Write  time.Duration // for sending one WebSocket message, plus one second for each MiB; default 10 s
	Health time.Duration // for the health check of one component; default 2 s
	Holds  time.Duration // how long the result of a health check is cached; default 1 s
	Cancel time.Duration // how long a request to cancel waits for the end of its turn; default 2 s
	Last   time.Duration // for streams and requests to end after the drain timeout; default 1 s
}

// State is the database of the gateway, with the methods that health checks and metrics need. Its
// methods are safe for concurrent use.
type State interface {
	Name() string                    // the name to show to people
	Ready(ctx context.Context) error // nil if the database answers; the error says what to do
	Pools() map[string]sql.DBStats   // statistics of its connection pools, by purpose
}

// WithDefaults returns a copy of the app with the defaults in place of zero values.
func (a App) WithDefaults() App {
	if a.Log == nil {
		a.Log = slog.New(slog.DiscardHandler)
	}
	if a.Finder == nil {
		a.Finder = query.New(a.Scenes, nil)
	}
	if a.Tools == nil {
		a.Tools = agent.NewRegistry()
	}
	a.Version = cmp.Or(a.Version, "dev")
	a.MaxArtifactBytes = cmp.Or(a.MaxArtifactBytes, 25<<20)
	a.StallTimeout = cmp.Or(a.StallTimeout, 30*time.Second)
	a.ToolTimeout = cmp.Or(a.ToolTimeout, 60*time.Second)
	a.SessionIdle = cmp.Or(a.SessionIdle, DefaultSessionIdle)
	a.Heartbeat = cmp.Or(a.Heartbeat, sse.Heartbeat)
	a.StreamIdle = cmp.Or(a.StreamIdle, 10*time.Minute)
	a.MCPSessionTTL = cmp.Or(a.MCPSessionTTL, time.Hour)
	a.DrainTimeout = cmp.Or(a.DrainTimeout, 30*time.Second)
	a.Times.Hello = cmp.Or(a.Times.Hello, 10*time.Second)
	a.Times.Health = cmp.Or(a.Times.Health, 2*time.Second)
	a.Times.Holds = cmp.Or(a.Times.Holds, time.Second)
	a.Times.Cancel = cmp.Or(a.Times.Cancel, 2*time.Second)
	a.Times.Last = cmp.Or(a.Times.Last, time.Second)
	return a
}

// MaxPluginManifest is the maximum size of the manifest of an uploaded plugin, in bytes.
const MaxPluginManifest = 256 << 10

// Models are the language models that users can choose.
type Models interface {
	// List returns the models that a user can choose. with names providers whose models are
	// included as if the user had a key for them.
	List(ctx context.Context, user string, with ...string) sdkapi.ModelList

	// Choose returns the model with that id, or the default model if id is empty, and a
	// request to send to it on the user's behalf.
	Choose(ctx context.Context, user, id string) (models.Model, models.Request, error)

	// Figures returns the request statistics of each model.
	Figures() []models.ModelFigures

	// Default returns the id of the default model.
	Default() string

	// Providers returns the ids of the providers that accept a user's own key.
	Providers() []string

	// Keep stores a user's key for a provider, in memory only. An empty key removes it.
	Keep(user, provider, key string)

	// Keeps reports whether a user's key for a provider is stored.
	Keeps(user, provider string) bool
}
