package openai

import (
	"context"
	"iter"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// maxRounds is the maximum number of requests to the model for one answer. Each round has the
// results of the gateway's tools from the round before.
const maxRounds = 10

// answer requests an answer from the model, and yields it like models.Model. It runs calls of the
// gateway's tools itself, does not yield them, and asks the model again with the results. The
// answer has the text of all rounds, and the usage is their sum. If the model still calls the
// gateway's tools in the last round, the answer ends with models.Length.
//
// If the answer does not meet the question's checks, the model gets another request, unless the
// client already has the text. A second wrong answer fails with MODEL_ANSWER_INVALID.
func (s *door) answer(ctx context.Context, q *question) iter.Seq2[models.Event, error] {
	return func(yield func(models.Event, error) bool) {
		cut := newCutter(q.stops)
		var used models.Usage
		for round := 1; ; round++ {
			r, ok := ask(ctx, q, cut, yield)
			if !ok {
				return
			}
			used = used.Add(r.used)
			if r.end == models.ToolCalls && s.isOurs(q, r.calls) {
				if round < maxRounds {
					q.request.Messages = append(q.request.Messages, r.said, s.results(ctx, q, r.calls))
					continue
				}
				r.calls, r.end = nil, models.Length // the client does not know these tools
			}
			if q.request.OneCall && len(r.calls) > 1 {
				r.calls = r.calls[:1]
			}
			rest := cut.rest()
			text := r.text.String() + rest
			if q.holds() {
				text = unfenced(text)
				rest = text
			}
			if reason := q.wrong(text, r); reason != "" {
				if q.streams || q.checks.repairs >= maxRepairs {
					yield(models.Event{}, invalidAnswer(reason))
					return
				}
				q.checks.repairs++
				q.repair(r, reason)
				cut = newCutter(q.stops)
				continue
			}
			finish(yield, rest, r.calls, used, r.end)
			return
		}
	}
}

// round is the result of one request to the model.
type round struct {
	said  models.Message
	text  strings.Builder // the text of said up to a stop sequence
	calls []*models.Call
	used  models.Usage // estimated if a stop sequence ended the answer before the usage arrived
	end   models.EndReason
}

// ask sends one request to the model. It yields all events except calls, usage, end and text that
// waits for its check. ok is false
// if the answer failed or the consumer has stopped.
func ask(ctx context.Context, q *question, cut *cutter, yield func(models.Event, error) bool) (r *round, ok bool) {
	r = &round{said: models.Message{Role: models.Assistant}, end: models.Stop}
	ctx, tally := models.NewTally(ctx, q.request)
	for e, err := range q.model.Stream(ctx, q.request) {
		if err != nil {
			yield(models.Event{}, err)
			return r, false
		}
		tally.See(e)
		note(&r.said, e)
		switch e.Kind {
		case models.UsageKnown:
		case models.End:
			r.end = e.End
		case models.ToolCall:
			r.calls = append(r.calls, e.Call)
		default:
			if e = cut.event(e); e.Kind == models.Text {
				r.text.WriteString(e.Text)
			}
			held := e.Kind == models.Text && q.holds()
			if e.Kind != "" && !held && !yield(e, nil) {
				return r, false
			}
		}
		if cut.done {
			r.end = models.Stop
			break
		}
	}
	r.used = tally.Usage()
	return r, true
}

// finish yields the rest of the text, the calls, the usage and the end of an answer.
func finish(yield func(models.Event, error) bool, rest string, calls []*models.Call, used models.Usage, end models.EndReason) {
	if rest != "" && !yield(models.Event{Kind: models.Text, Text: rest}, nil) {
		return
	}
	for _, c := range calls {
		if !yield(models.Event{Kind: models.ToolCall, Call: c}, nil) {
			return
		}
	}
	if yield(models.Event{Kind: models.UsageKnown, Usage: used}, nil) {
		yield(models.Event{Kind: models.End, End: end}, nil)
	}
}

// note adds an event to the message that becomes history in the next round.
func note(said *models.Message, e models.Event) {
	switch last := len(said.Parts) - 1; {
	case e.Kind == models.Text && last >= 0 && said.Parts[last].Text != "":
		said.Parts[last].Text += e.Text
	case e.Kind == models.Text:
		said.Parts = append(said.Parts, models.Part{Text: e.Text})
	case e.Kind == models.ThoughtEnd:
		said.Parts = append(said.Parts, models.Part{Thought: e.Thought})
	case e.Kind == models.ToolCall:
		said.Parts = append(said.Parts, models.Part{Call: e.Call})
	}
}

// isOurs reports whether an answer has calls, all of them of the gateway's tools.
func (s *door) isOurs(q *question, calls []*models.Call) bool {
	for _, c := range calls {
		if q.tools == nil {
			return false
		}
		if _, ours := q.tools.Named(c.Name); !ours {
			return false
		}
	}
	return len(calls) > 0
}

// results runs the calls of an answer one by one, and returns the message with their results.
func (s *door) results(ctx context.Context, q *question, calls []*models.Call) models.Message {
	m := models.Message{Role: models.ToolRole}
	for _, c := range calls {
		res, err := s.call(ctx, q, c)
		result := &models.Result{CallID: c.ID, Name: c.Name, Parts: partsOf(res), IsError: res.IsError}
		if err != nil {
			result.IsError, result.Parts = true, []models.Part{{Text: fault.From(err).Message}}
		}
		m.Parts = append(m.Parts, models.Part{Result: result})
	}
	return m
}

// call runs a call of a gateway tool if the rules currently allow it. It counts as a call of the
// user.
func (s *door) call(ctx context.Context, q *question, c *models.Call) (agent.Result, error) {
	d, _ := q.tools.Named(c.Name)
	rules, err := s.rules(ctx, q.user)
	if err != nil {
		return agent.Result{}, err
	}
	if verdict, why := rules.Judge(agent.ModelName(d.Name), d.Risk, false); verdict != session.Allow {
		return agent.Result{}, fault.New(op, sdkapi.ToolForbidden, "not allowed: %s", why)
	}
	if err := gateway.RequestOf(ctx).Quota.TakeCall(); err != nil {
		return agent.Result{}, err
	}
	within, cancel := context.WithTimeout(ctx, s.toolTimeout)
	defer cancel()
	return q.tools.Invoke(s.core.ForCall(within, agent.Call{User: q.user}), d.Name,
		agent.Call{ID: c.ID, User: q.user, Arguments: c.Arguments, Via: agent.ViaOpenAI, Consent: agent.RulesAllow})
}

// maxResult is the maximum length of a text of a tool's result for the model, in bytes. Longer
// texts lose their middle.
const maxResult = 64 << 10

// partsOf converts a tool's result for a model.
func partsOf(res agent.Result) (parts []models.Part) {
	text := func(s string) { parts = append(parts, models.Part{Text: plain.Middle(s, maxResult)}) }
	for _, p := range res.Content {
		switch p.Kind {
		case agent.TextPart:
			text(p.Text)
		case agent.JSONPart:
			text(string(p.JSON))
		case agent.ImagePart:
			parts = append(parts, models.Part{Image: &models.Image{MediaType: p.MediaType, Data: p.Data}})
		}
	}
	if len(res.Content) == 0 {
		text(string(res.Structured))
	}
	return parts
}
