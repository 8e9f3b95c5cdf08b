package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/singleflight"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/journal"
)

// What a request over MCP may hold.
const (
	maxMCPBody  = gateway.MaxImageBody + 64<<10 // bytes: a tool's arguments, of which one may be the largest image, and what is around them
	maxMCPBatch = 32                            // messages in one request, which old clients may send
)

// statelessSince is the first version of the protocol without sessions. The
// SDK serves it and the older ones by different handlers.
const statelessSince = "2026-07-28"

// server is the gateway as a server of the Model Context Protocol: the tools
// of the registry, and artifacts as resources.
type server struct {
	*door
	self      *mcp.Implementation
	sdk       *mcp.Server
	stateless http.Handler
	stateful  http.Handler
	sessions  sessions
	starts    starts
	resuming  singleflight.Group
	listed    map[string]agent.Descriptor // tools that the SDK knows; for follow alone
	images    sync.Map                    // of tools' names, to []string: the arguments that are images
	kept      *perception.Recent[string]  // ids of artifacts, by their owners and sums
}

// newServer returns what speaks MCP with a gateway's clients, and lists its tools.
func newServer(s *door) *server {
	m := &server{door: s, self: &mcp.Implementation{Name: "windie", Title: "Windie", Version: s.version}, listed: map[string]agent.Descriptor{}, kept: perception.NewRecent[string](keptBytes)}
	m.sdk = mcp.NewServer(m.self, &mcp.ServerOptions{
		Instructions: "Tools that read screens, and more. Give an image as artifact:ID, a data: URL or, over stdio, the absolute path of a file in your client's roots. " +
			"To use an image again, send the artifact_id of the answer. " +
			"A tool that can change something needs the user's approval: if an answer asks for it, tell the user, and repeat the identical call after the approval.",
		RootsListChangedHandler: rootsChanged,
		GetSessionID:            m.starts.id,
		Capabilities:            &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{}},
	})
	m.sdk.AddReceivingMiddleware(m.receive)
	m.sdk.AddResourceTemplate(artifactTemplate, m.readArtifact)
	m.list()
	return m
}

// addRoutes serves MCP over HTTP.
func (m *server) addRoutes() {
	get := func(*http.Request) *mcp.Server { return m.sdk }
	identified := auth.RequireBearerToken(tokenOfRequest, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	// What web pages may do, and by which names, checkOrigin sees to.
	opts := mcp.StreamableHTTPOptions{
		DisableLocalhostProtection: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxMCPBody, SessionTimeout: m.sessionTTL,
	}
	m.stateful = m.starts.through(identified(mcp.NewStreamableHTTPHandler(get, &opts)))
	opts.Stateless = true
	m.stateless = identified(mcp.NewStreamableHTTPHandler(get, &opts))
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		m.core.App.Add(method, sdkapi.MCPPath, m.serve)
	}
}

// serve answers one request.
func (m *server) serve(c *fiber.Ctx) error {
	user, err := gateway.CallerOf(c.UserContext())
	if err != nil {
		return err
	}
	raw, err := peer.ReadWhole(gateway.BodyOf(c), maxMCPBody, func() error {
		return fault.New("gateway.mcp", sdkapi.PayloadTooLarge, "the request is too large for a tool call; upload large files to "+sdkapi.ArtifactsPath+
			" and send the artifact_id, or run `windie mcp` and send the path").At("body", "expected at most %d bytes", maxMCPBody)
	})
	messages := 1
	if err == nil {
		messages, err = countBatch(raw)
	}
	if err == nil { // the request was charged as the first of them
		err = gateway.RequestOf(c.UserContext()).Quota.TakeMessages(messages - 1)
	}
	if err == nil {
		err = strictbody.Check(raw, nil)
	}
	if err != nil {
		return err
	}
	handler := m.stateful
	if c.Get(sdkapi.MCPVersionHeader) >= statelessSince {
		handler = m.stateless
	} else if id := c.Get(sdkapi.MCPSessionHeader); id != "" {
		if err := m.goOn(c.UserContext(), id, user); err != nil {
			return err
		}
	}
	if m.direct(c, user, raw) {
		return nil
	}
	if err := m.endPlain(c, user, raw); err != nil {
		return err
	}
	ctx := m.core.Requests
	if c.Method() == http.MethodGet || c.Get(sdkapi.MCPMethodHeader) == "subscriptions/listen" {
		ctx = m.core.Streams // which have no end of their own
	}
	r := *gateway.RequestOf(c.UserContext())
	r.Conn = nil // whom bridge watches, nobody else does
	who := &caller{user: user, request: &r, of: c.UserContext()}
	if c.Get(sdkapi.MCPSessionHeader) == "" && len(raw) <= identity.MaxMCPStart {
		who.start = raw
	}
	return m.bridge(context.WithValue(ctx, callerKey{}, who), c, handler, toRequest(c, raw))
}

// countBatch returns how many messages a body holds, and refuses too many: each may be
// a call, and all of them run at once. What is no JSON, the SDK refuses.
func countBatch(raw []byte) (int, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '[' {
		return 1, nil
	}
	var messages []json.RawMessage
	_ = json.Unmarshal(raw, &messages)
	if len(messages) > maxMCPBatch {
		return 0, fault.New("gateway.mcp", sdkapi.PayloadTooLarge, "the request contains too many messages; send fewer in each batch").At("body", "expected at most %d", maxMCPBatch)
	}
	return max(1, len(messages)), nil
}

// toRequest returns c's request as one of net/http, with the headers that the
// protocol has. Of its token the SDK knows nothing.
func toRequest(c *fiber.Ctx, raw []byte) *http.Request {
	header := http.Header{"Authorization": {"Bearer " + knownCaller}}
	for _, name := range []string{fiber.HeaderAccept, fiber.HeaderContentType, "Last-Event-Id"} {
		if value := c.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	for name, value := range c.Request().Header.All() {
		if key := string(name); strings.HasPrefix(key, "Mcp-") {
			header.Add(key, string(value))
		}
	}
	return &http.Request{
		Method: c.Method(), URL: &url.URL{Path: sdkapi.MCPPath}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(raw)), ContentLength: int64(len(raw)),
	}
}

// knownCaller stands where the SDK wants a token. The middleware has looked at the caller's own.
const knownCaller = "known"

// caller is who makes a request over MCP.
type caller struct {
	user    string
	request *gateway.Request
	files   *files          // that it may name; nil: it may name no files
	of      context.Context // the request's, for what it knows; it does not end with the client
	start   []byte          // the message, if it may begin a session that is kept
}

type callerKey struct{}

// tokenOfRequest hands the caller to the SDK, which hands it to what serves a
// message: of a session's messages the context is otherwise that of the first.
func tokenOfRequest(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	caller := ctx.Value(callerKey{}).(*caller)
	return &auth.TokenInfo{UserID: caller.user, Extra: map[string]any{knownCaller: ctx}}, nil
}

// httpOf returns the context of the HTTP request that brought a message, and
// its caller. A message that came another way is its context's.
func httpOf(ctx context.Context, message mcp.Request) (context.Context, *caller) {
	if extra := message.GetExtra(); extra != nil && extra.TokenInfo != nil {
		ctx = extra.TokenInfo.Extra[knownCaller].(context.Context)
	}
	return ctx, ctx.Value(callerKey{}).(*caller)
}

// maxMCPTime is how long one message may take, with the time that a client has to ask its user.
const maxMCPTime = journal.DefaultExpiry + 5*time.Minute

// receive is around all messages. What takes time ends when its client leaves,
// also in a session, as there is no later stream to answer on.
func (m *server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, message mcp.Request) (mcp.Result, error) {
		switch method {
		case "initialize":
			session, ok := message.GetSession().(*mcp.ServerSession)
			if _, caller := httpOf(ctx, message); ok && session.ID() != "" {
				if err := m.sessions.add(caller.user, caller.request.Install, session); err != nil {
					return nil, err
				}
				m.persist(caller, session.ID())
			}
		case methodCall, "resources/read":
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, maxMCPTime)
			defer cancel()
			from, _ := httpOf(ctx, message)
			defer context.AfterFunc(from, cancel)()
			if extra := message.GetExtra(); extra != nil && method == methodCall {
				m.sessions.called(message.GetSession().ID(), extra.Header.Get(sdkapi.MCPVersionHeader))
			}
		}
		return next(ctx, method, message)
	}
}

// work returns the context to do in what a message asks for: it ends with ctx,
// and knows what the middleware found out about the caller.
func work(ctx context.Context, message mcp.Request) (_ context.Context, user string, end func()) {
	_, caller := httpOf(ctx, message)
	within, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(caller.of), gateway.RequestKey{}, caller.request))
	stop := context.AfterFunc(ctx, cancel)
	return within, caller.user, func() {
		stop()
		cancel()
	}
}

// follow lists the tools that there are, until ctx ends.
func (m *server) follow(ctx context.Context) {
	revisions, unsubscribe := m.tools.Subscribe()
	defer unsubscribe()
	for m.list(); ; m.list() {
		select {
		case <-ctx.Done():
			return
		case <-revisions:
		}
	}
}

// list reports tools that came, changed or went to the SDK, which notifies clients.
func (m *server) list() {
	tools, _ := m.tools.View(overMCP).List()
	gone := make(map[string]bool, len(m.listed))
	for name := range m.listed {
		gone[name] = true
	}
	for _, d := range tools {
		delete(gone, d.Name)
		if known, ok := m.listed[d.Name]; ok && sameTool(known, d) {
			continue
		}
		m.listed[d.Name] = d
		if err := m.add(d); err != nil {
			m.core.Log.Warn("the MCP server cannot list a tool", slog.String("tool", d.Name), slog.Any("err", err))
		}
	}
	for name := range gone {
		delete(m.listed, name)
		m.sdk.RemoveTools(agent.ModelName(name))
	}
}

// close ends all sessions.
func (m *server) close() {
	for session := range m.sdk.Sessions() {
		_ = session.Close() // the client should have ended it, and cannot get the error
	}
}
