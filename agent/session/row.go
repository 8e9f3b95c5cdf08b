package session

import (
	"context"
	"fmt"

	"github.com/windieos/windie/agent"
)

// The calls of one answer are a row, made in its order: the model wrote each of
// them for a world in which those before it went well. So a call that does not
// stops what follows it:
//
//	what became of a call                       what is behind it
//	-----------------------------------------   --------------------------------
//	it was made, and did what it should         goes on
//	denied, or nobody answered in time          every consequential call is
//	refused: the rules, the arguments, no         canceled, whoever runs it and
//	  such tool, no such thing on the screen      in whatever bundle; reads of
//	made, and failed                              the gateway's go on, and so do
//	nobody knows what came of it                  the client's, unless the
//	canceled                                      stopped call is the client's
//
// Nobody is asked about a call that is canceled for that, and who was asked
// already is asked no longer. The model is told which call stopped it.

// consequential reports whether a call of t may change something.
func (t Tool) consequential() bool { return t.Risk != agent.Safe }

// stopped reports whether a call has ended without having done what it should.
func (c *Call) stopped() bool { return c.Phase == CallEnded && (c.Outcome != Done || c.Failed) }

// stopper returns the call of the row that c may not be made behind, nil for
// none. Of one that was itself canceled, it is the one that stopped that. On the
// client's machine also a read depends on what stands before it there: it would
// look at another screen than it is meant for.
func (t *Turn) stopper(list []Tool, c *Call) *Call {
	tool, found := find(list, c.Name)
	if !found {
		return nil // it is refused by itself
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

// stopRow ends the calls that stand behind one that stops them and have not left
// yet, and returns their ends. The questions about them are withdrawn first: who
// answers one finds that nobody waits.
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

// decisions returns the ids of all that the turn waits for.
func (t *Turn) decisions() []string {
	var open []string
	for _, c := range t.Calls {
		if c.Decision != "" {
			open = append(open, c.Decision)
		}
	}
	return open
}

// withdraw ends decisions that nobody waits for any longer. It does so also when
// the turn is being ended.
func (w *worker) withdraw(ctx context.Context, decisions []string) error {
	if len(decisions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTime)
	defer cancel()
	return w.cfg.Journal.Withdraw(ctx, decisions...)
}

// behind tells the model which call stopped the one that it is told of, and why.
func behind(stopper *Call) string {
	return fmt.Sprintf("This call was not made: it follows the call %q of %q in the same answer, which %s. "+
		"Look at what came of that one, and call again what is still to be done.", shorten(stopper.ID, 100), shorten(stopper.Name, 100), stopper.fate())
}

// fate says how a call that was stopped ended, in words that go behind "which".
func (c *Call) fate() string {
	switch {
	case c.Outcome == Denied && c.Consent == agent.UserSilent:
		return "nobody approved in time"
	case c.Outcome == Denied:
		return "was denied"
	case c.Outcome == Refused && c.Consent == agent.RulesForbid:
		return "the rules do not allow"
	case c.Malformed:
		return "could not be made as it was written"
	case c.Outcome == Refused:
		return "could not be made"
	case c.Outcome == Unknown:
		return "may have been made or not: nobody knows"
	case c.Outcome == Canceled:
		return "was not made"
	}
	return "failed"
}
