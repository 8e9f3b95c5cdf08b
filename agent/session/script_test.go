package session_test

import (
	"context"
	"encoding/json"
	"iter"
	"sync"

	"github.com/windieos/windie/models"
)

// reply is what a scripted model says once.
type reply struct {
	text  string
	calls []models.Call
	err   error
	hold  bool // until ctx ends, after the text
}

// script is a model that answers from a table, and keeps what it was asked.
// Past its end it says "Done.".
type script struct {
	mu      sync.Mutex
	replies []reply
	asked   []models.Request
}

var _ models.Model = (*script)(nil)

func (s *script) next(req models.Request) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	if len(s.replies) == 0 {
		return reply{text: "Done."}
	}
	r := s.replies[0]
	s.replies = s.replies[1:]
	return r
}

func (s *script) requests() []models.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *script) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	r := s.next(req)
	return func(yield func(models.Event, error) bool) {
		var events []models.Event
		if r.text != "" {
			events = append(events, models.Event{Kind: models.Text, Text: r.text})
		}
		end := models.Stop
		for i := range r.calls {
			events, end = append(events, models.Event{Kind: models.ToolCall, Call: &r.calls[i]}), models.ToolCalls
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		if r.hold {
			<-ctx.Done()
			r.err = ctx.Err()
		}
		if r.err != nil {
			yield(models.Event{}, r.err)
			return
		}
		_ = yield(models.Event{Kind: models.UsageKnown, Usage: models.Usage{Input: 10, Output: 5}}, nil) &&
			yield(models.Event{Kind: models.End, End: end}, nil)
	}
}

// calling is a reply that calls tools, given as id, name, arguments.
func calling(words ...string) reply {
	var r reply
	for i := 0; i < len(words); i += 3 {
		r.calls = append(r.calls, models.Call{ID: words[i], Name: words[i+1], Arguments: json.RawMessage(words[i+2])})
	}
	return r
}
