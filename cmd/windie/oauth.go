package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/oauth"
	"github.com/windieos/windie/state/identity/openid"
)

// checkOAuth adds the problems of the settings of another issuer to p.
func (c *config) checkOAuth(p *configError) {
	o := c.OAuth
	p.add((o.Issuer == "") != (o.Audience == ""), "oauth.issuer and oauth.audience (WINDIE_OAUTH_ISSUER, WINDIE_OAUTH_AUDIENCE): are needed together")
	if o.Issuer == "" {
		return
	}
	p.add(!isIssuer(o.Issuer), "oauth.issuer (WINDIE_OAUTH_ISSUER): %q is not a URL such as https://login.example.com; one with http:// may only name this machine", o.Issuer)
	p.add(c.PublicURL == "", "public_url (WINDIE_PUBLIC_URL): is needed with oauth.issuer: MCP clients ask the issuer for tokens for it")
	p.add(c.Mode != hostedMode, "oauth.issuer (WINDIE_OAUTH_ISSUER): is for hosted mode: a local gateway needs no tokens")
}

// issuer returns the issuer whose tokens MCP clients send, or nil if the gateway issues them itself.
func (c *config) issuer() *openid.Tokens {
	if c.OAuth.Issuer == "" {
		return nil
	}
	return openid.NewTokens(openid.TokensConfig{Issuer: c.OAuth.Issuer, Audience: c.OAuth.Audience, UserClaim: c.OAuth.UserClaim})
}

// oauth returns what lets people connect MCP clients, or nil if they cannot: without a public URL, by
// plain HTTP on a network, or with another issuer. Others could read the tokens of plain HTTP.
func (c *config) oauth(db *database.DB, ids *identity.Identity) *oauth.Store {
	if c.Mode != hostedMode || c.OAuth.Issuer != "" || !isIssuer(c.PublicURL) {
		return nil
	}
	base := strings.TrimSuffix(c.PublicURL, "/")
	return oauth.Open(db, ids, oauth.Config{Issuer: base, Resource: base + sdkapi.MCPPath, NoDocuments: !c.OAuth.ClientDocuments})
}

// checkIssuer sends a request to the issuer of access tokens, for the doctor.
func (c *config) checkIssuer(ctx context.Context) (string, error) {
	if tokens := c.issuer(); tokens != nil {
		at, _ := url.Parse(c.OAuth.Issuer) // checked before
		return "MCP clients get access tokens at " + at.Host, tokens.Check(ctx)
	}
	switch {
	case c.Mode != hostedMode:
		return "disabled (a local gateway needs no access tokens)", nil
	case !isIssuer(c.PublicURL):
		return "disabled (WINDIE_PUBLIC_URL is not set to an HTTPS URL): MCP clients need an access token in their settings", nil
	}
	return "people connect MCP clients by the URL " + strings.TrimSuffix(c.PublicURL, "/") + sdkapi.MCPPath, nil
}
