package egress

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// userAgent is the default User-Agent.
const userAgent = "windie"

// ours lists headers that belong to the connection or that this package sets. Values from a guest
// or a server are omitted.
var ours = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Http2-Settings",
	"Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// isOurs reports whether a header belongs to the connection. name must be in canonical form.
func isOurs(name string) bool {
	return slices.Contains(ours, name) || strings.HasPrefix(name, "Proxy-")
}

// overrides lists headers with which many servers replace the method, path or host of the request
// line. Rules check only the request line.
var overrides = []string{
	"Forwarded", "X-Host", "X-Http-Method", "X-Http-Method-Override", "X-Method-Override",
	"X-Original-Host", "X-Original-Method", "X-Original-Uri", "X-Original-Url", "X-Rewrite-Url",
}

// isOverride reports whether a header may replace a part of the request line. It treats underscores
// as hyphens, as many servers do.
func isOverride(name string) bool {
	name = http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
	return slices.Contains(overrides, name) || strings.HasPrefix(name, "X-Forwarded-")
}

// readHeader returns the part of a guest's header that is sent, with canonical names.
func readHeader(given http.Header) (http.Header, error) {
	h := http.Header{}
	for given, values := range given {
		name := http.CanonicalHeaderKey(given)
		switch {
		case !isToken(given):
			return nil, fmt.Errorf("expected header names of letters, digits and hyphens, not %.40q", given)
		case isOurs(name):
			continue
		case isOverride(name):
			return nil, fmt.Errorf("expected a request without the header %.40q: it can override the method, path or host that the grant allows", given)
		}
		for _, value := range values {
			if !isFieldValue(value) {
				return nil, fmt.Errorf("expected the header %.40q without line ends and control characters", given)
			}
			h.Add(name, value)
		}
	}
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", userAgent)
	}
	return h, nil
}

// shown returns the part of a reply's header that the guest gets: without headers of the
// connection, without secrets, and without length and encoding of a body, which is decoded.
func (v *vault) shown(received http.Header, hasBody bool) http.Header {
	h := http.Header{}
	for name, values := range received {
		if isOurs(name) && (hasBody || name != "Content-Length") || hasBody && name == "Content-Encoding" || v.holds(name) {
			continue
		}
		for _, value := range values {
			h[name] = append(h[name], v.redact(value))
		}
	}
	return h
}

// sizeOf returns the approximate size of a header in bytes.
func sizeOf(h http.Header) (n int64) {
	for name, values := range h {
		for _, value := range values {
			n += int64(len(name) + len(": \r\n") + len(value))
		}
	}
	return n
}

// isToken reports whether s is a valid method or header name.
func isToken(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return s != "" && strings.Trim(s, letters+"0123456789!#$%&'*+-.^_`|~") == ""
}

// isFieldValue reports whether s has no line end and no control character but the tab, so that it
// is safe as a header's value.
func isFieldValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
