package gateway

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Mounted marks, among Fiber's locals, a request whose prefix was taken away.
type Mounted struct{}

// mount serves what is below the path prefix as if it were not. It is the first
// middleware: all others see the path without.
func (s *Server) mount(c *fiber.Ctx) error {
	if s.app.PathPrefix == "" || c.Locals(Mounted{}) != nil {
		return c.Next()
	}
	rest, below := strings.CutPrefix(c.Path(), s.app.PathPrefix)
	if !below || rest != "" && rest[0] != '/' {
		return c.Next()
	}
	c.Locals(Mounted{}, true)
	c.Path("/" + strings.TrimPrefix(rest, "/"))
	return c.RestartRouting()
}
