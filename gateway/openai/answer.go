package openai

import (
	"context"
	"iter"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models"
)

// maxRounds is how often a model is asked for one answer, with the results of the gateway's tools.
const maxRounds = 10

// answer asks the model, and yields its answer as models.Model does. Calls of the gateway's tools are made
// here, and the model is asked again with their results: the answer is what is said in all rounds, the usage their sum.
func (s *door) answer(ctx context.Context, q *question) iter.Seq2[models.Event, error] {
	return func(yield func(models.Event, error) bool) {
		cut := newCutter(q.stops)
		var used models.Usage
		for round := 1; ; round++ {
			said := models.Message{Role: models.Assistant}
			var calls []*models.Call
			end := models.Stop
			for e, err := range q.model.Stream(ctx, q.request) {
				if err != nil {
					yield(models.Event{}, err)
					return
				}
				switch e.Kind {
				case models.UsageKnown:
					used = used.Add(e.Usage)
					continue
				case models.End:
					end = e.End
					continue
				case models.ToolCall:
					calls = append(calls, e.Call)
				}
				note(&said, e)
				if e = cut.event(e); e.Kind != "" && !yield(e, nil) {
					return
				}
				if cut.done {
					break
				}
			}
			if again := end == models.ToolCalls && s.isOurs(q, calls) && round < maxRounds && !cut.done; again {
				q.request.Messages = append(q.request.Messages, said, s.results(ctx, q, calls))
				continue
			}
			finish(yield, cut, used, end)
			return
		}
	}
}

// finish yields the end of an answer.
func finish(yield func(models.Event, error) bool, cut *cutter, used models.Usage, end models.EndReason) {
	if rest := cut.rest(); rest != "" && !yield(models.Event{Kind: models.Text, Text: rest}, nil) {
		return
	}
	if cut.done {
		end = models.Stop
	}
	if yield(models.Event{Kind: models.UsageKnown, Usage: used}, nil) {
		yield(models.Event{Kind: models.End, End: end}, nil)
	}
}

// note adds a piece of an answer to the message that the next round's history has.
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

// isOurs reports whether all calls of an answer are the gateway's to make.
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

// results makes the calls of an answer, one after the other, and returns the message with what came of them.
func (s *door) results(ctx context.Context, q *question, calls []*models.Call) models.Message {
	m := models.Message{Role: models.ToolRole}
	for _, c := range calls {
		d, _ := q.tools.Named(c.Name)
		within, cancel := context.WithTimeout(ctx, s.Config.ToolTimeout)
		res, err := q.tools.Invoke(s.ForCall(within, agent.Call{User: q.user}), d.Name, agent.Call{ID: c.ID, User: q.user, Arguments: c.Arguments, Via: agent.ViaOpenAI})
		cancel()
		result := &models.Result{CallID: c.ID, Name: c.Name, Parts: partsOf(res), IsError: res.IsError}
		if err != nil {
			result.IsError, result.Parts = true, []models.Part{{Text: fault.From(err).Message}}
		}
		m.Parts = append(m.Parts, models.Part{Result: result})
	}
	return m
}

// maxResult is how much of a result's text a model gets, in bytes.
const maxResult = 64 << 10

// partsOf converts a tool's answer for a model.
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
