package peer

import (
	"sync/atomic"

	"github.com/gofiber/fiber/v2"
)

// Named caches the host name of the last request, and whether this name is allowed. Most requests use
// the same host name. The zero value is ready to use. Its methods are safe for concurrent use.
type Named struct{ last atomic.Pointer[name] }

// name is a host name by which clients address the gateway.
type name struct {
	host, base string
	secure     bool
	allowed    bool
}

// of returns the cached name if c's request has the same one, otherwise nil. It ignores headers of
// proxies.
func (n *Named) of(c *fiber.Ctx) *name {
	last := n.last.Load()
	if last == nil || last.secure != c.Context().IsTLS() || last.host != string(c.Context().Host()) {
		return nil
	}
	return last
}

// Base returns the base URL of the gateway for c's client, without a slash at the end.
func (n *Named) Base(c *fiber.Ctx) string {
	if last := n.of(c); last != nil {
		return last.base
	}
	return n.learn(c, false)
}

// Allowed reports whether Allow was called for the host name of c's request, and whether all
// requests since then had the same host name.
func (n *Named) Allowed(c *fiber.Ctx) bool {
	last := n.of(c)
	return last != nil && last.allowed
}

// Allow records that the host name of c's request is allowed.
func (n *Named) Allow(c *fiber.Ctx) { n.learn(c, true) }

// learn replaces the cached name with that of c's request, and returns its base URL.
func (n *Named) learn(c *fiber.Ctx, allowed bool) (base string) {
	next := &name{host: string(c.Context().Host()), secure: c.Context().IsTLS(), allowed: allowed}
	next.base = "http://" + next.host
	if next.secure {
		next.base = "https://" + next.host
	}
	n.last.Store(next)
	return next.base
}
