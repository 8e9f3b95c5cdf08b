package egress

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// userAgent is sent when the guest names no other.
const userAgent = "windie"

// ours lists the headers that belong to the connection or that we set. What a
// guest, or a server, says there is left out.
var ours = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Http2-Settings",
	"Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

func isOurs(name string) bool {
	return slices.Contains(ours, name) || strings.HasPrefix(name, "Proxy-")
}

// overrides lists the headers by which many servers take another method, path
// or host than the request line's, which alone the rules have seen.
var overrides = []string{
	"Forwarded", "X-Host", "X-Http-Method", "X-Http-Method-Override", "X-Method-Override",
	"X-Original-Host", "X-Original-Method", "X-Original-Uri", "X-Original-Url", "X-Rewrite-Url",
}

func isOverride(name string) bool {
	name = http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
	return slices.Contains(overrides, name) || strings.HasPrefix(name, "X-Forwarded-")
}

// readHeader returns what is sent of a guest's header, with names in their one spelling.
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
			return nil, fmt.Errorf("expected no header %.40q, which can stand for another method, path or host than the grant names", given)
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

// shown returns what a guest sees of a reply's header: nothing of the connection, no secrets, and
// not the length and encoding of a body, which is decoded.
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

// sizeOf returns the bytes that a header has on the way, about.
func sizeOf(h http.Header) (n int64) {
	for name, values := range h {
		for _, value := range values {
			n += int64(len(name) + len(": \r\n") + len(value))
		}
	}
	return n
}

// isToken reports whether s may be a method or the name of a header.
func isToken(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return s != "" && strings.Trim(s, letters+"0123456789!#$%&'*+-.^_`|~") == ""
}

func isFieldValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
