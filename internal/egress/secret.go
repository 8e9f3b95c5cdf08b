package egress

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/windieos/windie/internal/fault"
)

// Secret is a value that a guest's requests need but the guest must not know. It is added when a
// request is sent.
type Secret struct {
	Name string `json:"name"`          // name of the secret; Config.Secret gets this name
	In   string `json:"in"`            // place of the secret in the request: Bearer, Basic, Header or Query
	Key  string `json:"key,omitempty"` // name of the header or query parameter; empty for Bearer and Basic
}

// Places for a Secret.
const (
	Bearer = "bearer" // the header "Authorization: Bearer VALUE"
	Basic  = "basic"  // the header "Authorization: Basic ..."; the secret's value is "user:password"
	Header = "header" // the header "KEY: VALUE"; KEY is Secret.Key
	Query  = "query"  // the query parameter "KEY=VALUE"; KEY is Secret.Key
)

// slot returns the place of the secret in a request. Two secrets with the same slot conflict.
func (s Secret) slot() string {
	switch s.In {
	case Header:
		return "header " + http.CanonicalHeaderKey(s.Key)
	case Query:
		return "query " + s.Key
	}
	return "header Authorization"
}

// checkSecrets reports on f each secret of the rule that is invalid, conflicts with another, or
// could reach every host or an unencrypted network.
func (g *grantRule) checkSecrets(at string, f *fault.Error) {
	taken := map[string]bool{}
	for i, s := range g.Secrets {
		at := fmt.Sprintf("%s.secrets[%d]", at, i)
		if s.Name == "" {
			_ = f.At(at+".name", "expected the name of a secret")
		}
		s.checkKey(at, f)
		if taken[s.slot()] {
			_ = f.At(at, "expected at most one secret per place; another secret already uses the %s", s.slot())
		}
		taken[s.slot()] = true
	}
	switch {
	case len(g.Secrets) == 0:
	case g.suffix && g.host == "":
		_ = f.At(at+".secrets", "expected a rule for each host that gets a secret, not %q", "*")
	case !g.Private && strings.Contains(strings.Join(g.Schemes, " ")+" ", "http "):
		_ = f.At(at+".secrets", "expected only https: http would reveal the secret to the network")
	}
}

// checkKey reports on f if In is unknown, or if Key does not fit it.
func (s Secret) checkKey(at string, f *fault.Error) {
	switch s.In {
	case Bearer, Basic:
		if s.Key != "" {
			_ = f.At(at+".key", "expected no key, because a secret of the type %s has no key", s.In)
		}
	case Header:
		if !isToken(s.Key) || isOurs(http.CanonicalHeaderKey(s.Key)) || isOverride(http.CanonicalHeaderKey(s.Key)) {
			_ = f.At(at+".key", "expected the name of a header that a secret may set")
		}
	case Query:
		if s.Key == "" {
			_ = f.At(at+".key", "expected the name of a query parameter")
		}
	default:
		_ = f.At(at+".in", "expected bearer, basic, header or query, not %q", s.In)
	}
}

// inject adds secrets to r. If two have the same place, the first one is used.
func (c *Client) inject(r *http.Request, secrets []Secret) error {
	taken := map[string]bool{}
	for _, s := range secrets {
		if taken[s.slot()] {
			continue
		}
		taken[s.slot()] = true
		value, err := c.vault.open(s.Name)
		if err != nil {
			return err
		}
		switch s.In {
		case Bearer:
			r.Header.Set("Authorization", "Bearer "+value)
		case Basic:
			r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(value)))
		case Header:
			r.Header.Set(s.Key, value)
		case Query:
			u := *r.URL
			u.RawQuery = setQuery(u.RawQuery, s.Key, value)
			r.URL = &u
		}
	}
	return nil
}

// setQuery replaces all values of key in a query with one value. It leaves other parts as the guest
// wrote them.
func setQuery(query, key, value string) string {
	pairs := dropQuery(query, func(k, _ string) bool { return k == key })
	pair := url.QueryEscape(key) + "=" + url.QueryEscape(value)
	if pairs == "" {
		return pair
	}
	return pairs + "&" + pair
}

// dropQuery removes the pairs for which drop, which gets them unescaped, returns true.
func dropQuery(query string, drop func(key, value string) bool) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		k, v, _ := strings.Cut(pair, "=")
		if key, err := url.QueryUnescape(k); err == nil {
			k = key
		}
		if value, err := url.QueryUnescape(v); err == nil {
			v = value
		}
		if pair != "" && !drop(k, v) {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}
