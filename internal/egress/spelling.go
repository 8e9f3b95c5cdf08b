package egress

import (
	"strings"
)

// Spelled returns a URL, or the start of a URL, with its host in canonical spelling: in lower case,
// without a final dot, and without the default port of the scheme. The schemes are https, http and
// oci. If no slash follows the host, the host may be incomplete, and Spelled changes only its case.
// Any other text is returned unchanged. A host with non-ASCII letters is unchanged too, because no
// rule matches such a host.
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

// HostSpelled returns the canonical spelling of a host, which may have a port. It returns an error
// for an invalid host.
func HostSpelled(host string) (string, error) {
	name, port := splitPort(host)
	h, err := readHost(name)
	if err != nil {
		return "", err
	}
	n, err := readPort(port)
	return h.join(n), err
}

// splitPort splits a host from its port. IPv6 addresses are in brackets.
func splitPort(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i+1:]
	}
	return host, ""
}

// lower converts ASCII capitals to lower case. It leaves other letters, because some of them have
// ASCII lower-case forms.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, text)
}

// SameHost reports whether two rules are for the same hosts and the same port.
func SameHost(a, b Rule) bool {
	x, y := grantRule{Rule: a}, grantRule{Rule: b}
	if x.readHost() != nil || y.readHost() != nil {
		return a.Host == b.Host
	}
	return x.host == y.host && x.suffix == y.suffix && x.addr == y.addr && x.otherPort() == y.otherPort()
}

// otherPort returns the port of a rule, 0 for its scheme's default.
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
