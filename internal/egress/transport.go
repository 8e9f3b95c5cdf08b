package egress

import (
	"net"
	"net/http"
)

// NewTransport returns what sends the gateway's own requests to where its
// operator said. It connects to public addresses, to private ones if it may,
// and to no other, and goes by no proxy. It follows no redirect, as no
// transport does; of limits only those of connections count.
func NewTransport(limits Limits, private bool) *http.Transport {
	limits = limits.withDefaults()
	d := &dialer{resolve: systemResolver, timeout: limits.ConnectTimeout, private: private, own: net.InterfaceAddrs}
	return newTransport(d, limits, nil)
}
