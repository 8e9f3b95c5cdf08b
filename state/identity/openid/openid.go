// Package openid lets people in whom an OpenID provider knows, by the authorization code flow with PKCE.
//
//	p, err := openid.New(openid.Config{Issuer: "https://login.example", ...})
//	url, flow, err := p.Begin(ctx, "approvals")    // the browser keeps flow in a cookie, and goes to url
//	person, to, err := p.Finish(ctx, flow, query) // the browser came back with query
//
// A *flow* is what a browser keeps while its person is at the provider: the state, the nonce and the
// verifier of one attempt, sealed so that only a gateway with the same client secret reads it. Nobody is
// let in whom the settings do not name: see Config.
package openid

import (
	"cmp"
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

// Bounds of what a provider is asked for, and of a flow.
const (
	FlowAge     = 10 * time.Minute // from Begin to Finish
	askTime     = 10 * time.Second // of one request to the provider
	maxAnswer   = 1 << 20          // bytes of one answer of the provider
	knownFor    = time.Hour        // how long what the provider says of itself is kept
	maxReturnTo = 200              // bytes of the place in the console to which a person comes back
)

// Config says which provider there is, and who comes in as what. Everybody else is refused.
type Config struct {
	Issuer       string // URL of the provider, as its document names it
	ClientID     string // of this gateway at the provider
	ClientSecret string
	Redirect     string   // URL to which the provider sends browsers back
	Name         string   // what people call the provider; default: the issuer's host
	Scopes       []string // asked for besides openid

	OperatorClaim string   // whose value, or one of whose values, is in Operators for an operator; a dot leads into an object
	Operators     []string // if empty, nobody is an operator
	UserClaim     string   // whose value is the id of the user at this gateway; if empty, nobody comes in as a user
}

// Person is somebody whom the provider knows and the settings let in.
type Person struct {
	Operator bool
	User     string // the id of the user; empty for operators
	Subject  string // what the provider calls the person, for the log
}

// Provider lets people in. Make one with New. Its methods are safe for concurrent use; those that report
// something work for nil too, which lets in nobody. Their errors are faults: AUTH_REQUIRED for a sign-in
// that cannot be trusted, PERMISSION_DENIED for a person whom no setting lets in, FEATURE_UNAVAILABLE for a
// provider that does not answer.
type Provider struct {
	cfg    Config
	key    []byte // seals flows
	client *http.Client

	asking singleflight.Group
	mu     sync.Mutex
	known  *known // nil before the provider was asked
}

// New returns a provider, which is asked for the first time when somebody signs in. A Config without a
// client secret is a wrong program.
func New(cfg Config) *Provider {
	if cfg.ClientSecret == "" {
		panic("openid: a provider needs a client secret")
	}
	key, err := hkdf.Key(sha256.New, []byte(cfg.ClientSecret), nil, "windie openid flow", sha256.Size)
	if err != nil {
		panic(err) // the length is one that it makes
	}
	client := &http.Client{
		Timeout:       askTime,
		Transport:     bounded{http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Provider{cfg: cfg, key: key, client: client}
}

// Name returns what people call the provider; empty without one.
func (p *Provider) Name() string {
	if p == nil {
		return ""
	}
	issuer, _ := url.Parse(p.cfg.Issuer) // checked when the settings were read
	return cmp.Or(p.cfg.Name, issuer.Host)
}

// Proof returns a value that changes with each setting that decides who comes in: what was let in by other
// settings ends. It is empty without a provider.
func (p *Provider) Proof() string {
	if p == nil {
		return ""
	}
	raw, _ := json.Marshal([]any{p.cfg.Issuer, p.cfg.ClientID, p.cfg.ClientSecret, p.cfg.OperatorClaim, p.cfg.Operators, p.cfg.UserClaim}) // texts alone
	return hashid.Of(string(raw), sha256.Size)
}

// Begin begins a sign-in, after which its person comes back to a place in the console. It returns where the
// browser has to go, and the flow that it keeps.
func (p *Provider) Begin(ctx context.Context, to string) (goTo, sealed string, err error) {
	at, err := p.discover(ctx)
	if err != nil {
		return "", "", err
	}
	if len(to) > maxReturnTo {
		to = ""
	}
	f := flow{State: random(), Nonce: random(), Verifier: oauth2.GenerateVerifier(), To: to, Ends: time.Now().Add(FlowAge)}
	sealed, err = p.seal(f)
	return p.oauth(at).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), sealed, err
}

// Finish returns the person who came back from the provider with a query, and the place to which they wanted
// to come back. sealed is the flow of their browser.
func (p *Provider) Finish(ctx context.Context, sealed string, query url.Values) (person Person, to string, err error) {
	f, err := p.open(sealed)
	if err != nil {
		return Person{}, "", err
	}
	if !same(query.Get("state"), f.State) {
		return Person{}, "", refused("the sign-in began in another browser, or another began since").At("query.state", "expected the state of this browser's sign-in")
	}
	at, err := p.discover(ctx)
	if err != nil {
		return Person{}, "", err
	}
	if iss, said := query.Get("iss"), query.Has("iss"); (said || at.Names) && iss != p.cfg.Issuer {
		return Person{}, "", refused("another provider sent the browser back").At("query.iss", "expected %s", p.cfg.Issuer)
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

// exchange changes a code into the claims about a person, which it has checked.
func (p *Provider) exchange(ctx context.Context, at *known, f flow, code string) (claims, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := p.oauth(at).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return nil, refused("the provider does not take the code that it gave").Because(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := at.Verifier(&oidc.Config{ClientID: p.cfg.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, refused("what the provider says of the person cannot be trusted").Because(err)
	}
	if token.AccessTokenHash != "" {
		if err := token.VerifyAccessToken(tokens.AccessToken); err != nil {
			return nil, refused("what the provider says of the person cannot be trusted").Because(err)
		}
	}
	if !same(token.Nonce, f.Nonce) {
		return nil, refused("what the provider says is not for this sign-in").At("id_token.nonce", "expected that of this sign-in")
	}
	var all claims
	if err := token.Claims(&all); err != nil {
		return nil, refused("what the provider says of the person is not JSON").Because(err)
	}
	if token.Subject == "" { // OpenID Connect Core 1.0, section 2; without it nobody could say later who came in
		return nil, refused("the provider does not say who signs in").At("id_token.sub", "expected what the provider calls the person")
	}
	if azp, said := all["azp"]; (said || len(token.Audience) > 1) && azp != p.cfg.ClientID {
		return nil, refused("what the provider says is for another client").At("id_token.azp", "expected %s", p.cfg.ClientID)
	}
	return all, nil
}

// discover returns what the provider says of itself. Callers who ask at once share one question.
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
			return nil, fault.New("openid", sdkapi.FeatureUnavailable, "the provider %s does not say how to sign in there; try again, or look at oidc.issuer", p.Name()).Because(err)
		}
		learnt := &known{Provider: at, learnt: time.Now()}
		_ = at.Claims(learnt) // it was read before
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

// known is what a provider says of itself.
type known struct {
	*oidc.Provider

	Names  bool `json:"authorization_response_iss_parameter_supported"` // it says who it is when it sends browsers back
	learnt time.Time
}

// Check asks the provider how to sign in there, as a sign-in does first.
func (p *Provider) Check(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

func (p *Provider) oauth(at *known) *oauth2.Config {
	scopes := append([]string{oidc.ScopeOpenID}, slices.DeleteFunc(slices.Clone(p.cfg.Scopes), func(s string) bool { return s == oidc.ScopeOpenID })...)
	return &oauth2.Config{ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, Endpoint: at.Endpoint(), RedirectURL: p.cfg.Redirect, Scopes: scopes}
}

func refused(why string) *fault.Error {
	return fault.New("openid", sdkapi.AuthRequired, "%s; sign in again", why)
}

// bounded bounds the answers of a provider.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// claims are what a provider says of a person.
type claims map[string]any

// find returns the claim of a name. A name with dots that is no claim itself leads into objects.
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

// texts returns the texts that a claim has: itself, or the entries of a list. An email that the provider has
// not verified counts as none: whoever has an account there could choose it.
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

// admit returns as whom a person comes in: as an operator before a user.
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
	return person, fault.New("openid", sdkapi.PermissionDenied, "the provider knows this person, and no setting of this gateway lets them in")
}
