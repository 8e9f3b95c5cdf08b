package egress

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// target is what a request asks of whom, in the one spelling that is both
// compared with rules and sent.
type target struct {
	method string
	scheme string
	host   host
	port   uint16   // never 0
	url    *url.URL // without user and fragment
}

// readTarget reads a guest's method and URL. With an error, what was
// understood of the host is in the target for the record.
func readTarget(method, rawURL string) (t target, err error) {
	if t.method, err = readMethod(method); err != nil {
		return t, err
	}
	if err := checkBytes(rawURL); err != nil {
		return t, err
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return t, errors.New("expected a URL like https://api.example.com/v1; this one cannot be read")
	}
	t.scheme, t.host.name = u.Scheme, u.Host
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return t, errors.New("expected a URL that begins with https:// or http://")
	case u.Host == "" || u.Opaque != "":
		return t, errors.New("expected a host behind the URL's two slashes")
	case u.User != nil:
		return t, errors.New("expected a URL without a user or password; put them into a header")
	}
	if t.port, err = readPort(u.Port()); err != nil {
		return t, err
	}
	h, err := readHost(strings.TrimSuffix(u.Host, ":"+u.Port()))
	if err != nil {
		return t, err
	}
	t.host = h
	t.url = canonical(u, h, t.port)
	if t.port == 0 {
		t.port = defaultPort(t.scheme)
	}
	return t, nil
}

// checkBytes refuses what URL parsers disagree about before they do.
func checkBytes(rawURL string) error {
	before, _, _ := strings.Cut(rawURL, "?")
	for _, c := range []byte(rawURL) {
		if c <= ' ' || c == 0x7f {
			return errors.New("expected a URL without spaces and control characters")
		}
	}
	if strings.Contains(before, `\`) {
		return errors.New("expected a URL without backslashes")
	}
	return nil
}

// canonical returns u with its host in one spelling and only what is sent.
func canonical(u *url.URL, h host, port uint16) *url.URL {
	if port == defaultPort(u.Scheme) {
		port = 0
	}
	c := &url.URL{Scheme: u.Scheme, Host: h.join(port), Path: u.Path, RawPath: u.RawPath, RawQuery: asciiQuery(u.RawQuery)}
	if c.Path == "" {
		c.Path, c.RawPath = "/", ""
	}
	return c
}

// asciiQuery escapes what a query may not have as it is.
func asciiQuery(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c >= 0x80 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// where names t's host, and its port if it is not the scheme's own.
func (t target) where() string {
	if t.url == nil {
		return t.host.name
	}
	return t.url.Host
}

// origin groups the targets that share what a browser would share between them.
func (t target) origin() string { return t.scheme + "://" + t.url.Host }

// hint returns the narrowest Rule that allows t, as a line of JSON. There is
// none for an address that nobody may reach, and for a path that only a rule
// for all paths would allow: a guest must not talk an operator into that.
func (t target) hint(openPrivate bool) string {
	if t.host.addr.IsValid() && classOf(t.host.addr) == never || !isPlain(t.url.EscapedPath()) {
		return ""
	}
	r := Rule{Host: t.where(), Path: plainSegments(t.url), Private: openPrivate || isPrivate(t.host.addr)}
	if t.scheme == "http" {
		r.Schemes = []string{"http"}
	}
	if t.method != http.MethodGet && t.method != http.MethodHead {
		r.Methods = []string{t.method}
	}
	line, err := json.Marshal(r)
	if err != nil {
		panic(err) // a Rule is made of strings
	}
	return string(line)
}

func isPrivate(a netip.Addr) bool { return a.IsValid() && classOf(a) == private }
