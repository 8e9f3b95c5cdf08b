package gateway

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// mounted marks, among Fiber's locals, a request whose prefix was taken away.
type mounted struct{}

// mount serves what is below the path prefix as if it were not. It is the first
// middleware: all others see the path without.
func (s *Server) mount(c *fiber.Ctx) error {
	if s.cfg.PathPrefix == "" || c.Locals(mounted{}) != nil {
		return c.Next()
	}
	rest, below := strings.CutPrefix(c.Path(), s.cfg.PathPrefix)
	if !below || rest != "" && rest[0] != '/' {
		return c.Next()
	}
	c.Locals(mounted{}, true)
	c.Path("/" + strings.TrimPrefix(rest, "/"))
	return c.RestartRouting()
}
