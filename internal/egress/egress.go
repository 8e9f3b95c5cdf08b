// Package egress is the one place where requests of untrusted code leave the
// process: it sends what the operator granted and nothing else.
//
//	client, err := egress.New(egress.Config{Rules: []egress.Rule{{Host: "api.example.com", Path: "/v1"}}})
//	session := client.Session() // one call of one plugin
//	reply, err := session.Do(ctx, egress.Request{URL: "https://api.example.com/v1/items"})
//	session.Attempts() // what left, what was refused, and how to allow it
//
// # Vocabulary
//
// The guest is the code that asks; the operator runs the gateway. A grant is the list of a guest's
// rules. A request may leave when one of them matches, and gets the secrets of all that do. A
// session is one call of the guest, with a budget of requests and bytes. An attempt is one request
// of a session, redirects and refused ones included. A hint is the rule that would have allowed an
// attempt, in JSON.
//
// # How a request leaves
//
//	budget -> spelling -> rules -> header, secrets -> address, at the dial -> reply
//	   ^                                                                        |
//	   +------------------- the next hop of a redirect -------------------------+
//
// The address checked is the one that the system connects to, so a name that resolves differently
// the second time gains nothing. Proxies of the environment are not used, cookies are not kept, and
// a host has one spelling: whatever else might be taken for an address is refused.
//
// Gzip is undone here, so that limits count what the guest gets and secrets can be found in it; a
// reply encoded otherwise is refused.
//
// # What it cannot see
//
// A server may read a method or a path from elsewhere than the request line. The headers known for
// that are refused, a form field called "_method" is not. Secrets are taken out of replies when
// spelled as they are, in JSON, in hex, percent-encoded or in base64; but not if turned around, in
// pieces, encrypted, or kept by the server until the gateway restarts. Values under six bytes are
// not looked for: they would be found everywhere.
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

// Config says what a Client lets out. The zero value lets out nothing.
type Config struct {
	Rules    []Rule
	Limits   Limits
	Secret   func(name string) (value string, ok bool) // needed by rules with secrets; called for each request
	Resolver Resolver                                  // default: the system's
	Roots    *x509.CertPool                            // whose certificates are trusted; default: the system's
	Record   func(Attempt)                             // hears of each attempt of all sessions, from their goroutines; default: nobody
	Inside   []string                                  // names of hosts that are inside whatever their addresses are, as that of the proxy before the gateway itself; default: none
}

// Client sends what its rules allow. Its methods are safe for concurrent use.
type Client struct {
	rules  []grantRule
	limits Limits
	vault  *vault
	record func(Attempt)
	inside []string

	open, inner *http.Transport // to public addresses, and to private ones too
}

// Request is what a guest wants sent.
type Request struct {
	Method string // in any case; default GET
	URL    string
	Header http.Header // names in any case; what belongs to the connection is left out
	Body   []byte      // copied: it may lie in a guest's memory, and a connection may outlive Do
}

// Response is the last reply to a Request, without secrets.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // decompressed
}

// New returns a client, or VALIDATION_ERROR with all that is wrong with cfg.
func New(cfg Config) (*Client, error) {
	f := fault.New("egress.New", sdkapi.ValidationError, "invalid grant: see details.fields")
	cfg.Limits.check(f)
	rules := make([]grantRule, len(cfg.Rules))
	for i, r := range cfg.Rules {
		at := fmt.Sprintf("rules[%d]", i)
		rules[i] = newRule(r, at, f)
		if len(r.Secrets) > 0 && cfg.Secret == nil {
			_ = f.At(at+".secrets", "expected none where there is nothing to look them up in")
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

// Do sends req in a session of its own.
func (c *Client) Do(ctx context.Context, req Request) (Response, error) {
	return c.Session().Do(ctx, req)
}

// Allowed returns the error with which Do would refuse a request before it
// connects: nil, BadRequest or Denied, with a hint. An empty method is GET.
func (c *Client) Allowed(method, url string) error {
	_, _, err := c.admit(method, url)
	return err
}

// admit reads what is asked for, and finds what the rules permit there. With
// an error, the target holds what was understood.
func (c *Client) admit(method, url string) (target, permit, error) {
	if int64(len(url)) > c.limits.HeaderBytes {
		return target{}, permit{}, fail(TooLarge, "the URL has more than %d bytes", c.limits.HeaderBytes)
	}
	t, err := readTarget(method, url)
	if err != nil {
		return t, permit{}, fail(BadRequest, "this request cannot be sent: %s", err)
	}
	p, err := c.permit(t)
	if err == nil && !p.private && slices.Contains(c.inside, t.host.name) {
		err = refusal(t, &addressError{class: private})
	}
	return t, p, err
}

// Close lets go of the connections kept for later. It may be called twice;
// requests under way go on.
func (c *Client) Close() error {
	c.open.CloseIdleConnections()
	c.inner.CloseIdleConnections()
	return nil
}
