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

// Limits are the maximum usage per minute for each caller, unless a field says otherwise. 0 means no
// limit. A caller is a user or an address; only a hosted gateway knows users. Each gateway counts
// separately, even if several gateways share a database.
type Limits struct {
	UserRequests         int
	UserMegapixels       int // megapixels of the screens to read; cached screens are free
	UserToolCalls        int
	AddressRequests      int
	AddressMegapixels    int
	AddressToolCalls     int
	AddressRegistrations int // registrations per hour
	UserSound            int // seconds of sound to transcribe
	AddressSound         int // seconds of sound to transcribe
	UserOpen             int // sockets, streams and large request bodies that are open at the same time
	AddressOpen          int // sockets, streams and large request bodies that are open at the same time
	AddressConnections   int // connections that are open at the same time; WebSockets do not count
}

// Limiter enforces Limits.
type Limiter struct {
	requests, megapixels, calls, sound, registrations limit

	userOpen, addressOpen, connections *holds

	mu      sync.Mutex
	refused map[string]uint64 // number of refusals, by the name of the limit
}

// limit is the limit of one kind of use.
type limit struct {
	what, per     string // for the error message
	user, address *ratelimit.Limiter
}

// New returns a Limiter for l, or nil if l is zero. The limits count the uses within window,
// default 1 min. Registrations are counted per hour, independent of window.
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

// Refused returns the number of refusals by each limit. The keys are the names of the limits. It
// returns nil for a nil Limiter.
func (l *Limiter) Refused() map[string]uint64 {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.refused)
}

// refuse counts a refusal by the limit with a name, for Refused.
func (l *Limiter) refuse(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[what]++
}

// Quota charges one request to its caller's limits. For the response headers, it remembers the
// charged limit that is closest to being used up. A nil *Quota charges nothing. A Quota is safe for
// concurrent use, and may be used after the request has ended.
type Quota struct {
	Limits  *Limiter
	address string
	User    string // id of the user who sent the request; empty until the user is known

	mu     sync.Mutex
	scarce ratelimit.Result // the result of the charged limit with the least left
	held   bool             // a socket or a stream is counted
	kept   bool             // Keep was called
	over   bool             // everything is released
}

// For returns a Quota for one request from a client address. User is empty at first.
func (l *Limiter) For(address string) *Quota { return &Quota{Limits: l, address: address} }

// TakeRequest charges one request to the address. Like all Take methods, it fails with RATE_LIMITED
// at the limit.
func (q *Quota) TakeRequest() error {
	if q == nil {
		return nil
	}
	return q.takeFrom(q.Limits.requests, q.Limits.requests.address, "address", q.address, 1)
}

// TakeUserRequest charges one request to user. Later charges of this request go to user too.
func (q *Quota) TakeUserRequest(user string) error {
	if q == nil {
		return nil
	}
	q.User = user
	return q.takeFrom(q.Limits.requests, q.Limits.requests.user, "user", user, 1)
}

// TakeMessages charges n messages of a socket or a batch. Each message counts as a request of the
// caller.
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

// TakeCall charges one tool call.
func (q *Quota) TakeCall() error {
	if q == nil {
		return nil
	}
	return q.take(q.Limits.calls, 1)
}

// TakeSound charges seconds of sound. Sound longer than the limit takes the whole limit. The
// RATE_LIMITED error contains the time until the next try can succeed.
func (q *Quota) TakeSound(seconds int) error {
	if q == nil {
		return nil
	}
	return q.take(q.Limits.sound, seconds)
}

// TakeScreen charges the megapixels of an image, rounded, but at least one. Data that is not an
// image is free, because it will not be read.
func (q *Quota) TakeScreen(image []byte) error {
	if q == nil {
		return nil
	}
	header, err := perception.DecodeHeader(image)
	if err != nil {
		return nil //nolint:nilerr // the image's reader reports the error
	}
	pixels := float64(header.Width) * float64(header.Height)
	return q.take(q.Limits.megapixels, max(1, int(math.Round(pixels/1e6))))
}

// take charges n to both limits, the user's first. The user pays even if the address has too little
// left. Otherwise one user's refused requests could use up an address that many share.
func (q *Quota) take(l limit, n int) error {
	if q.User != "" {
		if err := q.takeFrom(l, l.user, "user", q.User, n); err != nil {
			return err
		}
	}
	return q.takeFrom(l, l.address, "address", q.address, n)
}

// takeFrom charges n to a key of one limiter of l. whose is the kind of the key, for the error: "user"
// or "address".
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

// remember stores got if it has the smallest fraction left so far. A refusal counts as less than
// any other result.
func (q *Quota) remember(got ratelimit.Result) {
	q.mu.Lock()
	defer q.mu.Unlock()
	old := q.scarce
	if got.Limit > 0 && (old.Limit == 0 || !got.OK || old.OK && got.Remaining*old.Limit < old.Remaining*got.Limit) {
		q.scarce = got
	}
}

// SetHeaders adds the RateLimit headers for the charged limit that is closest to being used up. If
// this limit refused the request, SetHeaders also adds Retry-After.
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

// seconds returns d in seconds, rounded up, so that a caller who waits that long has waited long
// enough.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
