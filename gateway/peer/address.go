package peer

import (
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Address returns where c's request comes from: the connection's other end or,
// behind trusted proxies, the last address in X-Forwarded-For that is not
// trusted: proxies add to its end, and anyone may have written what is before.
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

// forwarded returns whom the trusted proxy at address says in list.
func forwarded(address netip.Addr, list string, trusted []netip.Prefix) netip.Addr {
	for list != "" && contains(trusted, address) {
		comma := strings.LastIndexByte(list, ',')
		said, ok := parseAddress(strings.TrimSpace(list[comma+1:]))
		if !ok {
			break // the proxy does not know, or hides it
		}
		address, list = said, list[:max(comma, 0)]
	}
	return address
}

// parseAddress reads an address as proxies write it: some add the port.
func parseAddress(s string) (netip.Addr, bool) {
	if withPort, err := netip.ParseAddrPort(s); err == nil {
		return withPort.Addr().Unmap().WithZone(""), true
	}
	address, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return address.Unmap().WithZone(""), err == nil
}

func contains(prefixes []netip.Prefix, address netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(address) {
			return true
		}
	}
	return false
}

// AddressKey is what limits know an address by. Of IPv6 it is the network: whoever
// has one address there has all 2^64.
func AddressKey(address netip.Addr) string {
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return network.String()
		}
	}
	return address.String()
}
