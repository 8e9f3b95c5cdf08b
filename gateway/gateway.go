// Package gateway is the core of the HTTP server: requests, bodies, errors, admission, streams
// and draining. It contains no protocol. Each protocol is a package below it that provides
// Parts, and doors.New joins them.
//
//	server := gateway.New(gateway.App{Store: store, Scenes: scenes})
//	server.Join(parts...)
//	err := server.Serve(ctx, listener)
//
// A route is a typed function. huma validates its input against the types in sdkapi and
// generates the OpenAPI document from the same types.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/gateway/sockets"
)

// Limits of a connection.
const (
	idleTimeout  = 2 * time.Minute // maximum pause between two requests of a connection
	maxHeadBytes = 16 << 10        // maximum size of a request's head
)

// Server answers HTTP requests. Create a Server with New, and run it once with Serve.
type Server struct {
	Screens
	app       App
	parts     []Part
	limits    *quota.Limiter
	arriving  *quota.Arriving // limits partly received bodies; nil: no limit
	Visits    peer.Door       // recognizes browsers that visit the console, and the tokens of installs
	App       *fiber.App
	API       huma.API
	Log       *slog.Logger
	Started   time.Time
	metrics   *metrics.Metrics
	named     peer.Named
	strangers strangers

	Draining atomic.Bool // true once the server drains; /ready then answers 503
	open     openRequests

	// Requests is the parent of every request's context. The function Cut ends this context, after
	// the drain timeout or when Serve returns.
	Requests context.Context
	Cut      context.CancelFunc
	// Access holds the open work of each user, so that revoking a token can end the work.
	Access   accesses
	Sockets  sockets.Set
	Watchers watchers
	History  *metrics.History // recent values of the metrics
	// Streams is the context for streams that do not end by themselves, such as those of MCP. It ends
	// after the drain delay.
	Streams context.Context
	endAll  context.CancelFunc
	calls   peer.Calls
}

// New returns a server without routes. Call Join to add parts, and then Serve. New panics if
// app.Hosted is true but app.Identity is nil.
func New(app App) *Server {
	if app.Hosted && app.Identity == nil {
		panic("gateway: a hosted gateway needs an Identity")
	}
	app = app.WithDefaults()
	s := &Server{Screens: NewScreens(app.Store, app.Finder), app: app, limits: quota.New(app.Limits, app.LimitWindow), arriving: quota.NewArriving(app.Arriving), Log: app.Log, Started: time.Now()}
	s.Sockets.Write = app.Times.Write
	s.Visits = peer.Door{Identity: app.Identity, Person: app.ApprovalKey, Operator: app.OperatorToken, OpenID: app.OpenID.Proof()}
	s.Requests, s.Cut = context.WithCancel(context.Background())
	s.Streams, s.endAll = context.WithCancel(s.Requests)
	s.metrics = metrics.New(s.sources())
	s.History = metrics.NewHistory(s.metrics)
	app.Tools.Observe(s.metrics)
	if app.Tracer != nil {
		app.Tools.Observe(tracedCalls{app.Tracer})
	}
	if app.Audit != nil {
		app.Tools.Observe(app.Audit)
	}
	s.App = fiber.New(fiber.Config{
		AppName:               "windie",
		DisableStartupMessage: true,
		ErrorHandler:          s.fail,
		Immutable:             true, // strings taken from a request outlive it: in logs, caches, goroutines
		StreamRequestBody:     true, // uploads are never held in memory; peer.Body describes the consequences
		BodyLimit:             1,    // Fiber calls the handler at the first byte; each route limits its body itself
		ReadBufferSize:        maxHeadBytes,
		ReadTimeout:           app.StallTimeout,
		IdleTimeout:           idleTimeout,
		ReduceMemoryUsage:     true, // during a drain, Fiber closes connections that never sent a byte after 5 s

		EnableTrustedProxyCheck: true, // and trust none: X-Forwarded-* must not determine URLs in responses

		DisablePreParseMultipartForm: true,
	})
	if app.Limits.AddressConnections > 0 {
		s.App.Server().ConnState = peer.NewConnections(s.limits, app.TrustedProxies).Note
	}
	s.App.Server().Handler = s.front(s.App.Server().Handler)
	s.App.Use(s.mount, s.observe, s.finishBody, s.checkOnce, s.checkOrigin, s.admit)
	s.API = humafiber.NewV2(s.App, apiConfig(app.Version))
	s.API.UseMiddleware(boundBody)
	s.addMetrics()
	return s
}

// Serve starts all parts and answers requests on ln until ctx ends. After that, it waits for the
// running requests and turns to end, but no longer than the drain timeout. Serve closes ln. An error
// means that a part was not ready, that serving failed, or that the drain timeout cut off requests.
// When Serve returns, turns may still be open. The owner of Sessions must close these turns.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	defer s.closeParts()
	defer s.Cut()
	if err := s.beReady(ctx); err != nil {
		return errors.Join(err, ln.Close())
	}
	if s.app.Hosted {
		seen, err := s.app.Identity.LastRevocation(ctx)
		if err != nil {
			return errors.Join(err, ln.Close())
		}
		go s.followRevoked(s.Requests, seen)
	}
	failed := make(chan error, 1)
	go func() { failed <- s.App.Listener(ln) }()
	go s.Sockets.Ping(s.Requests)
	go s.History.Run(s.Requests)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.Log.Info("draining", slog.Duration("at_most", s.app.DrainTimeout))
	if err := s.shutDown(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	_ = ln.Close() // Fiber does not close ln if it is stopped before it has begun to listen
	if err := <-failed; err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// shutDown drains and then closes all connections. An error means that requests were cut off.
func (s *Server) shutDown(ctx context.Context) error {
	end := time.Now().Add(s.app.DrainTimeout)
	drain, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	s.drain(drain)
	last, cancel := context.WithDeadline(ctx, end.Add(s.app.Times.Last)) // for requests that have just come
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
		return errors.Join(errors.New("requests were still running after the drain timeout, so the gateway stopped them"), err)
	}
	return nil
}
