package gateway

import (
	"context"

	"github.com/gofiber/fiber/v2"
)

// OwnerHeader names, in tests, whose a request is, where OwnByHeader was called.
const OwnerHeader = "X-Test-Owner"

// OwnByHeader gives each request of s the owner that a header names, as
// authentication does by its token. Call it before Serve.
func OwnByHeader(s *Server) {
	own := func(c *fiber.Ctx) error {
		r := requestOf(c.UserContext())
		r.owner = c.Get(OwnerHeader)
		c.SetUserContext(context.WithValue(c.UserContext(), requestKey{}, r))
		return c.Next()
	}
	seen := map[*fiber.Route]bool{}
	for _, routes := range s.app.Stack() {
		for _, route := range routes {
			if route.Path != "/" && !seen[route] { // "/" is observe and its like, which come first
				seen[route] = true
				route.Handlers = append([]fiber.Handler{own}, route.Handlers...)
			}
		}
	}
}
