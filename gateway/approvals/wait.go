package approvals

import (
	"context"
	"time"

	"github.com/windieos/windie/state/journal"
)

// withdrawTime bounds how long a question is withdrawn that nobody waits for any longer.
const withdrawTime = 5 * time.Second

// Wait asks a user about what a call does while it is made, and waits for the answer: such a call can wait, and is not made
// again. It reports whether the user said yes. When ctx ends, the question is withdrawn; another caller who waited for the
// same, and one whose approval another used, asks anew.
func (a Approvals) Wait(ctx context.Context, user string, call Asked) (bool, error) {
	for {
		d, err := a.Ask(ctx, user, call)
		if err == nil && d.State == journal.Pending {
			d, err = a.await(ctx, d.ID)
		}
		switch {
		case err != nil:
			return false, err
		case d.State == journal.Expired && d.Answer.Reason == journal.ReasonWithdrawn:
			continue
		case d.State != journal.Decided || d.Answer.Denied:
			return false, nil
		}
		if first, err := a.Use(ctx, d); first || err != nil {
			return first, err
		}
	}
}

// await waits for the answer to a question, and withdraws it when ctx ends.
func (a Approvals) await(ctx context.Context, id string) (journal.Decision, error) {
	d, err := a.Log.Await(ctx, id)
	if err != nil {
		gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
		defer cancel()
		_ = a.Log.Withdraw(gone, id) // it expires besides
	}
	return d, err
}
