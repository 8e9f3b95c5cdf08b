package s3store

import (
	"net"
	"net/http"
	"time"
)

// Limits of the connections. A server that takes longer to set one up is tried
// again, within the stall limit.
const (
	dialLimit = 10 * time.Second
	tlsLimit  = 10 * time.Second
	idleLimit = time.Minute

	// askFrom is how large a body is, in bytes, that is sent only when the
	// server says to go on, or says nothing for askLimit. A server that
	// refuses a request and closes the connection while the body is still
	// coming is hard to understand: net/http fails on the body first.
	askFrom  = 1 << 20
	askLimit = time.Second
)

// transport speaks HTTP with the server. It has no limit on the wait for an
// answer, because minio-go would take the timeout as a reason to try again.
// The watch has one.
type transport struct{ *http.Transport }

func newTransport() *transport {
	dialer := &net.Dialer{Timeout: dialLimit, KeepAlive: 30 * time.Second}
	return &transport{&http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   tlsLimit,
		ExpectContinueTimeout: askLimit,
		IdleConnTimeout:       idleLimit,
		MaxIdleConnsPerHost:   16,
		DisableCompression:    true, // an object stored as gzip is to arrive as gzip
	}}
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.ContentLength >= askFrom {
		req = req.Clone(req.Context()) // the request is not ours to change
		req.Header.Set("Expect", "100-continue")
	}
	return t.Transport.RoundTrip(req)
}
