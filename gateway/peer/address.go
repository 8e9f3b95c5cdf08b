package peer

import (
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Address returns the address of the client that sent a request. Without a trusted proxy, this is the
// connection's remote address. Behind trusted proxies, it is the last address in X-Forwarded-For that is not
// trusted. Proxies append to this header, so a client can forge only the addresses before it.
func Address(c *fiber.Ctx, trusted []netip.Prefix) netip.Addr {
	address, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	address = address.Unmap()
	if !contains(trusted, address) {
		return address
	}
	var header []string
	for _, line := range c.Request().Header.PeekAll(fiber.HeaderXForwardedFor) {
		header = append(header, string(line))
	}
	return forwarded(address, strings.Join(header, ","), trusted)
}

// forwarded returns the last address in list that is not trusted. It stops early at an invalid
// entry. address is the trusted proxy that sent list.
func forwarded(address netip.Addr, list string, trusted []netip.Prefix) netip.Addr {
	for list != "" && contains(trusted, address) {
		comma := strings.LastIndexByte(list, ',')
		said, ok := parseAddress(strings.TrimSpace(list[comma+1:]))
		if !ok {
			break // the proxy does not know the address or hides it
		}
		address, list = said, list[:max(comma, 0)]
	}
	return address
}

// parseAddress parses an address as proxies write it: some append the port.
func parseAddress(s string) (netip.Addr, bool) {
	if withPort, err := netip.ParseAddrPort(s); err == nil {
		return withPort.Addr().Unmap().WithZone(""), true
	}
	address, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return address.Unmap().WithZone(""), err == nil
}

// contains reports whether one of the prefixes contains an address. An IPv4 address must not be in IPv6 form.
func contains(prefixes []netip.Prefix, address netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(address) {
			return true
		}
	}
	return false
}

// AddressKey returns the key under which limits count an address. For IPv6 the key is the /64 network,
// because a client with one address usually has all 2^64 addresses of the network.
func AddressKey(address netip.Addr) string {
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return network.String()
		}
	}
	return address.String()
}
