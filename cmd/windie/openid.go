package main

import (
	"context"
	"net"
	"net/url"
	"strings"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/openid"
)

// checkOpenID adds the problems of the provider's settings to p.
func (c *config) checkOpenID(p *configError) {
	o := c.OpenID
	if o.Issuer == "" {
		p.add(o.ClientID != "" || o.ClientSecret != "" || len(o.Operators) > 0 || o.UserClaim != "", "oidc.issuer (WINDIE_OIDC_ISSUER): is needed with the other settings of oidc")
		return
	}
	p.add(!isIssuer(o.Issuer), "oidc.issuer (WINDIE_OIDC_ISSUER): %q is not a URL such as https://login.example.com; one with http:// may only name this machine", o.Issuer)
	p.add(o.ClientID == "" || o.ClientSecret == "", "oidc.client_id and oidc.client_secret (WINDIE_OIDC_CLIENT_ID, WINDIE_OIDC_CLIENT_SECRET): are needed with oidc.issuer")
	p.add(c.PublicURL == "", "public_url (WINDIE_PUBLIC_URL): is needed with oidc.issuer: the provider sends browsers back to it")
	p.add(len(o.Operators) == 0 && o.UserClaim == "", "oidc.operators and oidc.user_claim (WINDIE_OIDC_OPERATORS, WINDIE_OIDC_USER_CLAIM): without both nobody comes in")
	p.add(len(o.Operators) > 0 && o.OperatorClaim == "", "oidc.operator_claim (WINDIE_OIDC_OPERATOR_CLAIM): is needed with oidc.operators")
	p.add(o.UserClaim != "" && c.Mode != hostedMode, "oidc.user_claim (WINDIE_OIDC_USER_CLAIM): is for hosted mode: a local gateway has no users of its own")
}

// isIssuer reports whether s is a valid URL of a provider. It accepts http only on this machine,
// because others could read the responses on a network.
func isIssuer(s string) bool {
	u, err := url.Parse(s)
	if err != nil || !isWebURL(s) || u.User != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// openID returns the provider at which people sign in, or nil if there is none.
func (c *config) openID() *openid.Provider {
	o := c.OpenID
	if o.Issuer == "" {
		return nil
	}
	return openid.New(openid.Config{
		Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: string(o.ClientSecret), Scopes: o.Scopes,
		Redirect:      strings.TrimSuffix(c.PublicURL, "/") + sdkapi.ConsoleOpenIDPath + "/callback",
		OperatorClaim: o.OperatorClaim, Operators: o.Operators, UserClaim: o.UserClaim,
	})
}

// checkProvider sends a request to the provider, for the doctor.
func (c *config) checkProvider(ctx context.Context) (string, error) {
	p := c.openID()
	if p == nil {
		return "disabled (WINDIE_OIDC_ISSUER is not set): people sign in to the console with a link or a token", nil
	}
	return "people sign in at " + p.Name(), p.Check(ctx)
}
