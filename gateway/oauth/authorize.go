package oauth

import (
	"context"
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/state/identity/oauth"
)

// asked is a client's valid request for access.
type asked struct {
	client    oauth.Client
	redirect  string
	challenge string
	state     string
	scopes    oauth.Scopes
}

// authorize leads a browser with a client's request to the console. It does not check the request: a
// stranger could otherwise make the gateway load documents, or send browsers elsewhere. The console
// checks it for a person who is signed in.
func (d *door) authorize(c *fiber.Ctx) error {
	noStore(c)
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
	query := string(c.Context().URI().QueryString())
	if len(query) > maxQuery {
		return d.refuse(c, oauth.Refuse(oauth.InvalidRequest, "the query is longer than %d bytes", maxQuery))
	}
	values, err := parse(query)
	if err != nil {
		return d.refuse(c, oauth.RefusalOf(err))
	}
	to := peer.VisitPath(gateway.RequestOf(c.UserContext()).Base) + "console/#/connect?" + values.Encode()
	return c.Redirect(to, http.StatusSeeOther)
}

// request checks a client's request. The console shows a refusal to the person. The gateway never sends
// the browser to a client whose request it refuses.
func (d *door) request(ctx context.Context, query string) (asked, error) {
	if len(query) > maxQuery {
		return asked{}, oauth.Refuse(oauth.InvalidRequest, "the query is longer than %d bytes", maxQuery)
	}
	values, err := parse(query)
	if err != nil {
		return asked{}, err
	}
	a := asked{redirect: values.Get("redirect_uri"), challenge: values.Get("code_challenge"), state: values.Get("state")}
	if err := oauth.CheckRedirect(a.redirect); err != nil {
		return asked{}, err
	}
	if a.client, err = d.store.Client(ctx, values.Get("client_id")); err != nil {
		return asked{}, err
	}
	if !a.client.Allows(a.redirect) {
		return asked{}, oauth.Refuse(oauth.InvalidRequest, "the redirect_uri is not one that the client has registered")
	}
	if err := d.checkRest(values, a); err != nil {
		return asked{}, err
	}
	if a.scopes, err = oauth.ParseScopes(values.Get("scope")); err == nil && len(a.scopes) == 0 {
		a.scopes = oauth.DefaultScopes()
	}
	return a, err
}

// checkRest checks the parameters that do not depend on the client.
func (d *door) checkRest(values url.Values, a asked) error {
	switch mode := values.Get("response_mode"); {
	case values.Get("response_type") != "code":
		return oauth.Refuse(oauth.UnsupportedResponse, "response_type must be code")
	case mode != "" && mode != "query":
		return oauth.Refuse(oauth.InvalidRequest, "response_mode must be query")
	case values.Has("request") || values.Has("request_uri"):
		return oauth.Refuse(oauth.InvalidRequest, "request objects are not supported")
	case len(a.state) > maxState:
		return oauth.Refuse(oauth.InvalidRequest, "state is longer than %d bytes", maxState)
	}
	if err := oauth.CheckChallenge(a.challenge, values.Get("code_challenge_method")); err != nil {
		return err
	}
	return d.store.CheckResource(values.Get("resource"))
}

// back returns the redirect URI of a request with the result for the client.
func (d *door) back(a asked, result url.Values) (string, error) {
	to, err := url.Parse(a.redirect)
	if err != nil {
		return "", err // unreachable: it was checked
	}
	if a.state != "" {
		result.Set("state", a.state)
	}
	result.Set("iss", d.issuer)
	if to.RawQuery != "" {
		to.RawQuery += "&"
	}
	to.RawQuery += result.Encode()
	return to.String(), nil
}
