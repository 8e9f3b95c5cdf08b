package gateway

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Mounted is a key in the locals of a Fiber request. It is set if the mount middleware has
// removed App.PathPrefix from the request's path.
type Mounted struct{}

// mount removes App.PathPrefix from the request's path. It is the first middleware, so all
// others see the path without the prefix.
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
