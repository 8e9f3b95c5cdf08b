// Package modelstest is for tests of models and of code that uses models. It has a model that
// answers by a script, servers with the providers' protocols, and the test suite that every
// provider must pass.
//
//	model := modelstest.NewScript(
//		modelstest.Reply{Calls: []models.Call{{ID: "1", Name: "clock_now", Arguments: json.RawMessage(`{}`)}}},
//		modelstest.Reply{Text: []string{"It is ", "noon."}},
//	)
package modelstest

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Reply is one answer of a model. The zero value is an empty answer that ends with Stop.
type Reply struct {
	Thoughts  []string // pieces of the text of one thought
	Signature string   // signature of the thought
	Text      []string // pieces of the answer's text
	Calls     []models.Call
	Usage     models.Usage     // usage that the server reports; zero: the server reports no usage
	End       models.EndReason // reason for the end; default ToolCalls if there are calls, otherwise Stop
	EndWord   string           // for a Server: the provider's own word for the end; it replaces the word for End
	Delay     time.Duration    // wait before each piece
	Hold      bool             // for a Script: after the pieces, the Script waits until ctx ends
	Deaf      time.Duration    // for a Script with Hold: further wait after the end of ctx
	Err       error            // for a Script: error after the pieces; it replaces the calls and the end
	Fault     Fault            // for a Server: failure of the server in this reply
	Raw       string           // for a Server: the exact stream; it replaces the content of the fields above
}

// Script is a models.Model that answers from a list of replies and records the requests. After the
// last reply, it gives the reply that was set by Otherwise. If no such reply was set, it fails with
// MODEL_ERROR.
type Script struct {
	mu       sync.Mutex
	replies  []Reply
	past     *Reply // reply after the last one; nil: fail
	requests []models.Request
}

var _ models.Model = (*Script)(nil)

// NewScript returns a Script with a list of replies.
func NewScript(replies ...Reply) *Script { return &Script{replies: replies} }

// Otherwise sets the reply that the script gives when its list of replies is used up. It returns
// the script itself.
func (s *Script) Otherwise(reply Reply) *Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = &reply
	return s
}

// Requests returns all recorded requests, oldest first.
func (s *Script) Requests() []models.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// next records a request and returns its reply. It fails with MODEL_ERROR if no reply is left.
func (s *Script) next(req models.Request) (Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Messages = slices.Clone(req.Messages) // the caller appends to its slice later
	s.requests = append(s.requests, req)
	if len(s.requests) > len(s.replies) {
		if s.past != nil {
			return *s.past, nil
		}
		return Reply{}, fault.New("modelstest.Script", sdkapi.ModelError, "the script has %d replies, but the model was asked for one more", len(s.replies))
	}
	return s.replies[len(s.requests)-1], nil
}

// Stream implements models.Model.
func (s *Script) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return models.Scripted(ctx, "script", req, func(ctx context.Context, answer *models.Answer) error {
		reply, err := s.next(req)
		if err != nil {
			return err
		}
		return reply.play(ctx, answer)
	})
}

// play writes the reply to answer: thoughts, text, calls, usage and the end, in this order.
func (r Reply) play(ctx context.Context, answer *models.Answer) error {
	say := func(pieces []string, add func(string) error) error {
		for _, piece := range pieces {
			if err := pause(ctx, r.Delay); err != nil {
				return err
			}
			if err := add(piece); err != nil {
				return err
			}
		}
		return nil
	}
	if err := say(r.Thoughts, answer.Think); err != nil {
		return err
	}
	if err := answer.EndThought(r.Signature); err != nil {
		return err
	}
	if err := say(r.Text, answer.Text); err != nil {
		return err
	}
	if r.Hold {
		<-ctx.Done()
		time.Sleep(r.Deaf)
		return ctx.Err()
	}
	if r.Err != nil {
		return r.Err
	}
	for i, call := range r.Calls {
		if err := answer.Call(models.CallPiece{Index: &i, ID: call.ID, Name: call.Name, Arguments: string(call.Arguments), Signature: call.Signature}); err != nil {
			return err
		}
	}
	if r.Usage != (models.Usage{}) {
		answer.Used(r.Usage)
	}
	answer.End(r.end())
	return pause(ctx, r.Delay)
}

// end returns the reason for the end, with the default of Reply.End.
func (r Reply) end() models.EndReason {
	switch {
	case r.End != "":
		return r.End
	case len(r.Calls) > 0:
		return models.ToolCalls
	}
	return models.Stop
}

// pause waits for a duration. It returns ctx's error if ctx ends first, or has already ended.
func pause(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
