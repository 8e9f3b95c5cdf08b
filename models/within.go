package models

import (
	"context"
	"iter"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// contextSlack is how many times as many tokens as a model reads a request may
// have by Estimate, before nobody is asked: an estimate may be too high.
const contextSlack = 2

// Within returns a model that is not asked what is far beyond its context
// window, in tokens: a provider may take minutes to refuse that, or leave out the
// beginning without a word. It is MODEL_CONTEXT_FULL, as where a provider says
// so. A window of 0 is unknown, and returns the model as it is.
func Within(model Model, window int) Model {
	if window <= 0 {
		return model
	}
	return within{model, window}
}

type within struct {
	Model
	window int
}

// Stream implements Model.
func (m within) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	most := contextSlack * m.window
	if atMost.request(req) <= most {
		return m.Model.Stream(ctx, req)
	}
	tokens := Estimate(req)
	if tokens <= most {
		return m.Model.Stream(ctx, req)
	}
	return func(yield func(Event, error) bool) {
		yield(Event{}, fault.New("models.Within", sdkapi.ModelContextFull,
			"the conversation is too long for the model: about %d tokens, of %d that it reads", tokens, m.window))
	}
}

// atMost measures a request by bytes, which takes less time than Estimate and
// returns no less: no token is shorter than a byte.
var atMost = scale{func(text string) int { return len(text) }, func(Image) int { return mostImageTokens }}
