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

// Approvals asks users about calls outside of conversations, as over MCP: such a
// caller cannot wait for the answer, and makes the call again. An approval is for
// one call of one tool, as it was when it was asked about, with one set of arguments.
// A question's id follows from its call, from the window of time in which it was asked,
// and from how often that call was asked about in it: the same call, repeated or made
// twice at once, finds the same question, unless a window begins between the two. A
// second decision, named after the question, marks an approval as used: the first
// caller to decide it makes the call.
type Approvals struct{ Log journal.Decisions }

// Bounds of asking.
const (
	maxAsked      = 100                   // questions that wait for one user
	maxRounds     = 1000                  // questions about the very same call in one window
	approvalHolds = journal.DefaultExpiry // how long an answer counts: a yes is for now, and a no is not asked about again at once
	askWindow     = journal.DefaultExpiry // a question and its answer count for two of them after the one in which it was asked
	approvalUse   = "use"                 // the kind of the question that an approval is used up by
)

// Asked is what is kept of a call that is asked about.
type Asked struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Why       string          `json:"why"`
	Of        string          `json:"of,omitempty"` // agent.Descriptor.Hash of the tool; empty if it cannot become another
}

// Stream is the stream in which a user is asked.
func Stream(user string) string { return "decisions/" + user }

// Ask returns the question about a user's call: one that can be answered, or
// an answer that counts now. An approval that is returned has not been used.
func (a Approvals) Ask(ctx context.Context, user string, call Asked) (journal.Decision, error) {
	digest, err := journal.Digest(call.Tool+call.Of, call.Arguments)
	if err != nil {
		return journal.Decision{}, fault.New("gateway.approvals", sdkapi.ValidationError, "the arguments cannot be shown for approval: they must be valid UTF-8 with each field once").
			At("arguments", "expected valid UTF-8, and each field once").Because(err)
	}
	now, next := time.Now().UnixMicro()/askWindow.Microseconds(), 0
	for window := now - 2; window <= now+1; window++ { // +1: of a gateway whose clock is ahead
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
		return journal.Decision{}, fault.New("gateway.approvals", sdkapi.RateLimited, "this call has asked for approval %d times within %v, the limit; wait, or add a rule that allows it", maxRounds, askWindow).After(askWindow)
	}
	return a.open(ctx, approvalID(user, digest, now, next), user, digest, call)
}

// newest returns the newest question about a call in a window, and how many there are. Those before it
// count no longer, or it would not have been asked.
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
	if !missing(0) { // as it is most often
		asked = 1 + sort.Search(maxRounds-1, func(i int) bool { return missing(i + 1) })
	}
	return d, asked, err
}

// counts reports whether a question can be answered, or has an answer that counts now.
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

// approvalID is the id of a question. It reveals nothing of the call.
func approvalID(user, digest string, window int64, round int) string {
	raw, err := json.Marshal([]any{user, digest, window, round})
	if err != nil {
		panic(err) // two texts and two numbers are JSON
	}
	id, err := journal.Digest(session.Approval, raw)
	if err != nil {
		panic(err) // as it was marshaled
	}
	return session.Approval + "_" + id[:32]
}

// open keeps a new question.
func (a Approvals) open(ctx context.Context, id, user, digest string, call Asked) (journal.Decision, error) {
	waiting, err := a.Log.Pending(ctx, Stream(user))
	if err != nil {
		return journal.Decision{}, err
	}
	if len(waiting) >= maxAsked {
		return journal.Decision{}, fault.New("gateway.approvals", sdkapi.RateLimited, "%d calls already wait for approval, the maximum; approve or deny some first", len(waiting))
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

// used reports whether the call was made that d approves.
func (a Approvals) used(ctx context.Context, d journal.Decision) (bool, error) {
	use, err := a.Log.Decision(ctx, useOf(d))
	if fault.CodeOf(err) == sdkapi.DecisionNotFound {
		return false, nil
	}
	return use.State != journal.Pending, err
}

func useOf(d journal.Decision) string { return d.ID + "_" + approvalUse }

// Use uses the approval d, and reports whether nobody had before: on any
// gateway, and also after a crash.
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
