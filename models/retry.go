package models

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// RetryOptions says how patient Retry is. A zero is the default.
type RetryOptions struct {
	Attempts   int           // how often a request is sent in all; 4. One never sends it again
	FirstWait  time.Duration // before the second attempt; 500 ms. It doubles with each
	MaxWait    time.Duration // between two attempts; 30 s. A provider that asks for more is not waited for
	FirstEvent time.Duration // until the answer begins; 5 min, as models think before they speak
	Idle       time.Duration // between two events, or pieces of calls; 2 min
}

func (o RetryOptions) withDefaults() RetryOptions {
	o.Attempts = cmp.Or(max(o.Attempts, 0), 4)
	o.FirstWait = cmp.Or(max(o.FirstWait, 0), 500*time.Millisecond)
	o.MaxWait = cmp.Or(max(o.MaxWait, 0), 30*time.Second)
	o.FirstEvent = cmp.Or(max(o.FirstEvent, 0), 5*time.Minute)
	o.Idle = cmp.Or(max(o.Idle, 0), 2*time.Minute)
	return o
}

// Retry returns a model that asks model again after MODEL_RATE_LIMITED and MODEL_UNAVAILABLE, as
// long as nothing of the answer was handed on. It waits longer each time and as long as the
// provider asks for, by chance up to twice as short, so that many that failed together do not come
// back together. The providers' own libraries do not retry.
//
// It also ends an answer of which nothing came for too long with MODEL_UNAVAILABLE, which is not tried
// again. Pieces of a call, which are no event until the call is whole, count.
func Retry(model Model, options RetryOptions) Model {
	return &retrying{model: model, options: options.withDefaults()}
}

// retrying is what Retry returns.
type retrying struct {
	model   Model
	options RetryOptions
}

var _ Model = (*retrying)(nil)

// errSilent is why a silent answer was ended.
var errSilent = errors.New("models: no event came in time")

// Stream implements Model.
func (r *retrying) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for attempt := 1; ; attempt++ {
			handedOn, err := r.once(ctx, req, yield)
			if err == nil {
				return
			}
			wait, worthIt := r.wait(attempt, err)
			if handedOn || !worthIt || !sleep(ctx, wait) {
				if ctx.Err() != nil {
					err = ctx.Err()
				}
				yield(Event{}, err)
				return
			}
		}
	}
}

// once asks once. It reports whether the reader was given an event; an error
// must reach the reader. Without one the answer is over, or the reader left.
func (r *retrying) once(ctx context.Context, req Request, yield func(Event, error) bool) (handedOn bool, err error) {
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := r.options.FirstEvent
	timer := time.AfterFunc(limit, func() { cancel(errSilent) })
	defer timer.Stop()
	watched = withPeek(watched, func(e Event) {
		if e.Kind == ToolCall { // its next piece may be long before the whole call
			limit = r.options.Idle
			timer.Reset(limit)
		}
	})
	for event, err := range r.model.Stream(watched, req) {
		timer.Stop() // what the reader does with an event takes its own time
		if err != nil && ctx.Err() == nil && errors.Is(context.Cause(watched), errSilent) {
			return handedOn, fault.New("models.Retry", sdkapi.ModelUnavailable, "the model was silent for %v", limit).Because(errSilent)
		}
		if err != nil {
			return handedOn, err
		}
		handedOn = true
		if !yield(event, nil) {
			return true, nil
		}
		limit = r.options.Idle
		timer.Reset(limit)
	}
	return handedOn, nil
}

// wait returns how long to wait before asking again after that many attempts,
// and whether that may help.
func (r *retrying) wait(attempt int, err error) (time.Duration, bool) {
	code := fault.CodeOf(err)
	if attempt >= r.options.Attempts || errors.Is(err, errSilent) || code != sdkapi.ModelRateLimited && code != sdkapi.ModelUnavailable {
		return 0, false
	}
	wait := r.options.FirstWait
	for range attempt - 1 {
		wait = min(2*wait, r.options.MaxWait)
	}
	wait = min(wait, r.options.MaxWait)
	wait = wait/2 + rand.N(wait/2+1) //nolint:gosec // spreads load, and keeps no secret
	var refusal *Refusal
	if errors.As(err, &refusal) && refusal.RetryAfter > wait {
		wait = refusal.RetryAfter
	}
	return wait, wait <= r.options.MaxWait
}

// sleep waits, and reports whether ctx lasted. It does not begin to wait for longer than ctx has.
func sleep(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return false
	}
	return background.Sleep(ctx, wait) == nil
}
