package quota

import (
	"cmp"
	"maps"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/ratelimit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Limits are how much each caller, a user (known only to a hosted gateway) or an address, may
// ask of a gateway in a minute; 0 is no limit. Gateways on one database count each for itself.
type Limits struct {
	UserRequests         int
	UserMegapixels       int // of screens to be read; those known already cost nothing
	UserToolCalls        int
	AddressRequests      int
	AddressMegapixels    int
	AddressToolCalls     int
	AddressRegistrations int // in an hour
	UserSound            int // seconds of sound to be transcribed
	AddressSound         int // likewise
	UserOpen             int // sockets, streams and large bodies that arrive, at once
	AddressOpen          int // likewise
	AddressConnections   int // at once, but sockets
}

// Limiter are Limits in force.
type Limiter struct {
	requests, megapixels, calls, sound, registrations limit

	userOpen, addressOpen, connections *holds

	mu      sync.Mutex
	refused map[string]uint64 // by what was asked for too much
}

// limit bounds one thing that callers ask for.
type limit struct {
	what, per     string // for the refusal
	user, address *ratelimit.Limiter
}

// New returns the limits in force; nil if l is zero. They are for a window of time,
// by default a minute.
func New(l Limits, window time.Duration) *Limiter {
	if l == (Limits{}) {
		return nil
	}
	window = cmp.Or(window, time.Minute)
	minutely := func(what string, user, address int) limit {
		return limit{what, "minute", ratelimit.New(user, window), ratelimit.New(address, window)}
	}
	return &Limiter{
		requests:      minutely("requests", l.UserRequests, l.AddressRequests),
		megapixels:    minutely("megapixels of screens to read", l.UserMegapixels, l.AddressMegapixels),
		calls:         minutely("tool calls", l.UserToolCalls, l.AddressToolCalls),
		sound:         minutely("seconds of audio to transcribe", l.UserSound, l.AddressSound),
		registrations: limit{"registrations", "hour", nil, ratelimit.New(l.AddressRegistrations, time.Hour)},
		userOpen:      newHolds(l.UserOpen),
		addressOpen:   newHolds(l.AddressOpen),
		connections:   newHolds(l.AddressConnections),
		refused:       map[string]uint64{},
	}
}

// Refused returns how often something was refused, by what was asked for too much.
func (l *Limiter) Refused() map[string]uint64 {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.refused)
}

func (l *Limiter) refuse(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[what]++
}

// Quota charges its caller's limits for one request, and remembers the scarcest for
// the answer's headers. A nil one charges nothing. It may be used from several
// goroutines, and after the request: others may wait for a screen that is read for it.
type Quota struct {
	Limits  *Limiter
	address string
	User    string // empty until it is known

	mu     sync.Mutex
	scarce ratelimit.Result // of the limits that were charged, the scarcest
	held   bool             // a socket or a stream is counted
	kept   bool             // it outlives the request
	over   bool             // nothing is held any more
}

// For returns the quota of a request from an address.
func (l *Limiter) For(address string) *Quota { return &Quota{Limits: l, address: address} }

// TakeRequest charges one request to the address.
func (q *Quota) TakeRequest() error {
	if q == nil {
		return nil
	}
	return q.takeFrom(q.Limits.requests, q.Limits.requests.address, "address", q.address, 1)
}

// TakeUserRequest charges one request to user; later charges of the request go to user too.
func (q *Quota) TakeUserRequest(user string) error {
	if q == nil {
		return nil
	}
	q.User = user
	return q.takeFrom(q.Limits.requests, q.Limits.requests.user, "user", user, 1)
}

// TakeMessages charges n messages, of a socket or of a batch, as requests of the caller.
func (q *Quota) TakeMessages(n int) error {
	if q == nil || n == 0 {
		return nil
	}
	return q.take(q.Limits.requests, n)
}

// TakeRegistration charges one registration to the address.
func (q *Quota) TakeRegistration() error {
	if q == nil {
		return nil
	}
	return q.takeFrom(q.Limits.registrations, q.Limits.registrations.address, "address", q.address, 1)
}

// TakeCall charges one call of a tool.
func (q *Quota) TakeCall() error {
	if q == nil {
		return nil
	}
	return q.take(q.Limits.calls, 1)
}

// TakeSound charges a second of sound. After a refusal, which says how long to wait, the caller asks again.
func (q *Quota) TakeSound() error {
	if q == nil {
		return nil
	}
	return q.take(q.Limits.sound, 1)
}

// TakeScreen charges an image's megapixels, rounded, and at least one. What is no
// image costs nothing: it will not be read.
func (q *Quota) TakeScreen(image []byte) error {
	header, err := perception.DecodeHeader(image)
	if err != nil {
		return nil //nolint:nilerr // the reader of the image says what is wrong with it
	}
	pixels := float64(header.Width) * float64(header.Height)
	return q.take(q.Limits.megapixels, max(1, int(math.Round(pixels/1e6))))
}

// take takes n from both limits, the user's first: the user pays even if the address has
// too little. Else one user's refused requests could use up an address that many share.
func (q *Quota) take(l limit, n int) error {
	if q.User != "" {
		if err := q.takeFrom(l, l.user, "user", q.User, n); err != nil {
			return err
		}
	}
	return q.takeFrom(l, l.address, "address", q.address, n)
}

// takeFrom takes n from one of l's two limiters, whose keys are each a whose.
func (q *Quota) takeFrom(l limit, from *ratelimit.Limiter, whose, key string, n int) error {
	got := from.Take(key, n)
	q.remember(got)
	if got.OK {
		return nil
	}
	q.Limits.refuse(l.what)
	return fault.New("gateway.limit", sdkapi.RateLimited, "%s are limited to %d per %s for each %s; try again in %d s",
		l.what, got.Limit, l.per, whose, seconds(got.Retry)).After(got.Retry)
}

// remember keeps got if it is the scarcest so far. A refusal is scarcer than the rest.
func (q *Quota) remember(got ratelimit.Result) {
	q.mu.Lock()
	defer q.mu.Unlock()
	old := q.scarce
	if got.Limit > 0 && (old.Limit == 0 || !got.OK || old.OK && got.Remaining*old.Limit < old.Remaining*got.Limit) {
		q.scarce = got
	}
}

// SetHeaders adds how much the caller may still ask for, and after a refusal how long to wait.
func (q *Quota) SetHeaders(c *fiber.Ctx) {
	if q == nil {
		return
	}
	q.mu.Lock()
	scarce := q.scarce
	q.mu.Unlock()
	if scarce.Limit == 0 {
		return
	}
	c.Set("RateLimit-Limit", strconv.Itoa(scarce.Limit))
	c.Set("RateLimit-Remaining", strconv.Itoa(scarce.Remaining))
	c.Set("RateLimit-Reset", strconv.Itoa(seconds(scarce.Reset)))
	if !scarce.OK {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(max(1, seconds(scarce.Retry))))
	}
}

// seconds returns d in seconds, rounded up: a caller who waits that long has waited enough.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
