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
	"github.com/windieos/windie/state/identity/oauth"
	"github.com/windieos/windie/state/identity/openid"
	"github.com/windieos/windie/state/identity/upstream"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/ledger"
	"github.com/windieos/windie/state/once"
	"github.com/windieos/windie/state/responses"
	"github.com/windieos/windie/state/retention"
	"github.com/windieos/windie/state/runs"
	"github.com/windieos/windie/wasmtools"
)

// DefaultSessionIdle is the default of App.SessionIdle.
const DefaultSessionIdle = 24 * time.Hour

// App holds the open services and the settings of a gateway. Store and Scenes are required. If a
// service is nil, the gateway has no routes for the service. If any other field is zero, its default
// applies. If Store is an artifacts.PerUser, every request needs an owner. With any other Store, all
// callers share the artifacts. The gateway closes none of the services: the caller of Serve closes
// them after Serve returns.
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
	Responses     *responses.Store // responses of the OpenAI-compatible API; if nil, they are not stored
	Runs          *runs.Plane
	Settings      []sdkapi.Setting          // the settings in force, shown to the operator
	Transcriber   transcription.Transcriber // turns clients' speech into text; if nil, the gateway cannot transcribe
	Voice         speech.Voice              // speaks answers to clients
	OpenID        *openid.Provider          // signs people in to the console
	OAuth         *oauth.Store              // lets people connect MCP clients by OAuth; nil for none
	Connections   *upstream.Store           // signs users in to the MCP servers of others; nil for none
	Issuer        *openid.Tokens            // issuer whose tokens MCP clients send, in place of OAuth; nil for none
	Prompts       *promptlist.List          // the users' prompts, which Sessions writes; if nil, they cannot be listed

	Store  artifacts.Store
	Scenes *perception.Scenes
	Finder *query.Finder // searches the screens of Scenes; default: a finder without a model
	State  State         // the database, for health checks and metrics; default: no database
	Pools  metrics.Pools // shared resources by name, for example BodyPool; default: no pools
	// Arriving is the maximum total size of the bodies and messages that the gateway is receiving, in
	// bytes. Default: no limit.
	Arriving int64
	Journal  *journal.Counted  // journal of sessions and decisions; default: no journal
	Tools    *agent.Registry   // registry of tools, which may change while the server runs; default: an empty one
	Sessions *session.Sessions // the agent's sessions, which Journal stores; default: no sessions and no conversations
	// SessionIdle is how long a session of the general agent service may be idle. Default
	// DefaultSessionIdle.
	SessionIdle time.Duration
	// PromptModels maps the values of PromptStart.Model to model ids. Default: every prompt uses the
	// deployment's model.
	PromptModels map[string]string
	// ApprovalKey is the key for requests that only people may send in local mode, see CheckKey. If
	// it is empty, only a signed-in console may send them.
	ApprovalKey string
	RunsKey     string // key for requests about runs; if empty, these requests are refused
	// OperatorToken is the token for requests of operators, such as adding a plugin. If it is empty,
	// only this machine may send such requests.
	OperatorToken string
	Damage        func() metrics.Damage // returns the counts of damaged artifacts for the metrics; default: no counts
	Identity      *identity.Identity    // users and their tokens; default: no users, and no route to register
	Kept          func() []metrics.Kept // returns the counts of stored and removed items; default: no counts
	// Forget discards the in-memory data of a deleted user. It must return quickly. Default: nothing
	// to discard.
	Forget func(user string)
	Once   *once.Keys      // stores idempotency keys; if nil, requests with such a key are refused
	Tracer *tracing.Tracer // records traces; default: no traces
	Log    *slog.Logger    // gets the log messages; default: they are discarded

	Parts []Part // additional parts of the gateway, set up in this order

	// OpenAITools selects the read-only tools that the OpenAI-compatible API may use. Default: no
	// tools.
	OpenAITools agent.Filter

	// ClientsAsk is for clients of /ws that do not mention approvals. If it is true, the gateway
	// assumes that such clients ask their users themselves.
	ClientsAsk bool

	Hosted         bool           // every request needs a token; requires Identity
	Limits         quota.Limits   // request limits for each caller; default: no limits
	LimitWindow    time.Duration  // the period in which requests count towards Limits; default one minute
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For header the gateway trusts; default: no proxies

	Version    string // version that /health and the API document show; default "dev"
	PathPrefix string // extra URL prefix of all routes, for example "/windie"; default: no prefix
	// PublicURL is the start of URLs in responses, without a trailing slash. Default: the host that
	// the request names.
	PublicURL string
	// AllowedOrigins are additional web origins whose pages may call the gateway, for example
	// "https://app.example".
	AllowedOrigins   []string
	MaxArtifactBytes int64 // maximum size of one upload; default 25 MiB
	// PresignTTL is how long a presigned link to the artifact store is valid. The gateway redirects
	// downloads to such links. If it is 0, the gateway sends artifacts itself.
	PresignTTL   time.Duration
	StallTimeout time.Duration // how long a request's body may pause before the request fails; default 30 s
	Heartbeat    time.Duration // interval between heartbeats of an event stream; default 15 s
	// StreamIdle is how long a stream of the general agent service stays open between two turns.
	// Default 10 minutes.
	StreamIdle time.Duration
	MCPTools   agent.Filter // tools that MCP clients may list and call; default: all, of which the list omits some
	// MCPClients chooses the listed tools for the clients with these names. Clients name themselves, so the
	// choice is only for lists, not for calls.
	MCPClients    map[string]agent.Filter
	MCPSessionTTL time.Duration // how long an MCP session may be idle; default 1 h
	ToolTimeout   time.Duration // maximum duration of one tool call; default 60 s
	// DrainTimeout is how long requests and turns may continue after the context of Serve has ended.
	// Default 30 s.
	DrainTimeout time.Duration
	// DrainDelay is the first part of DrainTimeout. During this time all work continues, so that a
	// load balancer can notice the shutdown. Default 0.
	DrainDelay time.Duration

	Times Times // timeouts that only tests change; users have no setting for them
}

// Times are timeouts that no setting changes. If a field is zero, its default applies.
type Times struct {
	Hello time.Duration // how long to wait for the first message of a WebSocket client; default 10 s
	// Write is the time limit for sending a WebSocket message. Each MiB of the message adds one
	// second. Default 10 s.
	Write  time.Duration
	Health time.Duration // how long the health check of one component may take; default 2 s
	Holds  time.Duration // how long the result of a health check is cached; default 1 s
	Cancel time.Duration // how long a request to cancel waits for the end of its turn; default 2 s
	Last   time.Duration // how long streams and requests may take to end after the drain timeout; default 1 s
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
