package session

import (
	"context"
	"fmt"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// turnsPer is the time of Config.UserTurns.
const turnsPer = time.Minute

// admit charges a user for a turn that is about to begin or to wait. All protocols
// begin turns here, so it holds for all of them.
func (s *Sessions) admit(ctx context.Context, user string) error {
	if err := s.cfg.Budget(ctx, user); err != nil {
		return err
	}
	got := s.turns.Take(user, 1)
	if got.OK {
		return nil
	}
	f := fault.New("session.admit", sdkapi.RateLimited, "").After(got.Retry)
	f.Message = fmt.Sprintf("turns are limited to %d a minute for each user; ask again in %d s", got.Limit, f.Details.RetryAfter)
	return f
}
