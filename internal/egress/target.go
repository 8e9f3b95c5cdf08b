package egress

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// target is the target of a request, in the canonical spelling that is compared with rules and
// sent.
type target struct {
	method string
	scheme string
	host   host
	port   uint16   // never 0
	url    *url.URL // without user and fragment
}

// readTarget parses a guest's method and URL. After an error, the target has the parts of the host
// that were understood, for the record.
func readTarget(method, rawURL string) (t target, err error) {
	if t.method, err = readMethod(method); err != nil {
		return t, err
	}
	if err := checkBytes(rawURL); err != nil {
		return t, err
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return t, errors.New("invalid URL; expected one such as https://api.example.com/v1")
	}
	t.scheme, t.host.name = u.Scheme, u.Host
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return t, errors.New("expected a URL that begins with https:// or http://")
	case u.Host == "" || u.Opaque != "":
		return t, errors.New("expected a host after the // of the URL")
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

// checkBytes refuses characters that URL parsers treat differently.
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

// canonical returns u with its host in canonical spelling, and with only the parts that are sent.
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

// asciiQuery escapes non-ASCII bytes in a query.
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

// where returns t's host, with its port if that is not the scheme's default.
func (t target) where() string {
	if t.url == nil {
		return t.host.name
	}
	return t.url.Host
}

// origin returns the origin of t, as browsers define it.
func (t target) origin() string { return t.scheme + "://" + t.url.Host }

// hint returns the narrowest Rule that allows t, as a line of JSON. It is empty for an address that
// nobody may reach, and for a path that only a rule for all paths would allow, which would be too
// wide.
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
		panic(err) // a Rule has only strings and booleans
	}
	return string(line)
}

// isPrivate reports whether an address is in a private network. It is false for the invalid address
// of a name.
func isPrivate(a netip.Addr) bool { return a.IsValid() && classOf(a) == private }

// host is a name or an address in canonical spelling.
type host struct {
	name string     // in lower case, without a final dot; an address in netip's form
	addr netip.Addr // invalid for a name
}

// readHost parses a host from a URL, with the brackets of an IPv6 address. It refuses names that
// some parsers read as another host: non-ASCII names (full-width digits become digits), and names
// that end in a number (127.1 and 0x7f000001 are addresses to many).
func readHost(s string) (host, error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if err != nil || !closed || !addr.Is6() || addr.Is4In6() || addr.Zone() != "" {
			return host{}, errors.New("expected an IPv6 address between the brackets, without a zone; write an IPv4 address without brackets")
		}
		return host{addr.String(), addr}, nil
	}
	name := lower(strings.TrimSuffix(s, "."))
	if addr, err := netip.ParseAddr(name); err == nil && addr.Is4() {
		return host{addr.String(), addr}, nil
	}
	return host{name: name}, checkName(name)
}

// checkName refuses an invalid DNS name.
func checkName(name string) error {
	if name == "" || len(name) > 253 {
		return errors.New("expected a host name of 1 to 253 characters")
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return errors.New("expected a host name of parts separated by dots, each of 1 to 63 letters a-z, digits or hyphens; write other letters in the xn-- form")
		}
	}
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return errors.New("expected a host name, or an IPv4 address of four decimal numbers; a name that ends in a number is ambiguous")
	}
	return nil
}

// readPort parses a port. An empty text returns 0.
func readPort(s string) (uint16, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return 0, errors.New("expected a port of 1 to 65535")
	}
	return uint16(n), nil
}

// defaultPort returns 80 for http, and 443 for every other scheme.
func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}
	return 443
}

// join returns h with a port, as in a URL and a Rule. Port 0 is omitted.
func (h host) join(port uint16) string {
	switch {
	case port != 0:
		return net.JoinHostPort(h.name, strconv.Itoa(int(port)))
	case h.addr.Is6():
		return "[" + h.name + "]"
	}
	return h.name
}

// segments splits a path at its slashes. The path "/" has no segments.
func segments(path string) []string {
	path = strings.Trim(path, "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// below reports whether an escaped path begins with the segments in prefix. An escaped slash does
// not end a segment.
func below(escaped string, prefix []string) bool {
	rest, more := strings.TrimPrefix(escaped, "/"), true
	for _, want := range prefix {
		if !more {
			return false
		}
		var first string
		first, rest, more = strings.Cut(rest, "/")
		if s, err := url.PathUnescape(first); err != nil || s != want {
			return false
		}
	}
	return true
}

// isPlain reports whether no server can read an escaped path as another path: because of "..",
// backslashes, doubled slashes, invalid UTF-8, or any of these escaped. A path that is escaped more
// often than maxEscapes is not plain either.
func isPlain(escaped string) bool {
	if strings.Contains(escaped, "//") {
		return false
	}
	p := escaped
	for range maxEscapes {
		if strings.Contains(p, `\`) || !utf8.ValidString(p) || hasDots(p) {
			return false
		}
		next := unescape(p)
		if next == p {
			return true
		}
		p = next
	}
	return false
}

// hasDots reports whether some server would read a segment of path as one or two dots: Java servers
// cut at a semicolon, C servers at a zero byte, and Windows ignores spaces.
func hasDots(path string) bool {
	for s := range strings.SplitSeq(path, "/") {
		if i := strings.IndexAny(s, ";\x00"); i >= 0 {
			s = s[:i]
		}
		if s = strings.TrimSpace(s); s == "." || s == ".." {
			return true
		}
	}
	return false
}

// unescape decodes valid percent-encoding and leaves the rest, as lenient servers do.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
