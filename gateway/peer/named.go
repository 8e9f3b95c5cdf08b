package peer

import (
	"sync/atomic"

	"github.com/gofiber/fiber/v2"
)

// Named remembers by which name the last request addressed the gateway: most address it by the same one.
// Its zero value is ready, and its methods may be called from several goroutines at once.
type Named struct{ last atomic.Pointer[name] }

// name is one by which the gateway is addressed.
type name struct {
	host, base string
	secure     bool
	allowed    bool
}

// of returns the name that c's request has, if it is the last one; else nil. What a proxy says of it does not count.
func (n *Named) of(c *fiber.Ctx) *name {
	last := n.last.Load()
	if last == nil || last.secure != c.Context().IsTLS() || last.host != string(c.Context().Host()) {
		return nil
	}
	return last
}

// Base returns the start of URLs on the gateway as c's client would write them.
func (n *Named) Base(c *fiber.Ctx) string {
	if last := n.of(c); last != nil {
		return last.base
	}
	return n.learn(c, false)
}

// Allowed reports whether Allow was called for the name of c's request, and no request has had another one since.
func (n *Named) Allowed(c *fiber.Ctx) bool {
	last := n.of(c)
	return last != nil && last.allowed
}

// Allow notes that requests may have the name of c's.
func (n *Named) Allow(c *fiber.Ctx) { n.learn(c, true) }

func (n *Named) learn(c *fiber.Ctx, allowed bool) (base string) {
	next := &name{host: string(c.Context().Host()), secure: c.Context().IsTLS(), allowed: allowed}
	next.base = "http://" + next.host
	if next.secure {
		next.base = "https://" + next.host
	}
	n.last.Store(next)
	return next.base
}
