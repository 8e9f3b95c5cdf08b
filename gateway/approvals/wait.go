package approvals

import (
	"context"
	"time"

	"github.com/windieos/windie/journal"
)

// withdrawTime bounds how long a question is withdrawn that nobody waits for any longer.
const withdrawTime = 5 * time.Second

// Wait asks a user about what a call does while it is made, and waits for the answer: such a call can wait, and is not made
// again. It reports whether the user said yes. When ctx ends, the question is withdrawn.
func (a Approvals) Wait(ctx context.Context, user string, call Asked) (bool, error) {
	d, err := a.Ask(ctx, user, call)
	if err != nil {
		return false, err
	}
	if id := d.ID; d.State == journal.Pending {
		if d, err = a.Log.Await(ctx, id); err != nil {
			gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
			defer cancel()
			_ = a.Log.Withdraw(gone, id) // it expires besides
			return false, err
		}
	}
	if d.State != journal.Decided || d.Answer.Denied {
		return false, nil
	}
	return a.Use(ctx, d)
}
