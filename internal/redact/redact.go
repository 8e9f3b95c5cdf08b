// Package redact removes secrets from texts that others will see.
//
//	r := redact.New([]string{apiKey, password})
//	text = r.Text(text)
//
// It removes a secret in its common forms: unchanged, in JSON, and escaped in URLs. In URLs it
// always removes the user information before the host, and the values of the query.
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

// Hidden is the text that replaces a secret.
const Hidden = "[hidden]"

// MinSecret is the minimum length of a secret, in bytes. Shorter secrets are not replaced, because
// they occur in most texts.
const MinSecret = 4

var (
	userinfo = regexp.MustCompile(`://[^\s"'<>]*@`)
	query    = regexp.MustCompile(`([?&][^=&#\s"'<>]+=)[^&#\s"'<>]+`)
	bearer   = regexp.MustCompile(`(?i)\b(bearer|basic) +[A-Za-z0-9._~+/=-]+`)
	password = regexp.MustCompile(`(?i)\b(password|passwd|pwd)=[^\s"'&]+`)
)

// Redactor removes secrets from texts. Even without a list of secrets, it removes the secrets in
// URLs. Create a Redactor with New.
type Redactor struct{ secrets *strings.Replacer }

// New returns a Redactor for secrets. It ignores secrets shorter than MinSecret.
func New(secrets []string) *Redactor {
	var forms []string
	for _, secret := range secrets {
		if len(secret) < MinSecret {
			continue
		}
		quoted, err := json.Marshal(secret)
		if err != nil {
			continue // strings always marshal
		}
		forms = append(forms, secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)))
	}
	// Longest first, because one secret may contain another.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, Hidden)
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Text returns a copy of text in which Hidden replaces every secret, including the secrets in URLs.
func (r *Redactor) Text(text string) string {
	text = r.secrets.Replace(text)
	text = userinfo.ReplaceAllString(text, "://"+Hidden+"@")
	text = query.ReplaceAllString(text, "${1}"+Hidden)
	text = bearer.ReplaceAllString(text, "${1} "+Hidden)
	return password.ReplaceAllString(text, "${1}="+Hidden)
}

// InURL returns the secrets in a URL: its password, escaped and unescaped, and the values of its
// query. It returns nothing for an invalid URL.
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
