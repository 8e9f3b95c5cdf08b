package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/windieos/windie/internal/egress"
)

// Limits of requests to servers and issuers.
const (
	askTime   = 10 * time.Second
	maxAnswer = 256 << 10 // bytes of a response
	maxHeader = 32 << 10  // bytes of a response's header
	maxURL    = 2 << 10   // bytes of a URL in metadata
)

// newClient returns a client with limits, which follows no redirects. It connects to private addresses
// only at the hosts for which named returns true.
func newClient(timeout time.Duration, named func(address string) bool) *http.Client {
	limits := egress.Limits{ConnectTimeout: timeout, HeaderTimeout: timeout, HeaderBytes: maxHeader}
	return &http.Client{
		Timeout:       timeout,
		Transport:     &transport{open: egress.NewTransport(limits, false), inner: egress.NewTransport(limits, true), named: named},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// transport chooses the connections of a request by its host, and limits the response.
type transport struct {
	open, inner *http.Transport // to public addresses; to all addresses
	named       func(address string) bool
}

// resourceKey is the context key of a resource, which the transport adds to the form of a request for
// tokens (RFC 8707). The library for refreshes does not send it.
type resourceKey struct{}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(r.URL.String()) > maxURL*2 {
		return nil, errors.New("the URL is too long")
	}
	if resource, ok := r.Context().Value(resourceKey{}).(string); ok && r.Body != nil {
		var err error
		if r, err = withResource(r, resource); err != nil {
			return nil, err
		}
	}
	by := t.open
	if t.named(addressOf(r.URL.String())) {
		by = t.inner
	}
	resp, err := by.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// withResource returns a copy of a request whose form has a resource.
func withResource(r *http.Request, resource string) (*http.Request, error) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	_ = r.Body.Close() // it was read
	if err != nil {
		return nil, err
	}
	raw = append(raw, ("&resource=" + url.QueryEscape(resource))...)
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	r.GetBody = nil
	return r, nil
}

// addressOf returns the host and port of a URL, or an empty text if the URL is invalid.
func addressOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// hostOf returns the host of a URL for display.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}

// checkURL refuses a URL to which the gateway must send no secrets: plain HTTP to another machine, and
// other schemes.
func checkURL(name, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || len(text) > maxURL {
		return fmt.Errorf("%s is not a valid URL", name)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%s does not begin with https://", name)
}

// post sends a form, and returns the status.
func (s *Store) post(ctx context.Context, to string, form url.Values, id, secret string) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader([]byte(form.Encode())))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if secret != "" {
		r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // it is bounded
	return resp.StatusCode, nil
}
