package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// calls advances the calls of an answer by one step: first it judges all calls, then it awaits all
// approvals, then it runs the calls in order. Before that, it cancels calls behind a stopped call.
func (w *worker) calls(ctx context.Context) error {
	t := w.state.Turn
	list := Offered(w.cfg.Tools.View(), w.state.Settings)
	stopped, err := w.stopRow(ctx, list)
	if err != nil {
		return err
	}
	if len(stopped) > 0 {
		return w.append(ctx, stopped...)
	}
	fresh := t.in(CallNew)
	if approved, err := w.judgeAll(ctx, list, fresh); !approved {
		return err
	}
	if asked := t.in(CallAsked); len(asked) > 0 {
		return w.awaitApprovals(ctx, list, asked)
	}
	if requested := t.in(CallRequested); len(requested) > 0 {
		return w.awaitClient(ctx, requested)
	}
	return w.runNext(ctx, list, fresh)
}

// judgeAll judges calls, and reports whether all are approved. Otherwise it appends the ends of
// calls that must not be made or, if there are none, the questions. So nobody is asked about a call
// behind a refused one.
func (w *worker) judgeAll(ctx context.Context, list []Tool, calls []*Call) (approved bool, err error) {
	if len(calls) == 0 {
		return true, nil
	}
	ends, questions, err := w.judgeEach(ctx, list, calls)
	if err != nil {
		return false, err
	}
	if len(ends) > 0 {
		return false, w.append(ctx, ends...)
	}
	var asked []Event
	for _, q := range questions {
		e, err := w.askApproval(ctx, q)
		if err != nil {
			return false, err
		}
		asked = append(asked, e)
	}
	return len(asked) == 0, w.append(ctx, asked...)
}

// judgeEach returns the ends of calls that must not be made, and the questions about others. After
// an error both are empty.
func (w *worker) judgeEach(ctx context.Context, list []Tool, calls []*Call) (ends []Event, questions []question, err error) {
	policy, err := w.cfg.policy(ctx, w.state.User, w.state.Settings)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range calls {
		end, q, err := w.judge(list, policy, c)
		switch {
		case err != nil && len(ends) > 0: // another call may stop this one
			return ends, nil, nil
		case err != nil:
			return nil, nil, err
		case end != nil:
			ends = append(ends, end)
		case q != nil:
			questions = append(questions, *q)
		}
	}
	return ends, questions, nil
}

// question is a question to the user about a call.
type question struct {
	call               *Call
	digest, reason, of string
}

// judge returns the end of a call that must not be made, or a question if the user must approve it.
// If it returns neither, the call is approved. An approved call is judged again right before it is
// made, with the tools and rules of that moment.
func (w *worker) judge(list []Tool, policy Policy, c *Call) (Event, *question, error) {
	refuse := func(e ToolEnded) (Event, *question, error) { return e, nil, nil }
	tool, found := find(list, c.Name)
	written, invalid := c.Invalid()
	switch {
	case c.Name == "" && invalid:
		return refuse(w.malformed(c, "Not run: unreadable call. Write it again as a call of one of your tools. Received: "+shorten(written, 500)))
	case !found:
		return refuse(w.malformed(c, fmt.Sprintf("There is no tool %q. Call one of your tools.", c.Name)))
	case invalid:
		return refuse(w.malformed(c, "Invalid arguments: expected one JSON object. Received: "+shorten(written, 500)))
	}
	fitting, err := tool.fit(c.Arguments)
	var digest string
	if err == nil {
		digest, err = journal.Digest(c.Name, fitting)
	}
	if err != nil {
		return refuse(w.malformed(c, "Invalid arguments: "+wrong(err)))
	}
	c.Arguments = fitting
	if c.Phase == CallNew {
		switch made, most := w.state.Turn.Made[digest], w.cfg.Limits.Repeated; {
		case made >= most && w.state.Turn.Repaired == "":
			return nil, nil, &recoverable{RepeatedCalls, errRepeated}
		case made >= most:
			return nil, nil, errRepeated
		case made+w.state.Turn.equalBefore(c, digest) >= most:
			return refuse(w.ended(c, Refused, failure(fmt.Sprintf("Not run: an identical call runs at most %d times in a turn. Use the earlier results.", most))))
		}
	}
	end, q := w.rule(policy, tool, c, digest)
	return end, q, nil
}

// rule works like judge, for a call whose arguments fit the tool. The user's approval replaces a question
// about the same tool, but never a denial.
func (w *worker) rule(policy Policy, tool Tool, c *Call, digest string) (Event, *question) {
	verdict, reason, ruled := policy.judge(tool, w.state.untrusted(policy))
	if w.state.Turn.Lost[digest] && verdict == Allow {
		verdict, reason = Ask, "the same call ran before, with an unknown result"
	}
	c.Risk, c.Allowed, c.Asked = tool.Risk, ruled && verdict == Allow, ""
	switch {
	case verdict == Deny:
		c.Consent = agent.RulesForbid
		return w.ended(c, Refused, failure("Not allowed: "+reason+".")), nil
	case verdict == Ask && tool.Client && w.state.Settings.ClientAsks:
		c.Asked = reason
	case verdict == Ask && !c.userApproved():
		return nil, &question{c, digest, reason, tool.hash()}
	case verdict == Ask && c.Of != "" && c.Of != tool.hash():
		return nil, &question{c, digest, "the tool has changed since the approval", tool.hash()}
	}
	if c.Phase = CallApproved; !c.userApproved() {
		c.Consent = agent.RulesAllow // it follows from the state, so it is not stored
	}
	return nil, nil
}

// malformed returns the end of a call that the model wrote wrongly.
func (w *worker) malformed(c *Call, why string) ToolEnded {
	ended := w.ended(c, Refused, failure(why))
	ended.Malformed = true
	return ended
}

// wrong says to the model why arguments are invalid.
func wrong(err error) string {
	f := fault.From(err)
	if len(f.Details.Fields) == 0 {
		return "expected one JSON object."
	}
	var text []string
	for _, field := range f.Details.Fields {
		text = append(text, field.Path+": "+field.Message)
	}
	return strings.Join(text, "; ")
}

// Rules returns the current rules for a user and settings: the rules of the deployment, the user
// and the settings.
func (s *Sessions) Rules(ctx context.Context, user string, settings Settings) (Policy, error) {
	return s.cfg.policy(ctx, user, settings)
}

// Verdict returns the verdict on a call of a tool, and the reason. It assumes that the model has
// read no untrusted text.
func (s *Sessions) Verdict(ctx context.Context, user string, settings Settings, t Tool) (verdict Verdict, why string, err error) {
	policy, err := s.Rules(ctx, user, settings)
	if err != nil {
		return Deny, "", err
	}
	verdict, why, _ = policy.judge(t, false)
	return verdict, why, nil
}

// askApproval returns the question about a call. It opens the decision first, so that readers of
// the event can answer at once.
func (w *worker) askApproval(ctx context.Context, q question) (Event, error) {
	c := q.call
	d, err := w.open(ctx, c, Approval, q.digest)
	return ApprovalRequested{
		Turn: w.state.Turn.ID, Call: c.ID, Tool: c.Name, Arguments: c.Arguments, Decision: d.ID, Reason: q.reason, Of: q.of, Expires: d.Expires,
	}, err
}

// open opens a decision about a call. Its id is derived from the call, so that a worker that takes
// over finds it.
func (w *worker) open(ctx context.Context, c *Call, kind, digest string) (journal.Decision, error) {
	wait := w.cfg.Limits.Answer
	if kind == Approval && w.state.Settings.Unaware {
		wait = min(wait, w.cfg.Limits.Unaware)
	}
	return w.cfg.Journal.Open(ctx, journal.Decision{
		ID: w.state.Turn.decisionID(c, kind, c.Questions), Stream: w.stream, User: w.state.User, Kind: kind, Digest: digest, Request: w.requestOf(c, kind),
		Lasts: wait,
	})
}

// errStopped ends the wait for approvals: calls behind a stopped one need no approval.
var errStopped = errors.New("this call did not run, because an earlier call was stopped")

// awaitApprovals waits until all asked calls are decided, or one of them is stopped, and appends
// the decisions.
func (w *worker) awaitApprovals(ctx context.Context, list []Tool, asked []*Call) error {
	err := each(ctx, w, asked, len(asked), w.awaitDecision, func(c *Call, d journal.Decision) error {
		decided := ApprovalDecided{Turn: w.state.Turn.ID, Call: c.ID, Denied: d.Answer.Denied, Expired: d.State == journal.Expired, Reason: d.Answer.Reason}
		if !isNull(d.Answer.Value) {
			decided.Arguments = d.Answer.Value
		}
		events := []Event{decided}
		tool, _ := find(list, c.Name)
		if d.Answer.Denied {
			events = append(events, w.ended(c, Denied, failure(denial(d))))
		} else if _, err := tool.fit(decided.Arguments); len(decided.Arguments) > 0 && err != nil {
			events = append(events, w.ended(c, Refused, failure("The user changed the arguments to invalid ones: "+wrong(err))))
		}
		if err := w.append(ctx, events...); err != nil || !c.stopped() {
			return err
		}
		return errStopped
	})
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// denial says to the model why a call was not made.
func denial(d journal.Decision) string {
	switch {
	case d.State == journal.Expired && d.Answer.Reason == journal.ReasonWithdrawn:
		return "Not run: the approval request was withdrawn."
	case d.State == journal.Expired:
		return "Not run: the user did not approve it in time."
	case d.Answer.Reason != "":
		return "Not run: the user denied it and said: " + d.Answer.Reason
	}
	return "Not run: the user denied it."
}

var errRepeated = fault.New("session.judge", sdkapi.ModelError, "the gateway stopped the turn: the model repeated the same call too often")

// Question is the call that an approval is about. Lists of decisions show it, even after the end of
// the call's turn. Arguments are omitted if they are too long.
type Question struct {
	Tool      string          `json:"tool"` // ModelName of the tool
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Call      string          `json:"call"`
	Began     int64           `json:"began"` // number of the event that began the turn
}

// requestOf returns the Request of a decision about a call: a Question, or the arguments of a
// client's tool, which a worker that takes over needs.
func (w *worker) requestOf(c *Call, kind string) json.RawMessage {
	if kind != Approval {
		return c.Arguments
	}
	q := Question{Tool: c.Name, Arguments: c.Arguments, Call: c.ID, Began: w.state.Began}
	request, err := marshal(q)
	if err != nil || len(request) > journal.MaxData {
		q.Arguments = nil
		request, _ = marshal(q) // texts and a number always marshal
	}
	return request
}

// isNull reports whether a JSON value is missing or null.
func isNull(value json.RawMessage) bool {
	return len(value) == 0 || string(value) == "null"
}
