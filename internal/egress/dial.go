package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// Resolver returns the addresses of a host, the best address first. It must return when ctx ends,
// and must be safe for concurrent use.
type Resolver func(ctx context.Context, host string) ([]netip.Addr, error)

// systemResolver returns the IPv4 and IPv6 addresses that the system finds for a host.
func systemResolver(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// dialer connects to hosts. It checks an address when the system connects to it, so that the
// address cannot change between check and connection.
type dialer struct {
	resolve Resolver
	timeout time.Duration // limit of a whole DialContext
	private bool          // whether private addresses are allowed
	own     func() ([]net.Addr, error)
}

// DialContext connects to the first address of a host that is allowed and responds. If it cannot
// connect and one address was refused, the error is about the refused address.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	addrs, port, err := d.lookup(ctx, address)
	if err != nil {
		return nil, err
	}
	var refused *addressError
	for i, addr := range addrs {
		var conn net.Conn
		conn, err = d.dialOne(ctx, network, netip.AddrPortFrom(addr, port), len(addrs)-i)
		if err == nil {
			return conn, nil
		}
		errors.As(err, &refused)
	}
	if refused != nil {
		return nil, refused
	}
	return nil, err
}

// lookup returns the addresses and the port of "host:port". It returns at most maxAddresses
// addresses, and an error if there are none.
func (d *dialer) lookup(ctx context.Context, address string) ([]netip.Addr, uint16, error) {
	name, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, 0, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, 0, err
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{addr}, uint16(port), nil
	}
	addrs, err := d.resolve(ctx, name)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no address", Name: name, IsNotFound: true}
	}
	return addrs[:min(len(addrs), maxAddresses)], uint16(port), err
}

// dialOne connects to one of the remaining addresses. left is their number; each gets an equal
// share of the time.
func (d *dialer) dialOne(ctx context.Context, network string, address netip.AddrPort, left int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	return d.net().DialContext(ctx, network, address.String())
}

// net returns a dialer that checks each address.
func (d *dialer) net() *net.Dialer {
	return &net.Dialer{ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		return d.check(address)
	}}
}

// check refuses an address, with a port, that the system is about to connect to.
func (d *dialer) check(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &addressError{class: never}
	}
	c := classOf(at.Addr())
	if c == public && d.isOwn(at.Addr()) {
		c = private
	}
	if c == public || c == private && d.private {
		return nil
	}
	return &addressError{at.Addr(), c}
}

// isOwn reports whether a is an address of this machine. Services there may trust local clients.
func (d *dialer) isOwn(a netip.Addr) bool {
	addrs, err := d.own()
	if err != nil {
		return canListenAt(a) // a sandbox may forbid listing them
	}
	for _, own := range addrs {
		if p, err := netip.ParsePrefix(own.String()); err == nil && p.Addr().Unmap() == a.Unmap() {
			return true
		}
	}
	return false
}

// canListenAt reports whether this process can listen at an address, which is possible only for the
// machine's own. If the system's answer is unclear, it returns true.
func canListenAt(a netip.Addr) bool {
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(a, 0)))
	if err == nil {
		_ = conn.Close() // nothing was received
	}
	return !errors.Is(err, syscall.EADDRNOTAVAIL)
}

// newTransport returns a transport that uses d. It has its own connections: a connection for a rule
// with Private must not be used for a rule without it.
func newTransport(d *dialer, limits Limits, roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		// No proxy, not even from the environment: it would connect without our check.
		Proxy:                  nil,
		DialContext:            d.DialContext,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    limits.ConnectTimeout,
		ResponseHeaderTimeout:  limits.HeaderTimeout,
		MaxResponseHeaderBytes: limits.HeaderBytes,
		MaxConnsPerHost:        maxConnsPerHost,
		MaxIdleConns:           limits.IdleConns,
		MaxIdleConnsPerHost:    limits.IdleConns,
		IdleConnTimeout:        limits.IdleTimeout,
		DisableCompression:     true, // readBody decompresses, and counts the bytes
	}
}

// NewTransport returns the transport for the gateway's own requests to hosts that its operator
// configured. It connects to public addresses, and to private addresses if private is true. It uses
// no proxy. It applies only those fields of limits that are about connections.
func NewTransport(limits Limits, private bool) *http.Transport {
	limits = limits.withDefaults()
	d := &dialer{resolve: systemResolver, timeout: limits.ConnectTimeout, private: private, own: net.InterfaceAddrs}
	return newTransport(d, limits, nil)
}
