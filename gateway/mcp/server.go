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

// The limits of a request over MCP.
const (
	// In bytes: the arguments of a tool, with an image of the largest size, and the message around
	// them.
	maxMCPBody  = gateway.MaxImageBody + 64<<10
	maxMCPBatch = 32 // messages in one request; only old clients send batches
)

// statelessSince is the first protocol version without sessions. The SDK has one handler for it and
// another for older versions.
const statelessSince = "2026-07-28"

// server is the gateway as an MCP server: the tools of the registry, and artifacts as resources.
type server struct {
	*door
	self      *mcp.Implementation
	sdk       *mcp.Server
	stateless http.Handler
	stateful  http.Handler
	sessions  sessions
	starts    starts
	resuming  singleflight.Group
	listed    map[string]agent.Descriptor // tools that the SDK has; used only by list
	images    sync.Map                    // tool name to []string: its image arguments
	kept      *perception.Recent[string]  // owner and SHA-256 to the artifact id of a stored image
}

// newServer returns an MCP server with the tools of a gateway.
func newServer(s *door) *server {
	m := &server{door: s, self: &mcp.Implementation{Name: "windie", Title: "Windie", Version: s.version}, listed: map[string]agent.Descriptor{}, kept: perception.NewRecent[string](keptBytes)}
	m.sdk = mcp.NewServer(m.self, &mcp.ServerOptions{
		Instructions: "Tools that read screens, and more. Give an image as artifact:ID or a data: URL. Over stdio, you can also give the absolute path of a file in your client's roots. " +
			"To use an image again, send the artifact_id of the answer. " +
			"A tool that can change something needs the user's approval: if an answer asks for it, tell the user, and repeat the identical call after the approval.",
		RootsListChangedHandler: rootsChanged,
		GetSessionID:            m.starts.id,
		Capabilities:            &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{}},
	})
	m.sdk.AddReceivingMiddleware(m.receive)
	m.sdk.AddSendingMiddleware(unasked)
	m.sdk.AddResourceTemplate(artifactTemplate, m.readArtifact)
	m.addSearch()
	m.list()
	return m
}

// addRoutes adds the routes of MCP over HTTP.
func (m *server) addRoutes() {
	get := func(*http.Request) *mcp.Server { return m.sdk }
	identified := auth.RequireBearerToken(tokenOfRequest, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	// The gateway's own checks of Origin and Host replace those of the SDK.
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

// serve handles one request.
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
	if err == nil { // the request itself was already charged as one message
		err = gateway.RequestOf(c.UserContext()).Quota.TakeMessages(messages - 1)
	}
	if err == nil {
		err = strictbody.Check(raw, nil)
	}
	if err == nil {
		err = m.checkScopes(c, raw)
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
	// These streams do not end by themselves.
	if c.Method() == http.MethodGet || c.Get(sdkapi.MCPMethodHeader) == "subscriptions/listen" {
		ctx = m.core.Streams // which have no end of their own
	}
	r := *gateway.RequestOf(c.UserContext())
	r.Conn = nil // only bridge watches the connection
	who := &caller{user: user, request: &r, of: c.UserContext()}
	if c.Get(sdkapi.MCPSessionHeader) == "" && len(raw) <= identity.MaxMCPStart {
		who.start = raw
	}
	return m.bridge(context.WithValue(ctx, callerKey{}, who), c, handler, toRequest(c, raw))
}

// countBatch returns the number of messages in a body. It fails with PAYLOAD_TOO_LARGE above
// maxMCPBatch, since all messages of a batch may run at once. Invalid JSON counts as one message;
// the SDK rejects it.
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

// toRequest converts c to a net/http request with the headers of the protocol. It does not pass the
// caller's token to the SDK.
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

// knownCaller is the token that the SDK gets. The middleware has already verified the caller's own
// token.
const knownCaller = "known"

// caller is the sender of a request over MCP.
type caller struct {
	user    string
	request *gateway.Request
	files   *files          // files that the caller may name; nil for none
	of      context.Context // the request's context, for its values; it does not end when the client leaves
	start   []byte          // the message, if it may start a session that is stored
}

type callerKey struct{}

// tokenOfRequest passes the request's context to the SDK as token information, which the SDK gives
// to the message handlers. Without it, every message of a session would have the context of the
// session's first request.
func tokenOfRequest(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	caller := ctx.Value(callerKey{}).(*caller)
	return &auth.TokenInfo{UserID: caller.user, Extra: map[string]any{knownCaller: ctx}}, nil
}

// httpOf returns the context of the HTTP request that contained a message, and its caller. For a
// message over stdio, these are ctx and its caller.
func httpOf(ctx context.Context, message mcp.Request) (context.Context, *caller) {
	if extra := message.GetExtra(); extra != nil && extra.TokenInfo != nil {
		ctx = extra.TokenInfo.Extra[knownCaller].(context.Context)
	}
	return ctx, ctx.Value(callerKey{}).(*caller)
}

// maxMCPTime is the maximum time for one message, including the time in which a client asks its
// user.
const maxMCPTime = journal.DefaultExpiry + 5*time.Minute

// receive wraps the handling of all messages. A tool call or a resource read is canceled when its
// client disconnects, in a session too, since no later stream could carry the response.
func (m *server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, message mcp.Request) (mcp.Result, error) {
		_, sender := httpOf(ctx, message)
		access := sender.request.Access
		if err := m.permitted(access, method, message); err != nil {
			return nil, err
		}
		switch method {
		case "initialize":
			session, ok := message.GetSession().(*mcp.ServerSession)
			if ok && session.ID() != "" {
				if err := m.sessions.add(sender.user, sender.request.Install, session); err != nil {
					return nil, err
				}
				m.persist(sender, session.ID())
			}
		case methodList:
			result, err := next(ctx, method, message)
			m.choose(access, clientOf(message), result)
			return result, err
		case methodCall, methodRead:
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

// work returns the context for the work of a message: it ends with ctx, and has the values that the
// middleware stored for the caller. The caller must call end.
func work(ctx context.Context, message mcp.Request) (_ context.Context, user string, end func()) {
	_, caller := httpOf(ctx, message)
	within, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(caller.of), gateway.RequestKey{}, caller.request))
	stop := context.AfterFunc(ctx, cancel)
	return within, caller.user, func() {
		stop()
		cancel()
	}
}

// follow updates the SDK's tools whenever the registry changes, until ctx ends.
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

// list adds new and changed tools to the SDK and removes missing ones. The SDK notifies the
// clients.
func (m *server) list() {
	tools, _ := m.tools.View(m.offers).List()
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
		_ = session.Close() // the client can no longer receive an error
	}
}
