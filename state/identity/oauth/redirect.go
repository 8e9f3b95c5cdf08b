package oauth

import (
	"net"
	"net/url"
	"strings"
)

// maxRedirect is the maximum length of a redirect URI, in bytes.
const maxRedirect = 1024

// CheckRedirect refuses a redirect URI that a client must not register: one that is neither HTTPS nor
// HTTP on the user's own machine, or one that programs could read in two ways.
func CheckRedirect(uri string) error {
	u, ok := readURI(uri, maxRedirect)
	switch {
	case !ok:
		return Refuse(InvalidRedirect, "redirect_uri must be an absolute URL without user and fragment, of at most %d printable ASCII characters", maxRedirect)
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return Refuse(InvalidRedirect, "redirect_uri must begin with https://, or with http:// for 127.0.0.1, [::1] or localhost")
}

// readURI parses an absolute URL that is in its only spelling.
func readURI(uri string, most int) (*url.URL, bool) {
	if len(uri) > most || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\#\"<>^`{|}", r) }) {
		return nil, false
	}
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.User != nil || u.Opaque != "" || strings.Contains(u.Host, "@") || strings.HasSuffix(u.Host, ":") {
		return nil, false
	}
	return u, u.String() == uri && u.Host == strings.ToLower(u.Host)
}

// isLoopback reports whether a host is the user's own machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// matchesRedirect reports whether a request's redirect URI is the registered one. They must be equal.
// Only the port of the user's own machine may differ, because a native client listens on any free
// port (RFC 8252, section 7.3).
func matchesRedirect(registered, requested string) bool {
	if registered == requested {
		return CheckRedirect(requested) == nil
	}
	a, okA := readURI(registered, maxRedirect)
	b, okB := readURI(requested, maxRedirect)
	if !okA || !okB || a.Scheme != "http" || b.Scheme != "http" || !isLoopback(a.Hostname()) || a.Hostname() != b.Hostname() {
		return false
	}
	a.Host, b.Host = "", ""
	return a.String() == b.String()
}
