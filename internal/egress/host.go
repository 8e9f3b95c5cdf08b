package egress

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// host is a name or an address in its one spelling.
type host struct {
	name string     // in lower case, without a dot at the end; an address as netip writes it
	addr netip.Addr // invalid for a name
}

// readHost reads a host as it stands in a URL, with the brackets of an IPv6
// address. It refuses whatever another reader could take for another host:
// names outside ASCII, since full-width digits turn into digits, and names
// that end in a number, since 127.1 and 0x7f000001 are addresses to many.
func readHost(s string) (host, error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if err != nil || !closed || !addr.Is6() || addr.Is4In6() || addr.Zone() != "" {
			return host{}, errors.New("expected a plain IPv6 address between the brackets, without a zone and not one of IPv4")
		}
		return host{addr.String(), addr}, nil
	}
	name := strings.ToLower(strings.TrimSuffix(s, "."))
	if addr, err := netip.ParseAddr(name); err == nil && addr.Is4() {
		return host{addr.String(), addr}, nil
	}
	return host{name: name}, checkName(name)
}

// checkName refuses what is not a name of DNS.
func checkName(name string) error {
	if name == "" || len(name) > 253 {
		return errors.New("expected a host name of 1 to 253 letters")
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return errors.New("expected a host name of letters, digits and hyphens between dots; write others in their xn-- form")
		}
	}
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return errors.New("expected a host name or an address of four decimal numbers; names that end in a number are read in several ways")
	}
	return nil
}

// readPort reads a port; the empty one is 0.
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

// defaultPort is the port of a URL that has none.
func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}
	return 443
}

// join writes h with a port, as in a URL and a Rule; 0 leaves it out.
func (h host) join(port uint16) string {
	switch {
	case port != 0:
		return net.JoinHostPort(h.name, strconv.Itoa(int(port)))
	case h.addr.Is6():
		return "[" + h.name + "]"
	}
	return h.name
}
