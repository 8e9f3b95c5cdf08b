package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// class is the group of requests that may reach an address.
type class int

const (
	public  class = iota // every request that matches a rule
	private              // only requests that match a rule with Private
	never                // no request
)

// neverNets are networks that no request may reach. Some do not lead to one host. Others reveal too
// much to a plugin: the metadata services of clouds return the machine's keys. An IPv6 address
// outside of global6 and privateNets has the class never too, for example a link-local or multicast
// address, or one with an embedded IPv4 address.
var neverNets = prefixes(
	"0.0.0.0/8",          // this host
	"100.100.100.200/32", // metadata: Alibaba
	"168.63.129.16/32",   // metadata: Azure
	"169.254.0.0/16",     // link-local; metadata: AWS, Azure, Google and others
	"192.0.0.0/24",       // protocols; metadata: Oracle
	"192.0.2.0/24",       // documentation
	"192.88.99.0/24",     // relays of 6to4
	"198.51.100.0/24",    // documentation
	"203.0.113.0/24",     // documentation
	"224.0.0.0/4",        // multicast
	"240.0.0.0/4",        // reserved, and broadcast
	"2001::/23",          // protocols, among them Teredo
	"2001:db8::/32",      // documentation
	"2002::/16",          // 6to4, which hides an IPv4 address
	"3fff::/20",          // documentation
	"fd00:42::42/128",    // metadata: Scaleway
	"fd00:ec2::/32",      // metadata: AWS
	"fd20:ce::254/128",   // metadata: Google
)

// privateNets are networks that only hosts inside them can reach.
var privateNets = prefixes(
	"10.0.0.0/8",
	"100.64.0.0/10", // of internet providers
	"127.0.0.0/8",
	"172.16.0.0/12",
	"192.168.0.0/16",
	"198.18.0.0/15", // benchmarks
	"::1/128",
	"fc00::/7",
	"fec0::/10", // site-local, deprecated
)

var (
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	global6 = netip.MustParsePrefix("2000::/3") // all of IPv6 that is assigned so far
)

// classOf returns the class of an address. The class is never for an unknown address, and for an
// address with a zone, because no network contains such an address.
func classOf(a netip.Addr) class {
	a = a.Unmap()
	switch {
	case !a.IsValid():
		return never
	case nat64.Contains(a):
		return max(private, classOf(embedded(a)))
	case within(neverNets, a):
		return never
	case within(privateNets, a):
		return private
	case a.Is6() && !global6.Contains(a):
		return never
	}
	return public
}

// embedded returns the IPv4 address in the last bytes of a.
func embedded(a netip.Addr) netip.Addr {
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}

// within reports whether one of the networks contains an address. It is false for an address with a zone.
func within(nets []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(a) })
}

// prefixes parses networks in CIDR form. It panics if one is invalid.
func prefixes(list ...string) []netip.Prefix {
	nets := make([]netip.Prefix, len(list))
	for i, s := range list {
		nets[i] = netip.MustParsePrefix(s)
	}
	return nets
}

type addressError struct {
	addr  netip.Addr
	class class
}

// Error returns a text that contains the resolved address. The text is for the log: the guest must
// not see it.
func (e *addressError) Error() string {
	if e.class == private {
		return fmt.Sprintf("%s is a private address", e.addr)
	}
	return fmt.Sprintf("the gateway never connects to the address %s", e.addr)
}

// IsAddressRefused reports whether a request failed because its host has a forbidden address. The
// request must use a transport from NewTransport.
func IsAddressRefused(err error) bool { return errors.As(err, new(*addressError)) }
