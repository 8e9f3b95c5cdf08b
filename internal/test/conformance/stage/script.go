package stage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// reply is one answer of a scripted model, as dialogues write it.
type reply struct {
	Thoughts, Text []string
	Calls          []models.Call
	Usage          models.Usage
	End            models.EndReason
	Fails          string      // after what it says
	Code           sdkapi.Code // it fails with; empty for MODEL_UNAVAILABLE
	Stalls         bool        // it says nothing more, until its caller goes away
}

// script is a models.Model that gives replies in order. Past its end it fails.
type script struct {
	mu      sync.Mutex
	replies []reply
	asked   int
}

// newScript reads replies, one JSON object after the other.
func newScript(text []byte) (*script, error) {
	s := new(script)
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var r reply
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, fault.New("stage", sdkapi.ValidationError, "the script of a model is no list of JSON objects: %v", err)
		}
		s.replies = append(s.replies, r)
	}
}

func (s *script) next() (reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked++; s.asked > len(s.replies) {
		return reply{}, fault.New("stage", sdkapi.ModelError, "the script has %d replies, but the model was asked for one more", len(s.replies))
	}
	return s.replies[s.asked-1], nil
}

// Stream implements models.Model.
func (s *script) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return models.Scripted(ctx, "script", req, func(ctx context.Context, out *models.Answer) error {
		r, err := s.next()
		if err != nil {
			return err
		}
		return r.play(ctx, out)
	})
}

func (r *reply) play(ctx context.Context, out *models.Answer) error {
	for _, piece := range r.Thoughts {
		if err := out.Think(piece); err != nil {
			return err
		}
	}
	if err := out.EndThought(""); err != nil {
		return err
	}
	for _, piece := range r.Text {
		if err := out.Text(piece); err != nil {
			return err
		}
	}
	if r.Stalls {
		<-ctx.Done()
		return ctx.Err()
	}
	if r.Fails != "" {
		return fault.New("model", cmp.Or(r.Code, sdkapi.ModelUnavailable), "%s", r.Fails)
	}
	for i, call := range r.Calls {
		if err := out.Call(models.CallPiece{Index: &i, ID: call.ID, Name: call.Name, Arguments: string(call.Arguments), Signature: call.Signature}); err != nil {
			return err
		}
	}
	if r.Usage != (models.Usage{}) {
		out.Used(r.Usage)
	}
	end := models.Stop
	if len(r.Calls) > 0 {
		end = models.ToolCalls
	}
	out.End(cmp.Or(r.End, end))
	return ctx.Err()
}

// scripted are the models of a gateway that has one alone.
type scripted struct{ model models.Model }

// List implements gateway.Models.
func (scripted) List(context.Context, string, ...string) sdkapi.ModelList {
	return sdkapi.ModelList{Local: []sdkapi.Model{{ID: "scripted", Provider: "script", DisplayName: "Script"}}, Online: []sdkapi.Model{}, Vision: []sdkapi.Model{}}
}

// Choose implements gateway.Models.
func (m scripted) Choose(context.Context, string, string) (models.Model, models.Request, error) {
	return m.model, models.Request{Model: "scripted"}, nil
}

// Figures implements gateway.Models.
func (scripted) Figures() []models.ModelFigures { return nil }

// Default implements gateway.Models.
func (scripted) Default() string { return "scripted" }

// Keep implements gateway.Models.
func (scripted) Keep(_, _, _ string) {}

// Keeps implements gateway.Models.
func (scripted) Keeps(string, string) bool { return false }

// Providers implements gateway.Models.
func (scripted) Providers() []string { return nil }
