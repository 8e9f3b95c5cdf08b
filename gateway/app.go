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

// DefaultSessionIdle is how long a session of the general agent service may say nothing.
const DefaultSessionIdle = 24 * time.Hour

// App is what a gateway is made of: what was opened, and how it answers. Store and
// Scenes are required; other zero values take the default, and what is nil has no
// routes. A Store that is an artifacts.PerUser is for a gateway of which every
// request has an owner; any other is everybody's. Whoever opened a part closes it
// once Serve has returned.
type App struct {
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

	Store         artifacts.Store
	Scenes        *perception.Scenes
	Finder        *query.Finder         // over Scenes; default: one that asks no model
	State         State                 // default: none
	Pools         metrics.Pools         // what users share, by name, for figures; default: none
	Arriving      int64                 // bytes of bodies and messages that may be on their way into memory together; default: no limit
	Journal       *journal.Counted      // default: none
	Tools         *agent.Registry       // default: one without tools; it may change while the server runs
	Sessions      *session.Sessions     // over Journal; default: none, and no conversations
	SessionIdle   time.Duration         // how long a session of the general agent service may say nothing; default DefaultSessionIdle
	PromptModels  map[string]string     // what PromptStart.Model means, as ids of models; default: the deployment's model
	ApprovalKey   string                // what requests in local mode must bring that only people may make, see CheckKey; default: none can be made
	RunsKey       string                // what requests about runs must bring; default: none are answered
	OperatorToken string                // what requests that change plugins must bring; default: only those from this machine may
	Damage        func() metrics.Damage // what is known of damaged artifacts, for the figures; default: nothing
	Identity      *identity.Identity    // users and their tokens; default: none, and no route to register
	Kept          func() []metrics.Kept // how much is kept and was removed, for metrics; default: none
	Forget        func(user string)     // forgets what this gateway holds of a user who was deleted; it must be quick; default: nothing to forget
	Once          *once.Keys            // that requests bring; default: none, and a request that brings one is refused
	Tracer        *tracing.Tracer       // default: no traces; whoever opened it closes it, after Serve
	Log           *slog.Logger          // default: discard

	Parts     []Part       // that the gateway is made of, in order
	HTTPTools agent.Filter // which tools HTTP shows and calls; default: all

	OpenAITools agent.Filter // which of them answers at the OpenAI door may use, of those that change nothing; default: none

	ClientsAsk bool // a client of /ws that says nothing of approvals asks its user by itself

	Hosted         bool           // ask each request for a token; needs Identity
	Limits         quota.Limits   // of what callers may ask for; default: none
	LimitWindow    time.Duration  // what Limits are for, if not a minute
	TrustedProxies []netip.Prefix // whose X-Forwarded-For says where a request comes from; default: nobody's

	Version          string        // shown by /health and the API document; default "dev"
	PathPrefix       string        // path below which all routes are served too, as "/windie"; default: none
	PublicURL        string        // start of the URLs given out, without a slash at the end; default: the request's own host
	AllowedOrigins   []string      // web origins that may call besides the gateway's own, as "https://app.example"
	MaxArtifactBytes int64         // of one upload; default 25 MiB
	PresignTTL       time.Duration // how long a redirect to the store is good; 0: artifacts are served from here
	StallTimeout     time.Duration // how long a request may send nothing before it is given up; default 30 s
	Heartbeat        time.Duration // between two signs of life of a stream of events; default 15 s
	StreamIdle       time.Duration // how long a stream of the general agent service stays open between two turns; default 10 min
	MCPSessionTTL    time.Duration // how long an MCP client that has a session may say nothing; default 1 h
	ToolTimeout      time.Duration // how long one call of a tool may take; default 60 s
	DrainTimeout     time.Duration // how long requests and turns may go on after Serve was told to stop; default 30 s
	DrainDelay       time.Duration // how much of that all goes on as before, so that a load balancer can notice; default: none

	Times Times // which no setting changes; tests do
}

// Times are limits of waiting. A zero one takes the default.
type Times struct {
	Hello  time.Duration // how long the client of a WebSocket may take until its first message; default 10 s
	Write  time.Duration // how long a message of a WebSocket may take to leave, besides a second for each MiB; default 10 s
	Health time.Duration // how long a part may take to say whether it works; default 2 s
	Holds  time.Duration // how long what it said holds; default 1 s
	Cancel time.Duration // how long a request to cancel waits for its turn's end, which comes within a second where a gateway works on it; default 2 s
	Last   time.Duration // how long streams and requests have to end once the drain timeout has passed; default 1 s
}

// State is the database that state is kept in, as far as it is watched. Its
// methods may be called from several goroutines at once.
type State interface {
	Name() string                    // as people call it
	Ready(ctx context.Context) error // whether it answers; the error says what to do
	Pools() map[string]sql.DBStats   // of its connections, by what they are for
}

// WithDefaults returns the app with a value for each zero that has a default.
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
