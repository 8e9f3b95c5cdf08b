// Package gateway is the core of the HTTP server: requests, bodies, errors,
// admission, streams and draining. It knows no protocol: each is a package below
// it, which brings Parts, and doors.New joins them.
//
//	server := gateway.New(gateway.Config{Store: store, Scenes: scenes, Parts: parts})
//	err := server.Serve(ctx, listener)
//
// A route is a typed function: huma checks its input by the types in sdkapi and
// writes the OpenAPI document from them, so what is documented is what is served.
package gateway

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/gateway/services"
	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/once"
)

// Config holds what a Server is made of. Store and Scenes are required; other
// zero values take the default. A Store that is an artifacts.PerUser is for a
// gateway of which every request has an owner; any other is everybody's.
type Config struct {
	services.Services

	Store         artifacts.Store
	Scenes        *perception.Scenes
	Finder        *query.Finder         // over Scenes; default: one that asks no model
	State         State                 // default: none
	Pools         metrics.Pools         // what users share, by name, for figures; default: none
	Arriving      int64                 // bytes of bodies and messages that may be on their way into memory together; default: no limit
	Journal       *journal.Counted      // default: none
	Tools         *agent.Registry       // default: one without tools; it may change while the server runs
	Sessions      *session.Sessions     // over Journal; default: none, and no conversations
	SessionIdle   time.Duration         // how long a session of the general agent service may say nothing; default 24 h
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

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Finder == nil {
		c.Finder = query.New(c.Scenes, nil)
	}
	if c.Tools == nil {
		c.Tools = agent.NewRegistry()
	}
	c.Version = cmp.Or(c.Version, "dev")
	c.MaxArtifactBytes = cmp.Or(c.MaxArtifactBytes, 25<<20)
	c.StallTimeout = cmp.Or(c.StallTimeout, 30*time.Second)
	c.ToolTimeout = cmp.Or(c.ToolTimeout, 60*time.Second)
	c.SessionIdle = cmp.Or(c.SessionIdle, 24*time.Hour)
	c.Heartbeat = cmp.Or(c.Heartbeat, sse.Heartbeat)
	c.StreamIdle = cmp.Or(c.StreamIdle, 10*time.Minute)
	c.MCPSessionTTL = cmp.Or(c.MCPSessionTTL, time.Hour)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 30*time.Second)
	c.Times.Hello = cmp.Or(c.Times.Hello, 10*time.Second)
	c.Times.Health = cmp.Or(c.Times.Health, 2*time.Second)
	c.Times.Holds = cmp.Or(c.Times.Holds, time.Second)
	c.Times.Cancel = cmp.Or(c.Times.Cancel, 2*time.Second)
	c.Times.Last = cmp.Or(c.Times.Last, time.Second)
	return c
}

// Limits of a connection.
const (
	idleTimeout  = 2 * time.Minute // between two requests of a connection
	maxHeadBytes = 16 << 10        // of a request's head
)

// Server answers HTTP requests. New makes one; Serve runs it once.
type Server struct {
	Screens
	Config   Config
	limits   *quota.Limiter
	arriving *quota.Arriving // nil: no limit
	Visits   peer.Door       // of browsers at the console
	App      *fiber.App
	API      huma.API
	Log      *slog.Logger
	Started  time.Time
	metrics  *metrics.Metrics
	named    peer.Named

	Draining atomic.Bool // requests should go elsewhere
	open     openRequests

	// Requests is the parent of every request's context. It ends when draining
	// has taken too long, or Serve has returned. Cut ends it.
	Requests context.Context
	Cut      context.CancelFunc
	Access   accesses // what tokens opened
	Sockets  sockets.Set
	Watchers watchers
	Streams  context.Context // of MCP clients, which have no end of their own; it ends when draining begins
	endAll   context.CancelFunc
	calls    peer.Calls
}

// New returns a server with all its routes, not yet listening. A hosted one
// without Identity is a wrong program.
func New(cfg Config) *Server {
	if cfg.Hosted && cfg.Identity == nil {
		panic("gateway: a hosted gateway needs an Identity")
	}
	cfg = cfg.withDefaults()
	s := &Server{Screens: NewScreens(cfg.Store, cfg.Finder), Config: cfg, limits: quota.New(cfg.Limits, cfg.LimitWindow), arriving: quota.NewArriving(cfg.Arriving), Log: cfg.Log, Started: time.Now()}
	s.Sockets.Write = cfg.Times.Write
	s.Visits = peer.Door{Identity: cfg.Identity, Person: cfg.ApprovalKey, Operator: cfg.OperatorToken, OpenID: cfg.OpenID.Proof()}
	s.Requests, s.Cut = context.WithCancel(context.Background())
	s.Streams, s.endAll = context.WithCancel(s.Requests)
	s.metrics = metrics.New(s.sources())
	cfg.Tools.Observe(s.metrics)
	if cfg.Tracer != nil {
		cfg.Tools.Observe(tracedCalls{cfg.Tracer})
	}
	if cfg.Audit != nil {
		cfg.Tools.Observe(cfg.Audit)
	}
	s.App = fiber.New(fiber.Config{
		AppName:               "windie",
		DisableStartupMessage: true,
		ErrorHandler:          s.fail,
		Immutable:             true, // strings taken from a request outlive it: in logs, caches, goroutines
		StreamRequestBody:     true, // uploads are never held in memory; see peer.Body for what this asks of us
		BodyLimit:             1,    // hand over at the first byte; each route bounds its body itself
		ReadBufferSize:        maxHeadBytes,
		ReadTimeout:           cfg.StallTimeout,
		IdleTimeout:           idleTimeout,
		ReduceMemoryUsage:     true, // makes draining close connections that never sent anything after 5 s, and not wait for them

		EnableTrustedProxyCheck: true, // of none: X-Forwarded-* from anyone would choose the URLs given out

		DisablePreParseMultipartForm: true,
	})
	if cfg.Limits.AddressConnections > 0 {
		s.App.Server().ConnState = peer.NewConnections(s.limits, cfg.TrustedProxies).Note
	}
	s.App.Server().Handler = s.front(s.App.Server().Handler)
	s.App.Use(s.mount, s.observe, s.finishBody, s.checkOnce, s.checkOrigin, s.admit)
	s.API = humafiber.NewV2(s.App, apiConfig(cfg.Version))
	s.API.UseMiddleware(boundBody)
	s.addMetrics()
	s.setUp()
	s.describeAdmission()
	s.metrics.LearnRoutes(s.App)
	return s
}

// Serve answers requests on ln, once all parts are ready, until ctx ends, then
// lets open requests and turns finish within the drain timeout. It closes ln. An
// error means that it could not serve, or that requests were cut off. Turns that
// have not ended are left for the Sessions' owner to close.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	defer s.closeParts()
	defer s.Cut()
	if err := s.beReady(ctx); err != nil {
		return errors.Join(err, ln.Close())
	}
	if s.Config.Hosted {
		seen, err := s.Config.Identity.LastRevocation(ctx)
		if err != nil {
			return errors.Join(err, ln.Close())
		}
		go s.followRevoked(s.Requests, seen)
	}
	failed := make(chan error, 1)
	go func() { failed <- s.App.Listener(ln) }()
	go s.Sockets.Ping(s.Requests)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.Log.Info("draining", slog.Duration("at_most", s.Config.DrainTimeout))
	if err := s.shutDown(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	_ = ln.Close() // Fiber forgets to, when it is told to stop before it has begun
	if err := <-failed; err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// shutDown drains, and closes all connections. Its error says that requests were cut off.
func (s *Server) shutDown(ctx context.Context) error {
	end := time.Now().Add(s.Config.DrainTimeout)
	drain, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	s.drain(drain)
	last, cancel := context.WithDeadline(ctx, end.Add(s.Config.Times.Last)) // for requests that have just come
	defer cancel()
	var cutOff atomic.Int64
	defer context.AfterFunc(last, func() {
		cutOff.Store(s.open.now())
		s.Cut()
	})()
	closing, cancel := context.WithDeadline(ctx, end.Add(closeTime))
	defer cancel()
	err := s.App.ShutdownWithContext(closing)
	if err != nil || cutOff.Load() > 0 {
		return errors.Join(errors.New("requests were still running when the drain timeout passed and were cut off"), err)
	}
	return nil
}
