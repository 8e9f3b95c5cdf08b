// Package openid signs people in through an OpenID provider, by the authorization code flow with
// PKCE.
//
//	p := openid.New(openid.Config{Issuer: "https://login.example", ...})
//	url, flow, err := p.Begin(ctx, "approvals")   // the browser stores flow in a cookie and goes to url
//	person, to, err := p.Finish(ctx, flow, query) // the browser came back with query
//
// A *flow* is the data of one sign-in, which the browser stores while the person is at the
// provider: state, nonce and verifier. It is encrypted, and only gateways with the same client
// secret can read it. Only people who match the settings can sign in: see Config.
package openid

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/sdkapi"
)

// Limits of requests to a provider, and of a flow.
const (
	FlowAge     = 10 * time.Minute // maximum time from Begin to Finish
	askTime     = 10 * time.Second // for one request to the provider
	maxAnswer   = 1 << 20          // bytes of one response of the provider
	knownFor    = time.Hour        // how long the provider's metadata is cached
	maxReturnTo = 200              // bytes of the console path to which the person returns
)

// Config names the provider and the people who can sign in. Everybody else is refused.
type Config struct {
	Issuer       string // URL of the provider, exactly as in the provider's metadata
	ClientID     string // this gateway's id at the provider
	ClientSecret string
	Redirect     string   // URL of this gateway to which the provider sends the browser back
	Scopes       []string // scopes to request besides openid

	// OperatorClaim is the name of a claim. A person is an operator if a value of this claim is in
	// Operators. A dot in the name leads into a nested object.
	OperatorClaim string
	Operators     []string // values of OperatorClaim; if empty, nobody is an operator
	// UserClaim is the name of the claim that has the user's id at this gateway. If it is empty,
	// nobody can sign in as a user.
	UserClaim string
}

// Person is a person who has signed in.
type Person struct {
	Operator bool
	User     string // id of the user; empty for operators
	Subject  string // id of the person at the provider, for the log
}

// Provider signs people in. Make one with New. Its methods are safe for concurrent use. Name and
// Proof also work on a nil Provider, which signs in nobody. Errors are faults: AUTH_REQUIRED for a
// sign-in that cannot be trusted, PERMISSION_DENIED for a person who matches no setting, and
// FEATURE_UNAVAILABLE if the provider does not respond.
type Provider struct {
	cfg    Config
	key    []byte // encrypts flows
	client *http.Client

	asking singleflight.Group
	mu     sync.Mutex
	known  *known // nil before the first request to the provider
}

// New returns a Provider. It sends no request; the first sign-in sends one. New panics if Config
// has no client secret.
func New(cfg Config) *Provider {
	if cfg.ClientSecret == "" {
		panic("openid: a provider needs a client secret")
	}
	key, err := hkdf.Key(sha256.New, []byte(cfg.ClientSecret), nil, "windie openid flow", sha256.Size)
	if err != nil {
		panic(err) // the length is always valid
	}
	return &Provider{cfg: cfg, key: key, client: newClient()}
}

// newClient returns a client whose requests and responses are bounded, and which follows no redirect.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       askTime,
		Transport:     bounded{http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Name returns the host of the provider, for display. It is empty for a nil Provider.
func (p *Provider) Name() string {
	if p == nil {
		return ""
	}
	issuer, _ := url.Parse(p.cfg.Issuer) // the settings were validated when they were read
	return issuer.Host
}

// Proof returns a hash of all settings that decide who can sign in. A change of the hash ends all
// visits that began with the old settings. Proof returns an empty string for a nil Provider.
func (p *Provider) Proof() string {
	if p == nil {
		return ""
	}
	// Contains only texts, so it never fails.
	raw, _ := json.Marshal([]any{p.cfg.Issuer, p.cfg.ClientID, p.cfg.ClientSecret, p.cfg.OperatorClaim, p.cfg.Operators, p.cfg.UserClaim})
	return hashid.Of(string(raw), sha256.Size)
}

// Begin starts a sign-in. The browser must go to signInURL, the provider's sign-in page. sealed is
// the encrypted state of the sign-in, which the browser must store until Finish. returnPath is the
// console path that the person sees after the sign-in.
func (p *Provider) Begin(ctx context.Context, returnPath string) (signInURL, sealed string, err error) {
	at, err := p.discover(ctx)
	if err != nil {
		return "", "", err
	}
	if len(returnPath) > maxReturnTo {
		returnPath = ""
	}
	f := flow{State: random(), Nonce: random(), Verifier: oauth2.GenerateVerifier(), To: returnPath, Ends: time.Now().Add(FlowAge)}
	sealed, err = p.seal(f)
	return p.oauth(at).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), sealed, err
}

// Finish completes a sign-in, and returns the person and the returnPath given to Begin. sealed is
// the encrypted state that the browser has stored since Begin. query is the query of the URL to
// which the provider redirected the browser.
func (p *Provider) Finish(ctx context.Context, sealed string, query url.Values) (person Person, returnPath string, err error) {
	f, err := p.open(sealed)
	if err != nil {
		return Person{}, "", err
	}
	if !same(query.Get("state"), f.State) {
		return Person{}, "", refused("the sign-in began in another browser, or a newer sign-in replaced it").At("query.state", "expected the state of this browser's sign-in")
	}
	at, err := p.discover(ctx)
	if err != nil {
		return Person{}, "", err
	}
	if iss, said := query.Get("iss"), query.Has("iss"); (said || at.Names) && iss != p.cfg.Issuer {
		return Person{}, "", refused("a provider other than the configured one redirected the browser").At("query.iss", "expected %s", p.cfg.Issuer)
	}
	if query.Has("error") {
		return Person{}, "", refused("the provider did not sign the person in").Because(&oauth2.RetrieveError{ErrorCode: query.Get("error"), ErrorDescription: query.Get("error_description")})
	}
	claims, err := p.exchange(ctx, at, f, query.Get("code"))
	if err != nil {
		return Person{}, "", err
	}
	person, err = p.cfg.admit(claims)
	return person, f.To, err
}

// exchange exchanges a code for the verified claims of a person.
func (p *Provider) exchange(ctx context.Context, at *known, f flow, code string) (claims, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := p.oauth(at).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return nil, refused("the provider refuses the authorization code that it issued").Because(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := at.Verifier(&oidc.Config{ClientID: p.cfg.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, refused("the provider's ID token is invalid").Because(err)
	}
	if token.AccessTokenHash != "" {
		if err := token.VerifyAccessToken(tokens.AccessToken); err != nil {
			return nil, refused("the provider's ID token is invalid").Because(err)
		}
	}
	if !same(token.Nonce, f.Nonce) {
		return nil, refused("the provider's ID token is for another sign-in").At("id_token.nonce", "expected the nonce of this sign-in")
	}
	var all claims
	if err := token.Claims(&all); err != nil {
		return nil, refused("the claims in the provider's ID token are not valid JSON").Because(err)
	}
	// OpenID Connect Core 1.0, section 2; without a subject the log could not name the person
	if token.Subject == "" {
		return nil, refused("the provider's ID token names no person").At("id_token.sub", "expected the provider's id for the person")
	}
	if azp, said := all["azp"]; (said || len(token.Audience) > 1) && azp != p.cfg.ClientID {
		return nil, refused("the provider's ID token is for another client").At("id_token.azp", "expected %s", p.cfg.ClientID)
	}
	return all, nil
}

// discover returns the provider's metadata. Concurrent callers share one request.
func (p *Provider) discover(ctx context.Context) (*known, error) {
	p.mu.Lock()
	at := p.known
	p.mu.Unlock()
	if at != nil && time.Since(at.learnt) < knownFor {
		return at, nil
	}
	found, err, _ := p.asking.Do("", func() (any, error) {
		at, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.cfg.Issuer)
		if err != nil {
			return nil, fault.New("openid", sdkapi.FeatureUnavailable, "cannot load the sign-in settings of the provider %s; try again, or correct oidc.issuer", p.Name()).Because(err)
		}
		learnt := &known{Provider: at, learnt: time.Now()}
		_ = at.Claims(learnt) // it was parsed before
		p.mu.Lock()
		p.known = learnt
		p.mu.Unlock()
		return learnt, nil
	})
	if err != nil {
		return nil, err
	}
	return found.(*known), nil
}

// known is the provider's metadata.
type known struct {
	*oidc.Provider

	// Whether the provider names itself in its redirects.
	Names  bool `json:"authorization_response_iss_parameter_supported"`
	learnt time.Time
}

// Check requests the provider's metadata, the first step of a sign-in.
func (p *Provider) Check(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

// oauth returns the configuration for requests to the provider. The scope openid comes first, and only once.
func (p *Provider) oauth(at *known) *oauth2.Config {
	scopes := append([]string{oidc.ScopeOpenID}, slices.DeleteFunc(slices.Clone(p.cfg.Scopes), func(s string) bool { return s == oidc.ScopeOpenID })...)
	return &oauth2.Config{ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, Endpoint: at.Endpoint(), RedirectURL: p.cfg.Redirect, Scopes: scopes}
}

// refused returns the error AUTH_REQUIRED with a reason and the advice to sign in again.
func refused(why string) *fault.Error {
	return fault.New("openid", sdkapi.AuthRequired, "%s; sign in again", why)
}

// bounded limits the size of the provider's responses.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// claims are the provider's statements about a person.
type claims map[string]any

// find returns the claim with a name. If there is none, a dot in the name leads into an object.
func (c claims) find(name string) any {
	if value, there := c[name]; there {
		return value
	}
	first, rest, dotted := strings.Cut(name, ".")
	if inner, ok := c[first].(map[string]any); dotted && ok {
		return claims(inner).find(rest)
	}
	return nil
}

// texts returns the texts of a claim: its value, or the entries of its list. It ignores an email
// that the provider has not verified, because anybody with an account there could have chosen it.
func (c claims) texts(name string) (texts []string) {
	if verified, _ := c["email_verified"].(bool); name == "email" && !verified {
		return nil
	}
	switch value := c.find(name).(type) {
	case string:
		return []string{value}
	case []any:
		for _, entry := range value {
			if text, ok := entry.(string); ok {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// admit returns the person for some claims. A person who matches both is an operator, not a user.
func (c Config) admit(said claims) (Person, error) {
	person := Person{}
	person.Subject, _ = said["sub"].(string)
	if slices.ContainsFunc(said.texts(c.OperatorClaim), func(text string) bool { return text != "" && slices.Contains(c.Operators, text) }) {
		person.Operator = true
		return person, nil
	}
	if c.UserClaim != "" {
		if texts := said.texts(c.UserClaim); len(texts) == 1 && texts[0] != "" {
			person.User = texts[0]
			return person, nil
		}
	}
	return person, fault.New("openid", sdkapi.PermissionDenied, "the provider signed this person in, but no setting of this gateway allows them; ask the operator")
}
