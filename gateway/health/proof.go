package health

import (
	"net"
	"regexp"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/sdkapi"
)

var challengePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

// prove answers a challenge beside the health, where the gateway has a key.
func (s *door) prove(c *fiber.Ctx) error {
	challenge := c.Get(sdkapi.ChallengeHeader)
	at, ok := c.Context().LocalAddr().(*net.TCPAddr)
	if key := s.approvalKey; ok && key != "" && challengePattern.MatchString(challenge) {
		c.Set(sdkapi.ProofHeader, sdkapi.Proof(key, challenge, at.Port))
	}
	return c.Next()
}
