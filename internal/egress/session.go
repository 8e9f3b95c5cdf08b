package egress

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
)

// Session holds the remaining budget and the requests of one call of a guest. Make one with
// Client.Session. Its methods are safe for concurrent use.
type Session struct {
	client *Client

	mu       sync.Mutex
	usage    Usage
	over     bool // a request above the limit was made and recorded
	attempts []Attempt
}

// Usage is the used part of a session's budget.
type Usage struct {
	Requests      int   `json:"requests"`       // number of requests, including redirects and refused requests
	BytesSent     int64 `json:"bytes_sent"`     // bytes of request lines, headers and bodies
	BytesReceived int64 `json:"bytes_received"` // bytes of headers and of decompressed bodies
}

// Attempt is a report on one request of a session. It is for the operator, and contains neither the
// query nor secrets. A session records at most Limits.Requests attempts, plus the first attempt
// beyond this limit. It also records the redirects that were not followed.
type Attempt struct {
	Method string `json:"method"`
	Host   string `json:"host"` // host of the URL; with the port, unless it is the default port of the scheme
	// Path is the path that was sent, without the query, cut at 512 bytes. It is empty if the URL
	// was refused.
	Path          string `json:"path"`
	Status        int    `json:"status"` // HTTP status of the reply; 0 if no reply came
	BytesSent     int64  `json:"bytes_sent"`
	BytesReceived int64  `json:"bytes_received"` // size of the reply's header and decompressed body
	Decision      Reason `json:"decision"`
	// Hint is the Rule that would allow a refused request, as a line of JSON.
	Hint string `json:"hint,omitempty"`
}

// Session returns a new session with its whole budget. The session need not be closed.
func (c *Client) Session() *Session { return &Session{client: c} }

// Usage returns the part of the budget that is used so far.
func (s *Session) Usage() Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage
}

// Attempts returns the requests so far, in the order in which they ended.
func (s *Session) Attempts() []Attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.attempts)
}

// Do sends req, follows redirects, and returns the last reply, even if its status is an error.
// Every error of Do is an *Error.
func (s *Session) Do(ctx context.Context, req Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.client.limits.Timeout)
	defer cancel()
	for hops := 0; ; hops++ {
		got, err := s.attempt(ctx, req)
		if err != nil {
			return Response{}, err
		}
		if got.location == "" {
			return got.Response, nil
		}
		if req, err = s.client.follow(got, hops); err != nil {
			s.note(Attempt{Method: got.sent.Method, Host: got.target.where(), Status: got.Status}, err)
			return Response{}, err
		}
	}
}

// attempt makes one hop of a request and records it, whether it succeeds or not.
func (s *Session) attempt(ctx context.Context, req Request) (reply, error) {
	var a Attempt
	got, err := s.try(ctx, req, &a)
	s.note(a, err)
	return got, err
}

// note records an attempt that ended with err, and removes secrets from both.
func (s *Session) note(a Attempt, err error) {
	a.Decision = ReasonOf(err)
	v := s.client.vault
	if e := (*Error)(nil); errors.As(err, &e) {
		e.seal(v)
		a.Hint = e.Hint
	}
	a.Host, a.Path = v.redact(a.Host), v.redact(a.Path)
	a.Host, a.Path = a.Host[:min(len(a.Host), maxLoggedPath)], a.Path[:min(len(a.Path), maxLoggedPath)]
	s.mu.Lock()
	again := a.Decision == TooManyRequests && s.over
	if !again {
		s.attempts = append(s.attempts, a)
		s.over = s.over || a.Decision == TooManyRequests
	}
	s.mu.Unlock()
	if !again {
		s.client.record(a)
	}
}

// begin takes one request from the budget.
func (s *Session) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if most := s.client.limits.Requests; s.usage.Requests >= most {
		return fail(TooManyRequests, "this call has reached its limit of %d requests; combine requests, or ask the operator to raise the limit", most)
	}
	s.usage.Requests++
	return nil
}

// charge takes bytes from the budget, and fails if it is exceeded.
func (s *Session) charge(sent, received int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage.BytesSent += sent
	s.usage.BytesReceived += received
	if most := s.client.limits.SessionBytes; s.usage.BytesSent+s.usage.BytesReceived > most {
		return fail(TooLarge, "this call has reached its limit of %d bytes sent and received; request less, or ask the operator to raise the limit", most)
	}
	return nil
}

// reply is the result of one hop.
type reply struct {
	Response
	target   target
	sent     Request // the guest's request: without secrets, with a cleaned header
	permit   permit
	location string // target of a redirect; empty for the last hop
}

// try makes one request, and sets the fields of a that the operator may see.
func (s *Session) try(ctx context.Context, req Request, a *Attempt) (reply, error) {
	c := s.client
	if err := s.begin(); err != nil {
		return reply{}, err
	}
	t, p, err := c.admit(req.Method, req.URL)
	a.Method, a.Host = t.method, t.where()
	if t.url != nil {
		a.Path = t.url.EscapedPath()
	}
	if err != nil {
		return reply{}, err
	}
	sent := Request{Method: t.method, URL: t.url.String(), Body: req.Body}
	if sent.Header, err = readHeader(req.Header); err != nil {
		return reply{}, fail(BadRequest, "invalid request: %s", err)
	}
	out, size, err := c.request(ctx, t, p, sent)
	if err != nil {
		return reply{}, err
	}
	if err := s.charge(size, 0); err != nil {
		return reply{}, err
	}
	var connected atomic.Bool
	out = out.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}))
	resp, err := c.transport(p).RoundTrip(out)
	if connected.Load() {
		a.BytesSent = size
	}
	if err != nil {
		return reply{}, c.failed(ctx, t, err)
	}
	defer resp.Body.Close()
	a.Status = resp.StatusCode
	got := reply{target: t, sent: sent, permit: p}
	got.Status = resp.StatusCode
	if err := s.receive(resp, &got, a); err != nil {
		return reply{}, c.failed(ctx, t, err)
	}
	return got, nil
}

// request returns the request to send, secrets included, and its size in bytes.
func (c *Client) request(ctx context.Context, t target, p permit, sent Request) (*http.Request, int64, error) {
	if int64(len(sent.Body)) > c.limits.RequestBytes {
		return nil, 0, fail(TooLarge, "the body of the request has more than %d bytes", c.limits.RequestBytes)
	}
	r, err := http.NewRequestWithContext(ctx, t.method, "", bytes.NewReader(bytes.Clone(sent.Body)))
	if err != nil {
		return nil, 0, fail(BadRequest, "this request cannot be sent").because(c.vault, err)
	}
	r.URL, r.Header = t.url, sent.Header.Clone()
	if err := c.inject(r, p.secrets); err != nil {
		return nil, 0, err
	}
	// Content-Length and Content-Range refer to the plain body only if it is sent uncompressed.
	if t.method == http.MethodHead || r.Header.Get("Range") != "" {
		r.Header.Set("Accept-Encoding", "identity")
	} else {
		r.Header.Set("Accept-Encoding", "gzip")
	}
	head := int64(len(t.method)+len(r.URL.RequestURI())+len(t.url.Host)) + sizeOf(r.Header)
	if head > c.limits.HeaderBytes {
		return nil, 0, fail(TooLarge, "the URL and header of the request have more than %d bytes", c.limits.HeaderBytes)
	}
	return r, head + int64(len(sent.Body)), nil
}

// transport returns a transport that connects only to addresses that p permits.
func (c *Client) transport(p permit) *http.Transport {
	if p.private {
		return c.inner
	}
	return c.open
}

// receive reads resp into got: the whole reply, or only the target of a redirect.
func (s *Session) receive(resp *http.Response, got *reply, a *Attempt) error {
	count := func(n int64) error {
		a.BytesReceived += n
		return s.charge(0, n)
	}
	if err := count(sizeOf(resp.Header)); err != nil {
		return err
	}
	if resp.StatusCode < 200 {
		return fail(BadResponse, "the server asks to switch to another protocol than HTTP, which the gateway does not support")
	}
	if got.location = s.client.onward(resp); got.location != "" {
		if resp.ContentLength > 0 && resp.ContentLength <= maxDrained {
			// Read the body, so that the connection can be reused.
			_, _ = io.CopyN(io.Discard, resp.Body, resp.ContentLength)
		}
		return nil
	}
	// Other replies without a body only state its length.
	hasBody := got.sent.Method != http.MethodHead && resp.StatusCode != http.StatusNotModified
	got.Header = s.client.vault.shown(resp.Header, hasBody)
	if !hasBody {
		return nil
	}
	var err error
	got.Body, err = s.client.readBody(resp, count)
	return err
}

// onward returns the target of a redirect, or "" if the guest gets the reply itself.
func (c *Client) onward(resp *http.Response) string {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if c.limits.Redirects > 0 {
			return resp.Header.Get("Location")
		}
	}
	return ""
}

// follow returns the request for a redirect, as a browser would make it. The server chose its URL,
// so the caller must check it like the guest's own request.
func (c *Client) follow(got reply, hops int) (Request, error) {
	if hops >= c.limits.Redirects {
		return Request{}, fail(TooManyRedirects, "%s redirected the request more than %d times", got.target.where(), c.limits.Redirects)
	}
	next, err := got.target.url.Parse(got.location)
	if err != nil {
		return Request{}, fail(BadResponse, "%s redirected the request to an invalid URL", got.target.where()).because(c.vault, err)
	}
	next.RawQuery = c.withoutSecrets(next.RawQuery, got.permit.secrets)
	if c.leaks(next) {
		return Request{}, fail(Denied, "%s redirected the request to a URL that contains a secret; the gateway does not follow it", got.target.where())
	}
	req := Request{Method: got.sent.Method, URL: next.String(), Header: got.sent.Header.Clone(), Body: got.sent.Body}
	if becomesGet(got.Status, req.Method) {
		req.Method, req.Body = http.MethodGet, nil
		for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Location"} {
			req.Header.Del(name)
		}
	}
	if next.Scheme+"://"+next.Host != got.target.origin() {
		// Credentials for one server must not be sent to the next.
		for _, name := range []string{"Authorization", "Cookie", "Cookie2", "Www-Authenticate"} {
			req.Header.Del(name)
		}
	}
	return req, nil
}

// becomesGet reports whether a redirect with this status turns a request into a GET without a body,
// as in browsers.
func becomesGet(status int, method string) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound:
		return method == http.MethodPost
	case http.StatusSeeOther:
		return method != http.MethodHead
	}
	return false
}

// withoutSecrets removes from a query the secrets that the previous hop added. Servers that change
// only the path leave them in. The next hop adds its own.
func (c *Client) withoutSecrets(query string, secrets []Secret) string {
	for _, s := range secrets {
		if s.In == Query {
			query = dropQuery(query, func(key, value string) bool { return key == s.Key && c.vault.holds(value) })
		}
	}
	return query
}

// leaks reports whether a server has put a secret into u, where the next server would see it.
func (c *Client) leaks(u *url.URL) bool {
	return c.vault.holds(u.String()) || c.vault.holds(u.Path) || c.vault.holds(u.Host)
}
