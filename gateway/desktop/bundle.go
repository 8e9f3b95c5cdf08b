package desktop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// The statuses that a client reports for a bundle and for its steps.
const (
	bundleDone = "success"
	stepOK     = "ok"
)

var (
	bundleStatuses = []string{bundleDone, "partial_failure", "failure"}
	stepStatuses   = []string{stepOK, "error"}
)

// bundleResult is the client's report on a bundle of tool calls.
type bundleResult struct {
	BundleID string `json:"bundle_id"`
	Status   string `json:"status"` // one of bundleStatuses
	screenData
	StepResults []step  `json:"step_results"` // results of the steps that the client ran, in order; may be missing if it ran none
	Error       *string `json:"error"`
}

// step is the result of one step of a bundle.
type step struct {
	Tool   string                     `json:"tool"`
	Status string                     `json:"status"` // one of stepStatuses
	Output any                        `json:"output"`
	Error  string                     `json:"error"`
	more   map[string]json.RawMessage // fields that the gateway does not know
}

// UnmarshalJSON implements json.Unmarshaler. It stores unknown JSON fields in s.more.
func (s *step) UnmarshalJSON(raw []byte) error {
	type known step
	if err := json.Unmarshal(raw, (*known)(s)); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &s.more); err != nil {
		return err
	}
	for _, name := range []string{"tool", "status", "output", "error"} {
		delete(s.more, name)
	}
	return nil
}

// result converts the step to a result of its call. The client's output and error become untrusted text.
func (s step) result() session.Result {
	r := session.Result{IsError: s.Status != stepOK, Metadata: s.more}
	for _, text := range []string{outputText(s.Output), s.Error} {
		if text != "" {
			r.Parts = append(r.Parts, turns.UntrustedText(text))
		}
	}
	return r
}

// bundleResult answers the decisions of a bundle. The bundle's id is that of its first decision.
// Steps that the client did not reach are answered as not run.
func (c *client) bundleResult(p bundleResult) error {
	first, state, err := c.asked(p.BundleID, session.Outside)
	if err != nil {
		return err
	}
	before := int64(0)
	if bundled(state, first.ID) {
		before = state.Began // the turn of the bundle
	}
	steps, err := c.server.Sessions.Bundle(c.ctx, first, before)
	if err == nil && len(steps) == 0 {
		err = journal.NoDecision(opResult, p.BundleID)
	}
	if err == nil {
		err = p.check(steps)
	}
	if err != nil {
		return err
	}
	results := p.results(len(steps))
	last, err := c.server.Journal.Decision(c.ctx, steps[len(steps)-1].Decision)
	if err == nil {
		err = c.addScreen(last, &results[len(steps)-1], p.screenData, "payload")
	}
	for i, r := range results {
		if err == nil {
			err = c.decideResult(steps[i].Decision, r)
		}
	}
	return err
}

// check returns an error if the result does not match the requested steps.
func (p bundleResult) check(steps []session.ToolRequested) error {
	f := fault.New(opResult, sdkapi.ValidationError, "the result does not match the bundle; details.fields lists the invalid fields")
	if !slices.Contains(bundleStatuses, p.Status) {
		f = f.At("payload.status", "expected %s", strings.Join(bundleStatuses, ", "))
	}
	failed := len(p.StepResults) < len(steps)
	for i, s := range p.StepResults {
		at := fmt.Sprintf("payload.step_results[%d]", i)
		if i >= len(steps) {
			f = f.At(at, "expected at most %d results, one for each step of the bundle", len(steps))
			break
		}
		if s.Tool != steps[i].Tool {
			f = f.At(at+".tool", "expected %s: results must be in the order of the steps", steps[i].Tool)
		}
		if !slices.Contains(stepStatuses, s.Status) {
			f = f.At(at+".status", "expected %s", strings.Join(stepStatuses, " or "))
		}
		failed = failed || s.Status != stepOK
	}
	switch {
	case p.Status == bundleDone && len(p.StepResults) < len(steps):
		f = f.At("payload.step_results", "expected %d results, one for each step, because the status is %s", len(steps), bundleDone)
	case p.Status == bundleDone && failed:
		f = f.At("payload.status", "expected a status other than %s, because not every step is %s", bundleDone, stepOK)
	}
	if len(f.Details.Fields) > 0 {
		return f
	}
	return nil
}

// results returns one result for each step, also for steps that the client did not run.
func (p bundleResult) results(steps int) []session.Result {
	results := make([]session.Result, steps)
	for i := range results {
		if i < len(p.StepResults) {
			results[i] = p.StepResults[i].result()
		} else {
			results[i] = session.Result{IsError: true, NotRun: true, Parts: []session.Part{{Text: "Not run: the client did not reach this step."}}}
		}
		if results[i].IsError && p.Error != nil && *p.Error != "" {
			results[i].Parts = append(results[i].Parts, turns.UntrustedText(*p.Error))
		}
	}
	return results
}
