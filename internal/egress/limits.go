package egress

import (
	"cmp"
	"time"

	"github.com/windieos/windie/internal/fault"
)

// Limits are the limits of requests. A zero field means its default.
type Limits struct {
	Requests       int           // of one Session, redirects and refused ones included; default 32
	SessionBytes   int64         // sent and received by one Session in total; default 64 MiB
	RequestBytes   int64         // of a request body; default 1 MiB
	ResponseBytes  int64         // of a response body, decompressed; default 8 MiB
	HeaderBytes    int64         // of a header in either direction, a request's URL included; default 64 KiB
	Redirects      int           // followed for one request; default 5; negative: none, the guest gets the 3xx
	Timeout        time.Duration // of one request, its redirects and bodies included; default 30 s
	ConnectTimeout time.Duration // of resolving a host and connecting to it; default 10 s
	HeaderTimeout  time.Duration // from the end of the request to the reply's header; default 15 s
	IdleConns      int           // idle connections for later requests; default 8
	IdleTimeout    time.Duration // time after which an idle connection is closed; default 30 s
}

// Limits that no operator needs to change.
const (
	maxConnsPerHost = 16   // further requests wait
	maxAddresses    = 8    // addresses of one host that are tried
	maxDrained      = 2048 // bytes of a redirect's body that are read to keep its connection
	maxLoggedPath   = 512  // bytes of a path in an Attempt
	maxCause        = 512  // bytes of an Error's cause
	maxEscapes      = 5    // number of times that a path under a Rule.Path may be percent-encoded, plus one
)

// withDefaults returns the limits with the default in each field that is zero.
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
			_ = f.At("limits."+limit.name, "expected 0 or more")
		}
	}
}
