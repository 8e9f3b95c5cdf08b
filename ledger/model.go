package ledger

import (
	"cmp"
	"context"
	"iter"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// assumedOutput is how many tokens an answer is taken to have for which the request sets no
// bound, until it is there.
const assumedOutput = 4096

// Payer returns the user who pays for what a context's work asks of models; empty if nobody does.
type Payer func(ctx context.Context) string

// payerKey is the key of a context's payer.
type payerKey struct{}

// For returns ctx for work that a user pays for.
func For(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, payerKey{}, user)
}

// PayerOf returns the user of For; empty if there is none.
func PayerOf(ctx context.Context) string {
	user, _ := ctx.Value(payerKey{}).(string)
	return user
}

// Model returns a model whose requests are booked for the user that payer returns, and
// refused with BUDGET_EXCEEDED before they are sent if too little of a budget is left.
func (l *Ledger) Model(model models.Model, price models.Price, payer Payer) models.Model {
	return metered{model, l, price, payer}
}

type metered struct {
	models.Model
	ledger *Ledger
	price  models.Price
	payer  Payer
}

// Stream implements models.Model.
func (m metered) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return func(yield func(models.Event, error) bool) {
		held, err := m.ledger.reserve(ctx, m.payer(ctx), m.price, func() (input, output int) {
			return models.Estimate(req), cmp.Or(req.MaxTokens, assumedOutput)
		})
		if err != nil {
			yield(models.Event{}, err)
			return
		}
		t := tally{req: req}
		defer t.book(ctx, held)
		for event, err := range m.Model.Stream(ctx, req) {
			t.see(event, err)
			if !yield(event, err) {
				return
			}
		}
	}
}

// tally gathers what an answer took.
type tally struct {
	req     models.Request
	usage   models.Usage // as the provider reports it
	said    strings.Builder
	began   bool // anything came
	refused bool // the provider did not answer
}

func (t *tally) see(e models.Event, err error) {
	switch code := fault.CodeOf(err); {
	case code == sdkapi.ModelUnavailable, code == sdkapi.ModelRateLimited, code == sdkapi.ModelError, code == sdkapi.ModelContextFull, code == sdkapi.ValidationError:
		t.refused = true
		return
	case err != nil:
		return
	}
	t.began = true
	switch {
	case e.Kind == models.UsageKnown:
		t.usage = e.Usage
	case e.Call != nil:
		t.said.WriteString(e.Call.Name)
		t.said.Write(e.Call.Arguments)
	default:
		t.said.WriteString(e.Text)
	}
}

// book settles the answer. A request that the provider refused before it began to answer costs
// nothing; one that was broken off otherwise costs its estimate, as the provider may have read it.
func (t *tally) book(ctx context.Context, held *reservation) {
	switch {
	case !t.began && t.refused:
		held.release(ctx)
	case t.usage.Total() > 0:
		held.settle(ctx, int64(t.usage.Prompt()), int64(t.usage.Output+t.usage.Reasoning))
	default:
		held.settle(ctx, int64(models.Estimate(t.req)), int64(models.EstimateText(t.said.String())))
	}
}

// Embedder turns texts into vectors, as memory.Embedder does.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Embedder returns an embedder whose requests are booked as those of Model are.
func (l *Ledger) Embedder(of Embedder, price models.Price, payer Payer) Embedder {
	return embedder{of, l, price, payer}
}

type embedder struct {
	Embedder
	ledger *Ledger
	price  models.Price
	payer  Payer
}

// Embed implements Embedder.
func (e embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	tokens := 0
	for _, text := range texts {
		tokens += models.EstimateText(text)
	}
	held, err := e.ledger.reserve(ctx, e.payer(ctx), e.price, func() (input, output int) { return tokens, 0 })
	if err != nil {
		return nil, err
	}
	vectors, err := e.Embedder.Embed(ctx, texts)
	if err != nil && ctx.Err() == nil {
		held.release(ctx)
		return nil, err
	}
	held.settle(ctx, int64(tokens), 0)
	return vectors, err
}
