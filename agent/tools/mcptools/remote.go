package mcptools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/egress"
)

// remote is the link to a server at a URL.
type remote struct {
	spec   *Spec
	ctx    context.Context // ends with cut
	cancel context.CancelFunc
	base   *http.Transport
}

var (
	_ link              = (*remote)(nil)
	_ http.RoundTripper = (*remote)(nil)
)

func newRemote(spec *Spec) *remote {
	ctx, cancel := context.WithCancel(context.Background())
	// A server answers when the tool is done. The operator chose the server, so it may be inside
	// the network.
	base := egress.NewTransport(egress.Limits{HeaderTimeout: maxTimeout}, true)
	return &remote{spec: spec, ctx: ctx, cancel: cancel, base: base}
}

func (r *remote) transport() mcp.Transport {
	client := &http.Client{
		Transport: r,
		// Headers have credentials, which are only for this server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &mcp.StreamableClientTransport{Endpoint: r.spec.URL, HTTPClient: client, MaxRetries: 2, MaxEventSize: maxMessageBytes}
}

// refusedKey is the context key of an *atomic.Bool for a call. It is set if a server refused the
// call's request, and so did nothing.
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
	resp, err := r.base.RoundTrip(req)
	if err != nil {
		release()
		// The server may be gone, and with it every idle connection. The next request opens one.
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

// refusal returns the reason why an answer cannot be MCP, nil if it can.
func refusal(status int, kind string) error {
	switch {
	case status >= 300 && status < 400:
		return fmt.Errorf("the server sends a redirect (%d), which the gateway does not follow; set url to the new address", status)
	case status == http.StatusOK && kind == "text/html":
		return errors.New("the server sends a web page (content type text/html); set url to its MCP address")
	}
	return nil
}

func (*remote) leave() {}

func (r *remote) cut() {
	r.cancel()
	r.base.CloseIdleConnections()
}

func (*remote) cause() error { return nil }

// body is a server's response body.
type body struct {
	*paced
	closer  io.Closer
	release func()
	left    int64
	endless bool
}

var errTooLong = errors.New("the server's answer exceeds the size limit")

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
