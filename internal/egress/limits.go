package egress

import (
	"cmp"
	"time"

	"github.com/windieos/windie/internal/fault"
)

// Limits bound what requests may use. Zero values take the default.
type Limits struct {
	Requests       int           // that one Session may make, redirects and refused ones included; default 32
	SessionBytes   int64         // that one Session may send and receive altogether; default 64 MiB
	RequestBytes   int64         // of a body sent; default 1 MiB
	ResponseBytes  int64         // of a body received, decompressed; default 8 MiB
	HeaderBytes    int64         // of a header, either way, a request's URL included; default 64 KiB
	Redirects      int           // followed for one request; default 5; negative: no redirects, the guest gets the 3xx
	Timeout        time.Duration // of one request, its redirects and bodies included; default 30 s
	ConnectTimeout time.Duration // of looking a host up and connecting to it; default 10 s
	HeaderTimeout  time.Duration // from the request's last byte to the reply's header; default 15 s
	IdleConns      int           // connections kept for later requests; default 8
	IdleTimeout    time.Duration // after which these are closed; default 30 s
}

// What no operator needs to change.
const (
	maxConnsPerHost = 16   // at once; requests beyond wait for their turn
	maxAddresses    = 8    // of one host that are tried
	maxDrained      = 2048 // bytes of a redirect's body read to keep its connection
	maxLoggedPath   = 512  // bytes of a path in an Attempt
	maxCause        = 512  // bytes of an Error's cause
	maxEscapes      = 5    // times that a path under a Rule.Path may be percent-encoded, less one
)

func (l Limits) withDefaults() Limits {
	return Limits{
		Requests: cmp.Or(l.Requests, 32), SessionBytes: cmp.Or(l.SessionBytes, 64<<20),
		RequestBytes: cmp.Or(l.RequestBytes, 1<<20), ResponseBytes: cmp.Or(l.ResponseBytes, 8<<20), HeaderBytes: cmp.Or(l.HeaderBytes, 64<<10),
		Redirects: cmp.Or(l.Redirects, 5), Timeout: cmp.Or(l.Timeout, 30*time.Second),
		ConnectTimeout: cmp.Or(l.ConnectTimeout, 10*time.Second), HeaderTimeout: cmp.Or(l.HeaderTimeout, 15*time.Second),
		IdleConns: cmp.Or(l.IdleConns, 8), IdleTimeout: cmp.Or(l.IdleTimeout, 30*time.Second),
	}
}

// check reports each negative limit on f.
func (l Limits) check(f *fault.Error) {
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"requests", int64(l.Requests)},
		{"session_bytes", l.SessionBytes},
		{"request_bytes", l.RequestBytes},
		{"response_bytes", l.ResponseBytes},
		{"header_bytes", l.HeaderBytes},
		{"timeout", int64(l.Timeout)},
		{"connect_timeout", int64(l.ConnectTimeout)},
		{"header_timeout", int64(l.HeaderTimeout)},
		{"idle_conns", int64(l.IdleConns)},
		{"idle_timeout", int64(l.IdleTimeout)},
	} {
		if limit.value < 0 {
			_ = f.At("limits."+limit.name, "expected no negative number")
		}
	}
}
