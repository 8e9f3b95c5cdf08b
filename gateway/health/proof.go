package health

import (
	"net"
	"regexp"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/sdkapi"
)

var challengePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

// prove adds to a response of /health the proof for the request's challenge. The proof shows that
// this gateway has the approval key. Without a key or a valid challenge it adds nothing.
func (s *door) prove(c *fiber.Ctx) error {
	challenge := c.Get(sdkapi.ChallengeHeader)
	at, ok := c.Context().LocalAddr().(*net.TCPAddr)
	if key := s.approvalKey; ok && key != "" && challengePattern.MatchString(challenge) {
		c.Set(sdkapi.ProofHeader, sdkapi.Proof(key, challenge, at.Port))
	}
	return c.Next()
}
