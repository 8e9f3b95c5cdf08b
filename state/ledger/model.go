package ledger

import (
	"cmp"
	"context"
	"iter"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// assumedOutput is the assumed size of an answer in tokens, if the request sets no maximum.
const assumedOutput = 4096

// Payer returns the user who pays for the model requests in a context. It returns "" if nobody
// pays.
type Payer func(ctx context.Context) string

// payerKey is the context key of the payer.
type payerKey struct{}

// For returns a copy of ctx in which user pays for model requests. PayerOf returns this user.
func For(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, payerKey{}, user)
}

// PayerOf returns the user who pays for model requests in ctx, as set by For. It returns "" if
// nobody pays.
func PayerOf(ctx context.Context) string {
	user, _ := ctx.Value(payerKey{}).(string)
	return user
}

// Model returns a wrapper of the given model. The wrapper books each request for the user whom
// payer returns, and sends the request to the given model. If the user's budget has too little
// left, the request fails with BUDGET_EXCEEDED and is not sent.
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
		defer held.hold(ctx)()
		ctx, tally := models.NewTally(ctx, req)
		refused := false
		defer func() { settle(ctx, held, tally, refused) }()
		for event, err := range m.Model.Stream(ctx, req) {
			if err == nil {
				tally.See(event)
			}
			refused = refuses(err)
			if !yield(event, err) {
				return
			}
		}
	}
}

// refuses reports whether an error came from the provider, and not from a caller who left.
func refuses(err error) bool {
	switch fault.CodeOf(err) {
	case sdkapi.ModelUnavailable, sdkapi.ModelRateLimited, sdkapi.ModelError, sdkapi.ModelContextFull, sdkapi.ValidationError:
		return true
	}
	return false
}

// settle books an answer. If the provider refused the request before its answer began, the request
// costs nothing. If it was interrupted in another way, it costs its estimate, because the provider
// may have read it.
func settle(ctx context.Context, held *reservation, tally *models.Tally, refused bool) {
	if refused && !tally.Began() {
		held.release(ctx)
		return
	}
	took := tally.Usage()
	held.settle(ctx, int64(took.Prompt()), int64(took.Output)+int64(took.Reasoning))
}

// Embedder converts texts to vectors. The interface memory.Embedder has the same method.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Embedder returns an embedder that sends its requests to inner. It books each request for the user
// whom payer returns. If the user's budget has too little left, the request fails with
// BUDGET_EXCEEDED and is not sent.
func (l *Ledger) Embedder(inner Embedder, price models.Price, payer Payer) Embedder {
	return embedder{inner, l, price, payer}
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
