package oauth

import (
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// The grant types.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
)

// token exchanges a code or a refresh token for tokens.
func (d *door) token(c *fiber.Ctx) (any, error) {
	form, err := readForm(c)
	if err != nil {
		return nil, err
	}
	client := form.Get("client_id")
	if client == "" || form.Has("client_secret") || c.Get(fiber.HeaderAuthorization) != "" {
		return nil, oauth.Refuse(oauth.InvalidClient, "clients are public: send client_id in the body, and no client_secret and no Authorization")
	}
	var tokens oauth.Tokens
	ctx := c.UserContext()
	switch form.Get("grant_type") {
	case grantCode:
		tokens, err = d.store.Exchange(ctx, oauth.Exchange{
			Code: form.Get("code"), ClientID: client, Redirect: form.Get("redirect_uri"), Verifier: form.Get("code_verifier"), Resource: form.Get("resource"),
		})
	case grantRefresh:
		var scopes oauth.Scopes
		if scopes, err = oauth.ParseScopes(form.Get("scope")); err == nil {
			tokens, err = d.store.Refresh(ctx, oauth.Refresh{Token: form.Get("refresh_token"), ClientID: client, Resource: form.Get("resource"), Scopes: scopes})
		}
	default:
		err = oauth.Refuse(oauth.UnsupportedGrant, "grant_type must be %s or %s", grantCode, grantRefresh)
	}
	if err != nil {
		return nil, err
	}
	return sdkapi.OAuthTokens{
		AccessToken: tokens.Access, TokenType: "Bearer", ExpiresIn: int(tokens.Lasts.Seconds()), RefreshToken: tokens.Refresh, Scope: tokens.Scopes.String(),
	}, nil
}

// revoke ends the grant of a token.
func (d *door) revoke(c *fiber.Ctx) (any, error) {
	form, err := readForm(c)
	if err != nil {
		return nil, err
	}
	if form.Get("token") == "" || form.Get("client_id") == "" {
		return nil, oauth.Refuse(oauth.InvalidRequest, "send token and client_id")
	}
	return struct{}{}, d.store.Revoke(c.UserContext(), form.Get("token"), form.Get("client_id"))
}
