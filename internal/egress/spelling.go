package egress

import (
	"strings"
)

// Spelled returns a URL, or the beginning of one, with its host in the one spelling that hosts have here:
// in lower case, without a dot at its end, and without the port of https (also for oci://) or http. Only
// case is changed of a host that no slash ends, as it may go on. What has no such host stays as it is,
// also a host with letters outside ASCII: they are never taken for others.
func Spelled(url string) string {
	scheme, rest, found := strings.Cut(url, "://")
	if !found || scheme != "https" && scheme != "http" && scheme != "oci" {
		return url
	}
	authority, path, whole := strings.Cut(rest, "/")
	if !whole {
		return scheme + "://" + lower(authority)
	}
	name, port := splitPort(authority)
	h, err := readHost(name)
	if err != nil || strings.HasSuffix(authority, ":") {
		return url
	}
	n, err := readPort(port)
	if err != nil {
		return url
	}
	if n == defaultPort(scheme) {
		n = 0
	}
	return scheme + "://" + h.join(n) + "/" + path
}

// HostSpelled returns a host of a URL, with its port if it has one, in its one spelling, or an error for
// one that has none.
func HostSpelled(host string) (string, error) {
	name, port := splitPort(host)
	h, err := readHost(name)
	if err != nil {
		return "", err
	}
	n, err := readPort(port)
	return h.join(n), err
}

// splitPort cuts the port off a host, of which an IPv6 address is in brackets.
func splitPort(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i+1:]
	}
	return host, ""
}

// lower turns the capital letters of ASCII into small ones, and leaves others: some become ASCII letters.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, text)
}

// SameHost reports whether two rules are for the same hosts, with the same port.
func SameHost(a, b Rule) bool {
	x, y := grantRule{Rule: a}, grantRule{Rule: b}
	if x.readHost() != nil || y.readHost() != nil {
		return a.Host == b.Host
	}
	return x.host == y.host && x.suffix == y.suffix && x.addr == y.addr && x.otherPort() == y.otherPort()
}

// otherPort returns the port of a rule, 0 for that of its scheme.
func (g *grantRule) otherPort() uint16 {
	scheme := "https"
	switch len(g.Schemes) {
	case 0:
	case 1:
		scheme = lower(g.Schemes[0])
	default:
		return g.port
	}
	if g.port == defaultPort(scheme) {
		return 0
	}
	return g.port
}
