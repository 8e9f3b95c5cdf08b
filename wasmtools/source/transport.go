package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/sdkapi"
)

// transport sends requests to public hosts by HTTPS, and to the hosts of Config.Private without
// these restrictions.
type transport struct {
	named       []string
	open, inner *http.Transport
}

const (
	connectTime = 10 * time.Second
	headerTime  = 30 * time.Second
)

// newTransport returns the transport for both kinds of hosts. Both trust cfg.Roots.
func newTransport(cfg Config) *transport {
	limits := egress.Limits{ConnectTimeout: connectTime, HeaderTimeout: headerTime, HeaderBytes: maxHeaderBytes}
	t := &transport{cfg.Private, egress.NewTransport(limits, false), egress.NewTransport(limits, true)}
	for _, each := range []*http.Transport{t.open, t.inner} {
		each.TLSClientConfig.RootCAs = cfg.Roots
	}
	return t
}

// close closes the idle connections of both transports. Running requests continue.
func (t *transport) close() {
	t.open.CloseIdleConnections()
	t.inner.CloseIdleConnections()
}

// RoundTrip implements http.RoundTripper. While the caller reads the response body, the body
// reports the progress.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.send(req)
	if err == nil && progress.IsTaken(req.Context()) {
		resp.Body = &coming{ReadCloser: resp.Body, ctx: req.Context(), what: "from " + req.URL.Host, of: max(resp.ContentLength, 0)}
	}
	return resp, err
}

// coming is a response body whose progress is reported.
type coming struct {
	io.ReadCloser
	ctx      context.Context
	what     string
	read, of int64 // of is 0 if the server did not send the size
}

// Read implements io.Reader.
func (c *coming) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.read += int64(n)
	progress.Bytes(c.ctx, c.what, c.read, c.of)
	return n, err
}

// send chooses the transport by the host. Only hosts of Config.Private may have a private address
// or use plain HTTP.
func (t *transport) send(req *http.Request) (*http.Response, error) {
	plain := slices.Contains(t.named, "http://"+namedAs("http", req.URL.Host))
	if plain || req.URL.Scheme == "https" && slices.Contains(t.named, namedAs("https", req.URL.Host)) {
		return t.inner.RoundTrip(req)
	}
	if req.URL.Scheme != "https" {
		return nil, &refusedError{fmt.Sprintf("requests to %s use plain HTTP, which anybody on the network path can change", req.URL.Host), "http://" + req.URL.Host}
	}
	resp, err := t.open.RoundTrip(req)
	if egress.IsAddressRefused(err) {
		return nil, &refusedError{fmt.Sprintf("%s is at a private address (%v)", req.URL.Host, err), req.URL.Host}
	}
	return resp, err
}

// namedAs returns a host in the spelling of Config.Private: without the scheme's default port.
func namedAs(scheme, host string) string {
	_, spelled, _ := strings.Cut(egress.Spelled(scheme+"://"+host+"/"), "://")
	return strings.TrimSuffix(spelled, "/")
}

// refusedError is the error of a host that Config.Private does not name. entry is the missing
// entry.
type refusedError struct{ reason, entry string }

// Error returns the reason, and the setting with which the operator can allow the host.
func (e *refusedError) Error() string {
	return e.reason + "; if you trust that server, put " + e.entry + " into WINDIE_PLUGIN_PRIVATE_HOSTS"
}

var errRedirects = fmt.Errorf("the server sent more than %d redirects; use the final address", MaxRedirects)

// checkRedirect fails after MaxRedirects redirects. send checks the host of each redirect.
func checkRedirect(_ *http.Request, via []*http.Request) error {
	if len(via) > MaxRedirects {
		return errRedirects
	}
	return nil
}

// errSlow is the error of a fetch that took too long.
var errSlow = errors.New("the fetch exceeded the time limit")

// explained returns a fault that says what to do, if a fetch itself caused err. Otherwise it returns
// err.
func explained(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var refused *refusedError
	var own *fault.Error
	switch {
	case errors.As(err, &refused):
		return refuse("%s", refused).Because(err)
	case errors.Is(err, errRedirects):
		return refuse("%s", errRedirects).Because(err)
	case errors.As(err, &own):
		return err
	case errors.Is(context.Cause(ctx), errSlow):
		return fault.New("source.Fetch", sdkapi.Timeout, "the server did not send the whole plugin within the time limit; try again later, or download the file yourself and add it").Because(err)
	}
	return err
}
