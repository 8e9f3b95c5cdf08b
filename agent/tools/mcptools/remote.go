package mcptools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/windieos/windie/internal/egress"
)

// remote is the link to a server at a URL.
type remote struct {
	spec   *Spec
	ctx    context.Context // ends with cut
	cancel context.CancelFunc
	base   *http.Transport
	wallet *wallet // nil if all users share the session

	challenged atomic.Bool // the server wants each user to sign in
}

// errSignIn is the reason why a server refuses a session of all users.
var errSignIn = errors.New("the server wants each user to sign in")

var (
	_ link              = (*remote)(nil)
	_ http.RoundTripper = (*remote)(nil)
)

// newRemote returns the link to the server at spec.URL. It does not connect yet.
func newRemote(spec *Spec, w *wallet) *remote {
	ctx, cancel := context.WithCancel(context.Background())
	// A server sends its headers when the tool is done, so their time limit is that of a call. The
	// operator chose the server, so its address may be in a private network.
	base := egress.NewTransport(egress.Limits{HeaderTimeout: maxTimeout}, true)
	return &remote{spec: spec, ctx: ctx, cancel: cancel, base: base, wallet: w}
}

// transport returns the transport over HTTP. It does not follow redirects.
func (r *remote) transport() mcp.Transport {
	client := &http.Client{
		Transport: r,
		// Headers have credentials, which are only for this server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &mcp.StreamableClientTransport{
		Endpoint: r.spec.URL, HTTPClient: client, MaxRetries: 2, MaxEventSize: maxMessageBytes,
		// A stream of a user would outlive the user's connection at another gateway.
		DisableStandaloneSSE: r.wallet != nil,
	}
}

// refusedKey is the context key of an *atomic.Bool for a call. RoundTrip sets the value to true if the server
// refused the call's request without running the call.
type refusedKey struct{}

// RoundTrip sends a request with the operator's headers. If the link ends, the request ends too.
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(r.ctx, cancel)
	release := func() {
		stop()
		cancel()
	}
	req = req.Clone(ctx)
	for name, value := range r.spec.Headers {
		req.Header.Set(name, value)
	}
	resp, err := r.send(req)
	if err != nil {
		release()
		// If the server has ended, all idle connections are broken. The next request opens a new one.
		r.base.CloseIdleConnections()
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" for an invalid one
	if err := refusal(resp.StatusCode, kind); err != nil {
		resp.Body.Close()
		release()
		return nil, err
	}
	// 404 is the protocol's answer for an unknown session. Many servers answer 400, as for a
	// request without a session.
	if told, ok := req.Context().Value(refusedKey{}).(*atomic.Bool); ok && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest) {
		told.Store(true)
	}
	resp.Body = &body{
		paced: newPaced(r.ctx, resp.Body), closer: resp.Body, release: release,
		left:    maxMessageBytes,
		endless: kind == "text/event-stream", // each of its events has a limit
	}
	return resp, nil
}

// send sends a request, with the token of the session's user.
func (r *remote) send(req *http.Request) (*http.Response, error) {
	if r.wallet != nil {
		return r.wallet.send(req, r.base)
	}
	resp, err := r.base.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusUnauthorized && req.Header.Get("Authorization") == "" && isChallenge(resp.Header) {
		r.challenged.Store(true)
		resp.Body.Close()
		return nil, errSignIn
	}
	return resp, err
}

// isChallenge reports whether a response asks for OAuth (RFC 9728, section 5.1).
func isChallenge(h http.Header) bool {
	challenges, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	return err == nil && slices.ContainsFunc(challenges, func(c oauthex.Challenge) bool { return c.Params["resource_metadata"] != "" })
}

// refusal returns the reason why a response cannot be MCP, or nil if it can be MCP.
func refusal(status int, kind string) error {
	switch {
	case status >= 300 && status < 400:
		return fmt.Errorf("the server sends a redirect (%d), which the gateway does not follow; set url to the new address", status)
	case status == http.StatusOK && kind == "text/html":
		return errors.New("the server sends a web page (content type text/html); set url to its MCP address")
	}
	return nil
}

// leave does nothing: the server does not end with its session.
func (*remote) leave() {}

// cut ends all requests and closes idle connections.
func (r *remote) cut() {
	r.cancel()
	r.base.CloseIdleConnections()
}

// cause returns errSignIn if the server wants each user to sign in. Otherwise the gateway cannot see why
// a remote server ended.
func (r *remote) cause() error {
	if r.challenged.Load() {
		return errSignIn
	}
	return nil
}

// body is a server's response body.
type body struct {
	*paced
	closer  io.Closer
	release func() // releases the request's context
	left    int64  // bytes up to the limit
	endless bool   // a stream of events, which has no limit as a whole
}

// errTooLong is the error of a body that exceeds maxMessageBytes.
var errTooLong = errors.New("the server's answer exceeds the size limit")

// Read reads the body at a limited speed. If the body is not a stream of events and exceeds
// maxMessageBytes, Read fails with errTooLong.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.paced.Read(p)
	if b.left -= int64(n); b.left < 0 && !b.endless {
		return 0, errTooLong
	}
	return n, err
}

// Close closes the body and releases its resources.
func (b *body) Close() error {
	defer b.release()
	return b.closer.Close()
}
