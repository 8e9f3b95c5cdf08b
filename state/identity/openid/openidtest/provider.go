// Package openidtest has an OpenID provider for tests. It can issue wrong tokens, which no real
// provider would.
package openidtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/windieos/windie/state/identity/openid"
)

// The gateway's credentials at the provider.
const (
	ClientID = "windie"
	Secret   = "the secret of this client"
)

// Provider is an OpenID provider for tests. It signs in every person immediately, with the claims
// set by the method Is. Its methods are safe for concurrent use.
type Provider struct {
	URL string

	mu      sync.Mutex
	key     *ecdsa.PrivateKey
	claims  map[string]any // of the person who signs in
	lie     func(claims map[string]any)
	signs   func(claims []byte) string
	sends   url.Values // replaces parameters in the query of the redirect to the gateway
	pending map[string]asked
}

// asked is the request for which a code was issued.
type asked struct{ nonce, challenge string }

// New starts a provider, which runs until the test ends.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, pending: map[string]asked{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.describe)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /jwks", p.keys)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// Config returns the settings of a gateway that uses this provider. People in the group ops are
// operators. The claim windie_user has the user's id.
func (p *Provider) Config(redirect string) openid.Config {
	return openid.Config{
		Issuer: p.URL, ClientID: ClientID, ClientSecret: Secret, Redirect: redirect, Scopes: []string{"profile"},
		OperatorClaim: "groups", Operators: []string{"ops"}, UserClaim: "windie_user",
	}
}

// Is sets the claims in the tokens of all later sign-ins.
func (p *Provider) Is(claims map[string]any) { p.Lies(claims, nil, nil, nil) }

// Lies sets the claims for all later sign-ins, and makes the provider misbehave. forge changes the
// claims before they are signed. sign returns the signed token for the claims. query replaces
// parameters in the query of redirects. If an argument is nil, the provider behaves
// correctly in that respect.
func (p *Provider) Lies(claims map[string]any, forge func(map[string]any), sign func([]byte) string, query url.Values) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims, p.lie, p.signs, p.sends = claims, forge, sign, query
}

// describe serves the discovery document. It offers weak algorithms too, so that tests see the
// gateway refuse them.
func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/jwks",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"}, "authorization_response_iss_parameter_supported": true,
	})
}

// authorize signs in the person at once, and redirects to the gateway with a new code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	query, code := r.URL.Query(), rand.Text()
	p.pending[code] = asked{query.Get("nonce"), query.Get("code_challenge")}
	back := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {p.URL}}
	for name, values := range p.sends {
		back[name] = values
	}
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
}

// token exchanges a code, once, for the client that has its verifier.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	code := r.PostFormValue("code")
	wanted, there := p.pending[code]
	delete(p.pending, code)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret)
	if !there || id != ClientID || secret != Secret || base64.RawURLEncoding.EncodeToString(sum[:]) != wanted.challenge {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	claims := map[string]any{"iss": p.URL, "aud": ClientID, "sub": "ada", "nonce": wanted.nonce, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	for name, value := range p.claims {
		claims[name] = value
	}
	if p.lie != nil {
		p.lie(claims)
	}
	raw, _ := json.Marshal(claims) // they are texts, numbers and lists
	sign := p.signs
	if sign == nil {
		sign = func(raw []byte) string { return Sign(jose.ES256, p.key, raw) }
	}
	answer(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": sign(raw)})
}

// Access returns an access token for an audience, with the provider's signature. If a value in claims is
// nil, the token lacks the claim.
func (p *Provider) Access(audience string, claims map[string]any) string {
	all := map[string]any{"iss": p.URL, "aud": audience, "sub": "ada", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	for name, value := range claims {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	raw, _ := json.Marshal(all) // they are texts, numbers and lists
	return Sign(jose.ES256, p.key, raw)
}

// keys serves the public key for the tokens.
func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), Algorithm: "ES256", Use: "sig"}}})
}

// Sign returns a token with claims, signed with key.
func Sign(algorithm jose.SignatureAlgorithm, key any, claims []byte) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	if err != nil {
		panic(err) // the test chose a key of the wrong kind
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		panic(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return token
}

// Unsigned returns a token with claims and without a signature.
func Unsigned(claims []byte) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims) + "."
}

// answer writes a value as JSON, with status 200.
func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client may have left
}
