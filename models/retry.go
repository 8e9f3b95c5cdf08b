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

// RetryOptions configure Retry. If a field is zero, its default applies.
type RetryOptions struct {
	Attempts  int           // maximum number of requests; default 4; 1 means no retry
	FirstWait time.Duration // wait before the second request; default 500 ms. It doubles with each retry
	// MaxWait is the maximum wait before a request; default 30 s. If a provider requests a longer
	// wait, Retry does not retry.
	MaxWait time.Duration
	// FirstEvent is the maximum time until the answer begins; default 5 min, because models think
	// before they answer.
	FirstEvent time.Duration
	Idle       time.Duration // maximum time between two events or pieces of calls; default 2 min
}

// withDefaults replaces zero and negative fields with their defaults.
func (o RetryOptions) withDefaults() RetryOptions {
	o.Attempts = cmp.Or(max(o.Attempts, 0), 4)
	o.FirstWait = cmp.Or(max(o.FirstWait, 0), 500*time.Millisecond)
	o.MaxWait = cmp.Or(max(o.MaxWait, 0), 30*time.Second)
	o.FirstEvent = cmp.Or(max(o.FirstEvent, 0), 5*time.Minute)
	o.Idle = cmp.Or(max(o.Idle, 0), 2*time.Minute)
	return o
}

// Retry returns a model that repeats a request after MODEL_RATE_LIMITED or MODEL_UNAVAILABLE. It
// repeats the request only if the reader has received no event. The wait doubles each time. A
// random part, up to half, is subtracted, so that failed requests are not all repeated at the same
// moment. If the provider requests a longer wait, Retry waits for the requested time. The drivers
// of the providers do not repeat requests themselves.
//
// If no event arrives for too long, Retry ends the answer with MODEL_UNAVAILABLE and does not
// repeat the request. A piece of a tool call counts as activity, although Retry yields an event only
// when the call is complete.
func Retry(model Model, options RetryOptions) Model {
	return &retrying{model: model, options: options.withDefaults()}
}

// retrying implements Retry.
type retrying struct {
	model   Model
	options RetryOptions
}

var _ Model = (*retrying)(nil)

// errSilent is the cause when Retry ends an answer because no event arrived.
var errSilent = errors.New("models: the provider sent no event within the time limit")

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

// once sends one request. handedOn reports whether the reader has got an event; err must then reach the
// reader. If err is nil, the answer is complete or the reader has stopped reading.
func (r *retrying) once(ctx context.Context, req Request, yield func(Event, error) bool) (handedOn bool, err error) {
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := r.options.FirstEvent
	timer := time.AfterFunc(limit, func() { cancel(errSilent) })
	defer timer.Stop()
	watched = withPeek(watched, func(e Event) {
		if e.Kind == ToolCall { // a piece of a call, long before the complete call
			limit = r.options.Idle
			timer.Reset(limit)
		}
	})
	for event, err := range r.model.Stream(watched, req) {
		timer.Stop() // the reader's own time does not count
		if err != nil && ctx.Err() == nil && errors.Is(context.Cause(watched), errSilent) {
			return handedOn, fault.New("models.Retry", sdkapi.ModelUnavailable, "the model sent nothing for %v; try again", limit).Because(errSilent)
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

// wait returns the wait before the next request. It returns false if a retry is not allowed or
// would not help.
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

// sleep waits. It returns false if ctx ends first. If ctx's deadline is before the end of the wait, sleep
// returns false at once.
func sleep(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return false
	}
	return background.Sleep(ctx, wait) == nil
}
