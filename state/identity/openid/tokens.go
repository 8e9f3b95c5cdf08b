package openid

import (
	"context"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// signedBy are the algorithms that an access token may be signed with. They are asymmetric: only the
// issuer can sign.
var signedBy = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA}

// maxAccessToken is the maximum length of an access token, in bytes.
const maxAccessToken = 8 << 10

// TokensConfig names the issuer of access tokens, and the tokens that count.
type TokensConfig struct {
	Issuer    string // URL of the issuer, exactly as in its metadata
	Audience  string // value that the claim aud must have
	UserClaim string // claim with the id of the user at this gateway; default: sub
}

// Tokens checks the access tokens of another issuer, which are JWTs. Make one with NewTokens. Its
// methods are safe for concurrent use.
type Tokens struct {
	cfg    TokensConfig
	issuer *Provider
}

// AccessToken is what a valid access token says.
type AccessToken struct {
	User    string
	Scopes  string // separated by spaces
	Expires time.Time
}

// NewTokens returns a Tokens. It sends no request; the first token causes one.
func NewTokens(cfg TokensConfig) *Tokens {
	if cfg.UserClaim == "" {
		cfg.UserClaim = "sub"
	}
	return &Tokens{cfg, &Provider{cfg: Config{Issuer: cfg.Issuer}, client: newClient()}}
}

// Issuer returns the URL of the issuer.
func (t *Tokens) Issuer() string { return t.cfg.Issuer }

// Check requests the issuer's metadata, as the first token does.
func (t *Tokens) Check(ctx context.Context) error { return t.issuer.Check(ctx) }

// Verify returns what an access token says. It fails with AUTH_REQUIRED for a token that is not signed
// by the issuer, has expired, or is for another audience. The message does not say which.
func (t *Tokens) Verify(ctx context.Context, raw string) (AccessToken, error) {
	refusal := fault.New("openid.Verify", sdkapi.AuthRequired, "the access token is invalid or has expired; get a new one from %s", t.cfg.Issuer).
		At("header.Authorization", "expected Bearer and a signed token of the issuer for the audience %s", t.cfg.Audience)
	if len(raw) > maxAccessToken || strings.Count(raw, ".") != 2 {
		return AccessToken{}, refusal
	}
	at, err := t.issuer.discover(ctx)
	if err != nil {
		return AccessToken{}, err
	}
	ctx = oidc.ClientContext(ctx, t.issuer.client)
	token, err := at.VerifierContext(ctx, &oidc.Config{ClientID: t.cfg.Audience, SupportedSigningAlgs: signedBy}).Verify(ctx, raw)
	if err != nil {
		return AccessToken{}, refusal.Because(err)
	}
	var all claims
	if err := token.Claims(&all); err != nil {
		return AccessToken{}, refusal.Because(err)
	}
	user := all.texts(t.cfg.UserClaim)
	if len(user) != 1 || user[0] == "" {
		return AccessToken{}, refusal
	}
	return AccessToken{User: user[0], Scopes: strings.Join(append(all.texts("scope"), all.texts("scp")...), " "), Expires: token.Expiry}, nil
}
