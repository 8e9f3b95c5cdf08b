// Package redact takes secrets out of texts that are shown to others.
//
//	r := redact.New([]string{apiKey, password})
//	text = r.Text(text)
//
// A secret is gone in each form that it commonly has: as it is, in JSON, and escaped in URLs. What is in
// front of the host of a URL, and the values of a URL's query, are gone too, whatever they are.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Hidden stands where a secret was.
const Hidden = "[hidden]"

// MinSecret is the size from which on a value is looked for, in bytes: shorter ones are in every text.
const MinSecret = 4

var (
	userinfo = regexp.MustCompile(`://[^\s"'<>]*@`)
	query    = regexp.MustCompile(`([?&][^=&#\s"'<>]+=)[^&#\s"'<>]+`)
	bearer   = regexp.MustCompile(`(?i)\b(bearer|basic) +[A-Za-z0-9._~+/=-]+`)
	password = regexp.MustCompile(`(?i)\b(password|passwd|pwd)=[^\s"'&]+`)
)

// Redactor takes secrets out of texts. One without secrets still takes them out of URLs.
type Redactor struct{ secrets *strings.Replacer }

// New returns a Redactor for secrets. Those shorter than MinSecret are not looked for.
func New(secrets []string) *Redactor {
	var forms []string
	for _, secret := range secrets {
		if len(secret) < MinSecret {
			continue
		}
		quoted, err := json.Marshal(secret)
		if err != nil {
			continue // a string always can be written
		}
		forms = append(forms, secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)))
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) }) // one may hold another
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, Hidden)
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Text returns a text without secrets.
func (r *Redactor) Text(text string) string {
	text = r.secrets.Replace(text)
	text = userinfo.ReplaceAllString(text, "://"+Hidden+"@")
	text = query.ReplaceAllString(text, "${1}"+Hidden)
	text = bearer.ReplaceAllString(text, "${1} "+Hidden)
	return password.ReplaceAllString(text, "${1}="+Hidden)
}

// InURL returns what is secret in a URL: its password, as it stands there and as it is meant, and the values of
// its query. Of what is no URL it returns nothing.
func InURL(text string) (secrets []string) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil
	}
	if word, has := u.User.Password(); has {
		secrets = append(secrets, word)
	} else if name := u.User.Username(); name != "" {
		secrets = append(secrets, name) // a token alone
	}
	for _, values := range u.Query() {
		secrets = append(secrets, values...)
	}
	return secrets
}
