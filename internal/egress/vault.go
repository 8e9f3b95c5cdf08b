package egress

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"
)

const (
	redacted      = "[redacted]"
	minLookedFor  = 6 // bytes of a spelling; shorter ones would be found everywhere
	valuesPerName = 2 // remembered values, so that a value that is replaced during a request is still found
)

// vault gives out secrets and remembers them, to find them in replies. It is safe for concurrent
// use.
type vault struct {
	lookup func(name string) (string, bool)

	mu        sync.RWMutex
	known     map[string][]string // by name, newest value first
	spellings []spelling          // of all values, longest first
}

type spelling struct{ exact, lower string }

// open returns a secret. It looks the secret up each time, because it may change.
func (v *vault) open(name string) (string, error) {
	value, ok := v.lookup(name)
	switch {
	case !ok || value == "":
		return "", fail(NoSecret, "the secret %q is not set; ask the operator to set it", name)
	case !isFieldValue(value):
		return "", fail(NoSecret, "the secret %q has characters that a header cannot contain, such as a line end; ask the operator to set it again", name)
	}
	v.remember(name, value)
	return value, nil
}

// remember makes value the newest value of the secret name, and rebuilds the spellings if it is
// new. Only the newest valuesPerName values of a name are kept.
func (v *vault) remember(name, value string) {
	v.mu.RLock()
	values := v.known[name]
	v.mu.RUnlock()
	if len(values) > 0 && values[0] == value {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(v.known[name]), func(old string) bool { return old == value })
	v.known[name] = append([]string{value}, others[:min(len(others), valuesPerName-1)]...)
	all := map[string]bool{}
	for _, values := range v.known {
		for _, value := range values {
			spell(all, value)
		}
	}
	v.spellings = nil // a new slice, because readers may use the old one
	for s := range all {
		v.spellings = append(v.spellings, spelling{s, strings.ToLower(s)})
	}
	slices.SortFunc(v.spellings, func(a, b spelling) int {
		return cmp.Or(len(b.exact)-len(a.exact), strings.Compare(a.exact, b.exact))
	})
}

// lookedFor returns the spellings to search for, longest first. The caller must not change the slice.
func (v *vault) lookedFor() []spelling {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.spellings
}

// redact returns s with each secret that it contains replaced by "[redacted]". It is sensitive to
// case, unlike holds.
func (v *vault) redact(s string) string {
	for _, secret := range v.lookedFor() {
		s = strings.ReplaceAll(s, secret.exact, redacted)
	}
	return s
}

// redactBytes does the same as redact for a body. If b has no secret, it returns b itself.
func (v *vault) redactBytes(b []byte) []byte {
	for _, secret := range v.lookedFor() {
		if bytes.Contains(b, []byte(secret.exact)) {
			b = bytes.ReplaceAll(b, []byte(secret.exact), []byte(redacted))
		}
	}
	return b
}

// holds reports whether s has a secret in it, in any case.
func (v *vault) holds(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(v.lookedFor(), func(secret spelling) bool {
		return strings.Contains(s, secret.lower)
	})
}

// spell adds to set the forms in which a value, or the password of a "user:password", may appear in
// a reply.
func spell(set map[string]bool, value string) {
	add := func(written string) {
		if len(written) >= minLookedFor {
			set[written] = true
		}
	}
	parts := []string{value}
	if _, password, ok := strings.Cut(value, ":"); ok && len(password) >= minLookedFor {
		parts = append(parts, password)
	}
	for _, part := range parts {
		if len(part) < minLookedFor {
			continue // its base64 would be found everywhere too
		}
		add(part)
		add(html.EscapeString(part))
		for _, quoted := range []string{inJSON(part, true), inJSON(part, false)} {
			add(quoted)
			add(strings.ReplaceAll(quoted, "/", `\/`))
		}
		inHex := hex.EncodeToString([]byte(part))
		add(inHex)
		add(strings.ToUpper(inHex))
		for _, escaped := range []string{url.QueryEscape(part), url.PathEscape(part), escapeAll(part)} {
			add(escaped)
			add(lowerEscapes(escaped))
		}
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			whole := encoding.EncodeToString([]byte(part))
			add(whole)
			add(url.QueryEscape(whole))
			for shift := range 3 {
				add(within64(encoding, part, shift))
			}
		}
	}
}

// within64 returns the base64 letters that depend only on part, if part begins shift bytes after a
// base64 boundary in a longer text.
func within64(encoding *base64.Encoding, part string, shift int) string {
	whole := encoding.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), part...))
	return whole[(shift*8+5)/6 : (shift+len(part))*8/6]
}

// inJSON returns part as it appears between JSON quotes, with HTML escapes if forHTML is true.
func inJSON(part string, forHTML bool) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(forHTML)
	if err := encoder.Encode(part); err != nil {
		return part
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// escapeAll percent-encodes each byte of s, letters included, with upper-case digits.
func escapeAll(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// lowerEscapes writes the hex digits of percent-encoding in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := range b {
		if i >= 1 && b[i-1] == '%' || i >= 2 && b[i-2] == '%' {
			b[i] = bytes.ToLower(b[i : i+1])[0]
		}
	}
	return string(b)
}
