package approvals

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sort"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Approvals asks users to approve tool calls outside of conversations, for example over MCP. The
// caller does not wait for the user's answer: it repeats the call later, and Ask then returns the
// same question with the answer. An approval is valid for one call of the tool, with the same
// arguments and the same definition of the tool. Use marks the approval as used.
type Approvals struct{ Log journal.Decisions }

// Limits of questions.
const (
	maxAsked  = 100  // pending questions per user
	maxRounds = 1000 // questions about the same call in one window
	// How long an answer is valid. An approval is valid only for a short time, and a denied call
	// must not ask again at once.
	approvalHolds = journal.DefaultExpiry
	// Length of a window. Ask searches two earlier windows, the current window, and the next one.
	askWindow   = journal.DefaultExpiry
	approvalUse = "use" // kind of the decision that marks an approval as used
)

// Asked describes the tool call that a user is asked to approve. It is stored with the question.
type Asked struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Why       string          `json:"why"` // why the user is asked
	// Of is the agent.Descriptor.Hash of the tool. It is empty if the tool's definition cannot
	// change.
	Of string `json:"of,omitempty"`
}

// Stream returns the name of the journal stream that has the questions for a user.
func Stream(user string) string { return "decisions/" + user }

// Ask asks a user to approve a call, and returns the question. If an earlier question about this call is pending or has
// a valid answer, Ask returns the earlier question. An approval that Ask returns is not used yet. Ask fails with
// RATE_LIMITED if there are too many questions about the call, or too many pending questions for the user.
func (a Approvals) Ask(ctx context.Context, user string, call Asked) (journal.Decision, error) {
	digest, err := journal.Digest(call.Tool+call.Of, call.Arguments)
	if err != nil {
		return journal.Decision{}, fault.New("gateway.approvals", sdkapi.ValidationError, "the arguments cannot be shown for approval: they must be valid UTF-8, and each field may occur only once").
			At("arguments", "expected valid UTF-8, and each field once").Because(err)
	}
	now, next := time.Now().UnixMicro()/askWindow.Microseconds(), 0
	for window := now - 2; window <= now+1; window++ { // +1 for a gateway whose clock is ahead
		d, asked, err := a.newest(ctx, user, digest, window)
		if err != nil {
			return d, err
		}
		if window == now {
			next = asked
		}
		if asked == 0 {
			continue
		}
		if counts, err := a.counts(ctx, d); counts || err != nil {
			return d, err
		}
	}
	if next == maxRounds {
		return journal.Decision{}, fault.New("gateway.approvals", sdkapi.RateLimited, "this call has asked for approval %d times within %v, which is the maximum; wait, or add a rule that allows the call", maxRounds, askWindow).After(askWindow)
	}
	return a.open(ctx, approvalID(user, digest, now, next), user, digest, call)
}

// newest returns the newest question about a call in a window, and the number of questions there.
// Only the newest can be valid, since a new one is opened only if the last one is not.
func (a Approvals) newest(ctx context.Context, user, digest string, window int64) (d journal.Decision, asked int, err error) {
	missing := func(round int) bool {
		if err != nil {
			return true
		}
		found, failed := a.Log.Decision(ctx, approvalID(user, digest, window, round))
		if failed == nil {
			d = found
			return false
		}
		if fault.CodeOf(failed) != sdkapi.DecisionNotFound {
			err = failed
		}
		return true
	}
	if !missing(0) { // the usual case
		asked = 1 + sort.Search(maxRounds-1, func(i int) bool { return missing(i + 1) })
	}
	return d, asked, err
}

// counts reports whether a question is pending or has a valid answer. A used approval is not valid.
func (a Approvals) counts(ctx context.Context, d journal.Decision) (bool, error) {
	switch {
	case d.State == journal.Pending:
		return true, nil
	case d.State != journal.Decided || time.Since(d.Ended) >= approvalHolds:
		return false, nil
	case d.Answer.Denied:
		return true, nil
	}
	used, err := a.used(ctx, d)
	return !used, err
}

// approvalID returns the id of a question. The id reveals nothing about the call. It derives from
// the call, the time window, and the number of earlier questions about the call in this window. So
// a repeated or concurrent call finds the same question. A repeated call can fall into a later
// window, so Ask also searches neighboring windows.
func approvalID(user, digest string, window int64, round int) string {
	raw, err := json.Marshal([]any{user, digest, window, round})
	if err != nil {
		panic(err) // unreachable: two texts and two numbers always encode
	}
	id, err := journal.Digest(session.Approval, raw)
	if err != nil {
		panic(err) // unreachable: raw is valid JSON
	}
	return session.Approval + "_" + id[:32]
}

// open stores a new question.
func (a Approvals) open(ctx context.Context, id, user, digest string, call Asked) (journal.Decision, error) {
	waiting, err := a.Log.Pending(ctx, Stream(user))
	if err != nil {
		return journal.Decision{}, err
	}
	if len(waiting) >= maxAsked {
		return journal.Decision{}, fault.New("gateway.approvals", sdkapi.RateLimited, "%d calls are already waiting for approval, which is the maximum; approve or deny some first", len(waiting))
	}
	if len(call.Arguments) == 0 {
		call.Arguments = json.RawMessage(`{}`)
	}
	request, err := json.Marshal(call)
	if err != nil {
		return journal.Decision{}, err
	}
	return a.Log.Open(ctx, journal.Decision{
		ID: id, Stream: Stream(user), User: user, Kind: session.Approval, Digest: digest, Request: request,
	})
}

// used reports whether the approval d was already used for a call.
func (a Approvals) used(ctx context.Context, d journal.Decision) (bool, error) {
	use, err := a.Log.Decision(ctx, useOf(d))
	if fault.CodeOf(err) == sdkapi.DecisionNotFound {
		return false, nil
	}
	return use.State != journal.Pending, err
}

// useOf returns the id of the decision that marks the approval d as used.
func useOf(d journal.Decision) string { return d.ID + "_" + approvalUse }

// Use marks the approval d as used. The result first is false if the approval was already used, on
// this or on another gateway. The caller must then not make the call. After a crash of the gateway, a
// used approval stays used.
func (a Approvals) Use(ctx context.Context, d journal.Decision) (first bool, err error) {
	_, err = a.Log.Open(ctx, journal.Decision{ID: useOf(d), User: d.User, Kind: approvalUse, Digest: d.Digest})
	if err != nil {
		return false, err
	}
	_, err = a.Log.Decide(ctx, useOf(d), journal.Decider{User: d.User}, journal.Answer{Value: json.RawMessage(`"` + rand.Text() + `"`)})
	switch fault.CodeOf(err) {
	case sdkapi.DecisionConflict, sdkapi.DecisionExpired:
		return false, nil
	}
	return err == nil, err
}
