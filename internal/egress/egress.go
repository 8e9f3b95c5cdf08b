// Package egress sends the requests of untrusted code to other hosts. Untrusted code has no other
// way to send a request. The package sends only requests that the operator has granted.
//
//	client, err := egress.New(egress.Config{Rules: []egress.Rule{{Host: "api.example.com", Path: "/v1"}}})
//	session := client.Session() // one call of one plugin
//	reply, err := session.Do(ctx, egress.Request{URL: "https://api.example.com/v1/items"})
//	session.Attempts() // sent requests, refused requests, and how to allow them
//
// # Vocabulary
//
// The guest is the untrusted code; the operator runs the gateway. A grant is the list of a guest's
// rules. If a rule matches a request, the package may send the request, with the secrets of all
// matching rules. A session is one call of the guest, with a budget of requests and bytes. An
// attempt is one request of a session; redirects and refused requests count as attempts. A hint is
// the rule, in JSON, that would have allowed an attempt.
//
// # How a request is sent
//
//	budget -> spelling -> rules -> header, secrets -> address, at the dial -> reply
//	   ^                                                                        |
//	   +------------------- the next hop of a redirect -------------------------+
//
// The package checks the same address to which the system connects, so the result of a second name
// lookup cannot change the address. It uses no proxies of the environment and stores no cookies. A
// host has one spelling; the package refuses any other text that a server could read as an address.
//
// The package decompresses gzip itself. So limits apply to the bytes that the guest gets, and
// secrets in these bytes can be found. It refuses a reply with another encoding.
//
// # Limits of this protection
//
// A server may read a method or a path from a different place than the request line. The package
// refuses headers that are known for this, but not a form field "_method". It removes secrets from
// replies if they appear unchanged, in JSON, in hex, percent-encoded or in base64. It does not
// recognise secrets that are reversed, split or encrypted, or that a server returns only after a
// restart of the gateway. It does not search for secrets of less than six bytes, because these
// occur in many texts by chance.
package egress

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"slices"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Config configures a Client. The zero value allows no requests.
type Config struct {
	Rules  []Rule
	Limits Limits
	// Secret returns the value of the secret with the given name. The client calls Secret for each request.
	// Secret is required if a rule has secrets.
	Secret   func(name string) (value string, ok bool)
	Resolver Resolver       // resolves the names of hosts; default: the system's resolver
	Roots    *x509.CertPool // trusted certificates; default: the system's certificates
	// Record is called with each attempt of every session, from the goroutine that made the
	// attempt. Default: no calls.
	Record func(Attempt)
	// Inside has the names of hosts that count as private, whatever their addresses are. An example
	// is the gateway's own proxy. Default: no hosts.
	Inside []string
}

// Client sends requests that its rules allow. Make one with New. Its methods are safe for
// concurrent use.
type Client struct {
	rules  []grantRule
	limits Limits
	vault  *vault
	record func(Attempt)
	inside []string

	open, inner *http.Transport // for public addresses; for public and private ones
}

// Request is a guest's request.
type Request struct {
	Method string // HTTP method, in upper or lower case; default GET
	URL    string
	Header http.Header // headers, with names in upper or lower case; headers about the connection are not sent
	// Body is copied, because it may be in the guest's memory, and a connection may still use it
	// after Do has returned.
	Body []byte
}

// Response is the last reply to a Request, without secrets.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // body of the reply, decompressed
}

// New returns a client. If cfg is invalid, New fails with a VALIDATION_ERROR that lists all
// problems.
func New(cfg Config) (*Client, error) {
	f := fault.New("egress.New", sdkapi.ValidationError, "invalid grant: see details.fields")
	cfg.Limits.check(f)
	rules := make([]grantRule, len(cfg.Rules))
	for i, r := range cfg.Rules {
		at := fmt.Sprintf("rules[%d]", i)
		rules[i] = newRule(r, at, f)
		if len(r.Secrets) > 0 && cfg.Secret == nil {
			_ = f.At(at+".secrets", "expected no secrets: this program has no store of secrets")
		}
	}
	if len(f.Details.Fields) > 0 {
		return nil, f
	}
	if cfg.Resolver == nil {
		cfg.Resolver = systemResolver
	}
	if cfg.Record == nil {
		cfg.Record = func(Attempt) {}
	}
	limits := cfg.Limits.withDefaults()
	transport := func(private bool) *http.Transport {
		d := &dialer{resolve: cfg.Resolver, timeout: limits.ConnectTimeout, private: private, own: net.InterfaceAddrs}
		return newTransport(d, limits, cfg.Roots)
	}
	return &Client{
		rules:  rules,
		limits: limits,
		vault:  &vault{lookup: cfg.Secret, known: map[string][]string{}},
		record: cfg.Record,
		inside: cfg.Inside,
		open:   transport(false),
		inner:  transport(true),
	}, nil
}

// Do sends req in a session of its own. See Session.Do.
func (c *Client) Do(ctx context.Context, req Request) (Response, error) {
	return c.Session().Do(ctx, req)
}

// Allowed checks a request without sending it. It returns nil if the rules allow the request, and
// otherwise the error that Do would return. An empty method means GET.
func (c *Client) Allowed(method, url string) error {
	_, _, err := c.admit(method, url)
	return err
}

// admit parses a request and finds its permit. After an error, the target has the parts that were
// understood.
func (c *Client) admit(method, url string) (target, permit, error) {
	if int64(len(url)) > c.limits.HeaderBytes {
		return target{}, permit{}, fail(TooLarge, "the URL has more than %d bytes", c.limits.HeaderBytes)
	}
	t, err := readTarget(method, url)
	if err != nil {
		return t, permit{}, fail(BadRequest, "invalid request: %s", err)
	}
	p, err := c.permit(t)
	if err == nil && !p.private && slices.Contains(c.inside, t.host.name) {
		err = refusal(t, &addressError{class: private})
	}
	return t, p, err
}

// Close closes idle connections. Running requests continue. It may be called twice.
func (c *Client) Close() error {
	c.open.CloseIdleConnections()
	c.inner.CloseIdleConnections()
	return nil
}
