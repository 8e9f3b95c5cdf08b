package approvals

import (
	"context"
	"time"

	"github.com/windieos/windie/state/journal"
)

// withdrawTime is the maximum time to withdraw a question whose caller has left.
const withdrawTime = 5 * time.Second

// Wait asks a user about an action of a running call, waits for the answer, and reports whether the
// user approved. When ctx ends, Wait withdraws the question. Several callers may share one
// question. If another caller withdraws the question or uses the approval, Wait asks the user
// again.
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

// await waits for the answer to a question. When ctx ends, it withdraws the question.
func (a Approvals) await(ctx context.Context, id string) (journal.Decision, error) {
	d, err := a.Log.Await(ctx, id)
	if err != nil {
		gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
		defer cancel()
		_ = a.Log.Withdraw(gone, id) // otherwise it expires
	}
	return d, err
}
