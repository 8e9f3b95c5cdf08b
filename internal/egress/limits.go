package egress

import (
	"cmp"
	"time"

	"github.com/windieos/windie/internal/fault"
)

// Limits are the limits of requests. If a field is zero, its default applies.
type Limits struct {
	Requests      int   // maximum requests of one Session, including redirects and refused requests; default 32
	SessionBytes  int64 // maximum number of bytes that one Session sends and receives in total; default 64 MiB
	RequestBytes  int64 // maximum size of a request body; default 1 MiB
	ResponseBytes int64 // maximum size of a response body after decompression; default 8 MiB
	HeaderBytes   int64 // maximum size of a response's header, or of a request's header and URL; default 64 KiB
	// Redirects is the number of redirects that Do follows for one request; default 5. If it is
	// negative, Do follows no redirect and the guest gets the 3xx response.
	Redirects      int
	Timeout        time.Duration // maximum duration of one request, including its redirects and bodies; default 30 s
	ConnectTimeout time.Duration // maximum time to resolve a host and to connect to it; default 10 s
	HeaderTimeout  time.Duration // maximum time from the end of the request to the header of the reply; default 15 s
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
