package session

import (
	"context"
	"fmt"

	"github.com/windieos/windie/agent"
)

// The calls of one answer are a row, and are made in order. The model wrote each call in the
// expectation that the previous ones succeed. So a call that fails stops calls behind it:
//
//	result of a call                            calls behind it
//	-----------------------------------------   --------------------------------
//	made, and succeeded                         continue
//	denied, or no answer in time                all consequential calls are
//	refused: the rules, the arguments, no         canceled, of the gateway and of
//	  such tool, no such target on the screen     the client, in any bundle; reads
//	made, and failed                              of the gateway continue, and so do
//	unknown                                       the client's, unless the
//	canceled                                      stopped call is the client's
//
// Nobody is asked about a canceled call, and an open question about it is withdrawn. The result of a
// canceled call names the call that stopped it.

// consequential reports whether a call of t may change something.
func (t Tool) consequential() bool { return t.Risk != agent.Safe }

// stopped reports whether a call has ended without success.
func (c *Call) stopped() bool { return c.Phase == CallEnded && (c.Outcome != Done || c.Failed) }

// stopper returns the call that stops c, nil if there is none. If a canceled call stops c, it
// returns the call that stopped that one. On the client's machine a read also depends on earlier
// calls: it would see another screen.
func (t *Turn) stopper(list []Tool, c *Call) *Call {
	tool, found := find(list, c.Name)
	if !found {
		return nil // judge refuses a call of an unknown tool
	}
	var first *Call
	for _, before := range t.Calls {
		if before == c {
			return nil
		}
		if !before.stopped() {
			continue
		}
		if first == nil {
			first = before
		}
		if of, _ := find(list, before.Name); tool.consequential() || tool.Client && of.Client {
			if before.Outcome == Canceled {
				return first
			}
			return before
		}
	}
	return nil
}

// stopRow returns the ends of calls that another call stops before they were made, and withdraws
// the questions about them.
func (w *worker) stopRow(ctx context.Context, list []Tool) ([]Event, error) {
	var events []Event
	var asked []string
	for _, c := range w.state.Turn.Calls {
		if c.Phase != CallNew && c.Phase != CallAsked && c.Phase != CallApproved {
			continue
		}
		if before := w.state.Turn.stopper(list, c); before != nil {
			events = append(events, w.ended(c, Canceled, failure(behind(before))))
			if c.Decision != "" {
				asked = append(asked, c.Decision)
			}
		}
	}
	return events, w.withdraw(ctx, asked)
}

// decisions returns the ids of the turn's pending decisions.
func (t *Turn) decisions() []string {
	var open []string
	for _, c := range t.Calls {
		if c.Decision != "" {
			open = append(open, c.Decision)
		}
	}
	return open
}

// withdraw withdraws decisions, even after ctx has ended.
func (w *worker) withdraw(ctx context.Context, decisions []string) error {
	if len(decisions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTime)
	defer cancel()
	return w.cfg.Journal.Withdraw(ctx, decisions...)
}

// behind says to the model which call has stopped another one, and why.
func behind(stopper *Call) string {
	return fmt.Sprintf("Not run: the earlier call %q of %q %s. "+
		"Check its result. Then repeat this call if it is still needed.", shorten(stopper.ID, 100), shorten(stopper.Name, 100), stopper.fate())
}

// fate says how a stopped call ended, as the predicate of a sentence about it.
func (c *Call) fate() string {
	switch {
	case c.Outcome == Denied && c.Consent == agent.UserSilent:
		return "was not approved in time"
	case c.Outcome == Denied:
		return "was denied"
	case c.Outcome == Refused && c.Consent == agent.RulesForbid:
		return "is forbidden by the rules"
	case c.Malformed:
		return "was malformed"
	case c.Outcome == Refused:
		return "was refused"
	case c.Outcome == Unknown:
		return "has an unknown result"
	case c.Outcome == Canceled:
		return "was not run"
	}
	return "failed"
}
