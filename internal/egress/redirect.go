package egress

import (
	"net/http"
	"net/url"
)

// onward returns where a reply sends the request on to, or "" when the guest
// is to have it.
func (c *Client) onward(resp *http.Response) string {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if c.limits.Redirects > 0 {
			return resp.Header.Get("Location")
		}
	}
	return ""
}

// follow returns the request that a redirect asks for, as a browser makes it.
// It may be anything: it is looked at as the guest's own are.
func (c *Client) follow(got reply, hops int) (Request, error) {
	if hops >= c.limits.Redirects {
		return Request{}, fail(TooManyRedirects, "%s sent the request on more than %d times", got.target.where(), c.limits.Redirects)
	}
	next, err := got.target.url.Parse(got.location)
	if err != nil {
		return Request{}, fail(BadResponse, "%s sent the request on to what is not a URL", got.target.where()).because(c.vault, err)
	}
	next.RawQuery = c.withoutSecrets(next.RawQuery, got.permit.secrets)
	if c.leaks(next) {
		return Request{}, fail(Denied, "%s sent the request on with a secret in the URL", got.target.where())
	}
	req := Request{Method: got.sent.Method, URL: next.String(), Header: got.sent.Header.Clone(), Body: got.sent.Body}
	if becomesGet(got.Status, req.Method) {
		req.Method, req.Body = http.MethodGet, nil
		for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Location"} {
			req.Header.Del(name)
		}
	}
	if next.Scheme+"://"+next.Host != got.target.origin() {
		// What the guest shows one server is not for the next.
		for _, name := range []string{"Authorization", "Cookie", "Cookie2", "Www-Authenticate"} {
			req.Header.Del(name)
		}
	}
	return req, nil
}

// becomesGet reports whether a redirect changes the method.
func becomesGet(status int, method string) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound:
		return method == http.MethodPost
	case http.StatusSeeOther:
		return method != http.MethodHead
	}
	return false
}

// withoutSecrets takes out of a query what the hop before put in, as servers
// that only change the path leave it there. The next hop puts in its own.
func (c *Client) withoutSecrets(query string, secrets []Secret) string {
	for _, s := range secrets {
		if s.In == Query {
			query = dropQuery(query, func(key, value string) bool { return key == s.Key && c.vault.holds(value) })
		}
	}
	return query
}

// leaks reports whether a server has put a secret into u, for the next one.
func (c *Client) leaks(u *url.URL) bool {
	return c.vault.holds(u.String()) || c.vault.holds(u.Path) || c.vault.holds(u.Host)
}
